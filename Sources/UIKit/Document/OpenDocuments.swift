/// The documents of this process that are open, so that they can be saved before it ends and be shown as open.
@MainActor
package enum OpenDocuments {
    private final class Reference {
        weak var document: UIDocument?
        init(_ document: UIDocument) { self.document = document }
    }

    private static var references: [ObjectIdentifier: Reference] = [:]

    /// Those open now, in no order.
    package static var all: [UIDocument] {
        references = references.filter { $0.value.document != nil }
        return references.values.compactMap(\.document)
    }

    static func insert(_ document: UIDocument) {
        references[ObjectIdentifier(document)] = Reference(document)
        SceneUpdates.request()
    }

    static func remove(_ document: UIDocument) {
        references[ObjectIdentifier(document)] = nil
        SceneUpdates.request()
    }

    /// Saves what is unsaved in all of them, as they would soon do by themselves: what is deleted does not come back.
    package static func autosave() {
        for document in all { document.autosaveWhereItIs() }
    }

    /// Saves and closes all of them, those too that are opened meanwhile, then calls back with those that could not be saved.
    package static func closeAll(then finish: @escaping ([UIDocument]) -> Void) {
        closeRest(besides: [], then: finish)
    }

    private static func closeRest(
        besides failed: [UIDocument],
        then finish: @escaping ([UIDocument]) -> Void
    ) {
        let documents = all.filter { document in !failed.contains { $0 === document } }
        var unsaved = failed
        var remaining = documents.count
        guard remaining > 0 else {
            finish(unsaved)
            return
        }
        for document in documents {
            document.close { success in
                if !success { unsaved.append(document) }
                remaining -= 1
                if remaining == 0 { closeRest(besides: unsaved, then: finish) }
            }
        }
    }
}

extension UIDocument {
    /// The document of this class that is open at a place, for another window to show the same one.
    ///
    /// Ours: where two windows show one file, sharing the document keeps them in step and undo in order.
    public static func opened(at url: URL) -> Self? {
        let place = UIDocument.place(meantBy: url)
        return OpenDocuments.all.lazy.compactMap { $0 as? Self }.first { $0.fileURL == place }
    }
}
