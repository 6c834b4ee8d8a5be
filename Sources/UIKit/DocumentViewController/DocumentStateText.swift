/// A document's state in a word, and what there is to say about it.
@MainActor
enum DocumentStateText {
    static func describe(_ document: UIDocument, in controller: UIViewController) -> SceneDescription.State {
        let state = document.documentState
        if document.lifecycle.phase == .opening { return opening(document, in: controller) }
        // What could not be opened has no state that one could be glad of.
        if document.lifecycle.phase == .closed {
            guard document.isClosedForDeletion else { return plain("closed", "") }
            return deleted(
                "Someone has deleted or replaced the file, which has closed it. What you see is still here, but what you "
                    + "change is not kept unless you save it again.",
                in: controller
            )
        }
        if state.contains(.savingError) {
            return SceneDescription.State(
                name: "error",
                label: "Not saved",
                detail: document.lastError?.localizedDescription,
                acts: [
                    .init(
                        name: "document.save",
                        arguments: ["document": controller.pageIdentifier],
                        title: "Try Again"
                    )
                ]
            )
        }
        if state.contains(.inConflict) { return conflict(of: document, in: controller) }
        if document.isFileDeleted {
            return deleted(
                "Someone has deleted the file. What you see is still here, and is not written unless you save it again, "
                    + "or close it with changes.",
                in: controller
            )
        }
        if document.isFileInTrash {
            return SceneDescription.State(
                name: "trashed",
                label: "In the Trash",
                detail: "The file is in the trash. Changes are saved there until it is put back.",
                acts: []
            )
        }
        if document.work.savesRunning > 0 { return plain("saving", "Saving…") }
        if document.hasUnsavedChanges { return plain("edited", "Edited") }
        return plain("saved", "Saved")
    }

    private static func opening(
        _ document: UIDocument,
        in controller: UIViewController
    ) -> SceneDescription.State {
        guard let progress = document.progress, progress.isCancellable else {
            return plain("opening", "Opening…")
        }
        let percent = progress.totalUnitCount > 0 ? " \(Int(100 * progress.fractionCompleted)) %" : ""
        return SceneDescription.State(
            name: "opening",
            label: "Downloading…\(percent)",
            detail: "Its contents are not on this device. It opens once they have come.",
            acts: [
                .init(
                    name: "document.stopOpening",
                    arguments: ["document": controller.pageIdentifier],
                    title: "Stop Downloading"
                )
            ]
        )
    }

    private static func deleted(_ detail: String, in controller: UIViewController) -> SceneDescription.State {
        SceneDescription.State(
            name: "deleted",
            label: "Deleted",
            detail: detail,
            acts: [
                .init(
                    name: "document.saveAgain",
                    arguments: ["document": controller.pageIdentifier],
                    title: "Save Again"
                )
            ]
        )
    }

    private static func conflict(
        of document: UIDocument,
        in controller: UIViewController
    ) -> SceneDescription.State {
        var state = SceneDescription.State(name: "conflict", label: "Two versions", detail: nil, acts: [])
        guard document.unsettled.versions.isEmpty else {
            state.chooses = true
            return state
        }
        let names = document.conflictCopyURLs.map { "“\($0.lastPathComponent)”" }.joined(separator: ", ")
        state.detail =
            "The file was changed by \(document.lastWriterText) while you were editing. Your version is in this "
            + "document; theirs is kept beside it as \(names)."
        state.acts = [
            .init(
                name: "document.settle",
                arguments: ["document": controller.pageIdentifier, "choice": "mine"],
                title: "Keep Both Files"
            )
        ]
        return state
    }

    private static func plain(_ name: String, _ label: String) -> SceneDescription.State {
        SceneDescription.State(name: name, label: label, detail: nil, acts: [])
    }
}
