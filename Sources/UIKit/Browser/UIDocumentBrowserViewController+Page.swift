internal import FileSystem
internal import Foundation
internal import SyncMessages
internal import UniformTypeIdentifiers

extension UIDocumentBrowserViewController {
    // MARK: What the page is told

    func description(tint: UIColor) -> SceneDescription.Browser {
        SceneDescription.Browser(
            id: pageIdentifier,
            title: AppInfo.main.displayName,
            style: styleName,
            tint: tint.hexadecimal,
            canCreate: allowsDocumentCreation && delegate != nil,
            createTitle: localizedCreateDocumentActionTitle,
            allowsMultiple: allowsPickingMultipleItems,
            showsExtensions: shouldShowFileExtensions,
            folder: model.folder,
            path: model.path.map { SceneDescription.Step(id: $0.id, name: $0.name) },
            leading: additionalLeadingNavigationBarButtonItems.map(SceneDescription.Bar.init),
            trailing: additionalTrailingNavigationBarButtonItems.map(SceneDescription.Bar.init),
            actions: customActions.map(description),
            undo: model.history.undoTitle,
            redo: model.history.redoTitle,
            explained: model.explanation.map(description),
            largeChanges: model.largeChanges?.known.waiting.map(description) ?? [],
            lastLargeChange: model.largeChanges?.known.last.map(description)
        )
    }

    private var styleName: String {
        switch browserUserInterfaceStyle {
        case .white: "white"
        case .light: "light"
        case .dark: "dark"
        }
    }

    private func description(of action: UIDocumentBrowserAction) -> SceneDescription.Action {
        SceneDescription.Action(
            id: action.identifier,
            title: action.localizedTitle,
            menu: action.availability.contains(.menu),
            bar: action.availability.contains(.navigationBar),
            types: types(of: action),
            multiple: action.supportsMultipleItems
        )
    }

    /// The types of items that an action is for, spelled out as the page compares them; none means all.
    private func types(of action: UIDocumentBrowserAction) -> [String] {
        let named = action.supportedContentTypes
        if named.contains(UTType.item.identifier) { return [] }
        let supported = named.compactMap { UTType($0) }
        let shown = Set(model.items.values.map(\.typeIdentifier)).filter { identifier in
            guard let type = UTType(identifier) else { return false }
            return supported.contains { type.conforms(to: $0) }
        }
        return shown.union(named).sorted()
    }

    var itemDescriptions: [SceneDescription.Item] {
        let open = Set(OpenDocuments.all.map(\.fileURL.path))
        return model.items.values.sorted { $0.id < $1.id }.map { describe($0, open) }
    }

    private func describe(_ item: FolderItem, _ open: Set<String>) -> SceneDescription.Item {
        SceneDescription.Item(
            id: item.id,
            name: item.name,
            title: title(of: item),
            kind: item.kind.rawValue,
            type: item.typeIdentifier,
            typeTitle: item.typeTitle,
            icon: icon(of: item),
            openable: item.kind == .document && item.isReachable,
            size: item.byteCount,
            modified: (item.modificationDate.timeIntervalSince1970 * 1000).rounded(),
            open: open.contains(item.url.path),
            sync: syncDescription(of: item)
        )
    }

    func title(of item: FolderItem) -> String {
        let hidesExtension = item.kind == .document && !shouldShowFileExtensions
        return hidesExtension ? (item.name as NSString).deletingPathExtension : item.name
    }

    private func icon(of item: FolderItem) -> String {
        if item.kind == .folder { return "folder" }
        if item.isPackage { return "package" }
        guard let type = UTType(item.typeIdentifier) else { return "document" }
        if type.conforms(to: .image) { return "image" }
        return item.kind == .file && type.conforms(to: .text) ? "text" : "document"
    }

    // MARK: What people do in it

    func perform(
        _ verb: Substring,
        _ arguments: Acts.Arguments,
        tab: TabSession,
        _ answer: @escaping Acts.Answer
    ) throws {
        switch verb {
        case "enter":
            model.show(folder: try arguments.text("folder"))
            answer(.success(nil))
        case "open":
            try open(arguments.texts("items"), answer)
        case "create":
            create(answer)
        case "folder":
            model.createFolder(named: try arguments.text("name"), finish("New Folder", answer))
        case "rename":
            let item = try arguments.text("item")
            let name = try arguments.text("name")
            model.rename(
                item,
                to: name,
                showsExtension: shouldShowFileExtensions || model.items[item]?.kind == .file,
                finish("Rename", answer)
            )
        case "duplicate":
            model.duplicate(arguments.texts("items"), finish("Duplicate", answer))
        case "move":
            model.move(arguments.texts("items"), into: try arguments.text("folder"), finish("Move", answer))
        case "trash":
            model.trash(arguments.texts("items"), finish("Move to Trash", answer))
        case "undo":
            try undo(arguments, answer)
        case "redo":
            model.step(back: false, finish("Redo", answer))
        case "explain", "explained":
            model.explain(try verb == "explain" ? items(arguments).first : nil)
            answer(.success(nil))
        case "evict":
            let items = try items(arguments)
            let what = items.allSatisfy(\.isEvicted) ? "Cancel Download" : "Remove Download"
            perform(what, items, answer) {
                try FileManager.default.evictUbiquitousItem(at: $0)
            }
        case "download":
            perform("Download", try items(arguments), answer) {
                try FileManager.default.startDownloadingUbiquitousItem(at: $0)
            }
        case "pause":
            perform("Pause", try items(arguments), answer) {
                try FileManager.default.pauseSyncNow(at: $0, by: AppInfo.main.displayName)
            }
        case "resume":
            perform("Resume", try items(arguments), answer) { try FileManager.default.resumeSyncNow(at: $0) }
        case "decide", "goBack": try performAboutLargeChanges(verb, arguments, answer)
        case "cancel":
            model.awaited.cancel(arguments.texts("items"))
            answer(.success(nil))
        case "import":
            try importBatch(arguments.text("batch"), into: arguments.text("folder"), tab, answer)
        case "abandon":
            AppHost.current?.dropUploads(try arguments.text("batch"), of: tab.session.persistentIdentifier)
            answer(.success(nil))
        case "action":
            try act(arguments.text("action"), on: arguments.texts("items"))
            answer(.success(nil))
        default:
            throw Acts.Refusal("That cannot be done", "The browser has no “\(verb)”.")
        }
    }

    /// Answers with the items that came of it, or says what went wrong.
    private func finish(_ what: String, _ answer: @escaping Acts.Answer) -> BrowserModel.Finish {
        { [model] result in
            switch result {
            case .success(let outcome):
                if let failure = outcome.failures.first {
                    answer(.failure(Acts.Refusal("\(what) was not possible", failure.fullText)))
                } else {
                    let ids = outcome.items.map(\.id)
                    answer(
                        .success([
                            "item": ids.first.map { $0 as Any } ?? NSNull(), "items": ids,
                            "deed": model.history.lastNumber.map { $0 as Any } ?? NSNull(),
                        ])
                    )
                }
            case .failure(let error as CocoaError) where error.code == .userCancelled:
                answer(.success(["calledOff": true]))
            case .failure(let error):
                let text = (error as? BrowserError)?.fullText ?? error.localizedDescription
                answer(.failure(Acts.Refusal("\(what) was not possible", text)))
            }
        }
    }

    /// Takes back what was done last; where a deed is named, only while it is that.
    private func undo(_ arguments: Acts.Arguments, _ answer: @escaping Acts.Answer) throws {
        if let deed = arguments.values["deed"] as? Int, deed != model.history.lastNumber {
            throw Acts.Refusal("Undo was not possible", "Something else has been done since.")
        }
        model.step(back: true, finish("Undo", answer))
    }

    private func urls(_ ids: [String]) -> [URL] {
        ids.compactMap { model.items[$0]?.url }
    }

    private func open(_ ids: [String], _ answer: @escaping Acts.Answer) throws {
        let chosen = ids.compactMap { model.items[$0] }
        guard !chosen.isEmpty else {
            throw Acts.Refusal("It cannot be opened", "It is not there any more.")
        }
        if let unknown = chosen.first(where: { $0.kind != .document || !$0.isReachable }) {
            throw Acts.Refusal(
                "“\(unknown.name)” cannot be opened",
                "\(AppInfo.main.displayName) does not know this kind of item (\(unknown.typeTitle))."
            )
        }
        let wanted = allowsPickingMultipleItems ? chosen : [chosen[0]]
        let missing = wanted.filter(\.isEvicted)
        guard !missing.isEmpty else {
            pick(wanted.map(\.url))
            return answer(.success(nil))
        }
        fetch(missing, answer) { [self] places in pick(wanted.map { places[FilePath($0.id)] ?? $0.url }) }
    }

    private func pick(_ picked: [URL]) {
        // The location is given as a whole; a link in it that was chosen gives what it leads to.
        for url in picked { SecurityScope.shared.grant(url) }
        delegate?.documentBrowser(self, didPickDocumentsAt: picked)
    }

    private func create(_ answer: @escaping Acts.Answer) {
        guard allowsDocumentCreation, let delegate else {
            answer(.failure(Acts.Refusal("Nothing can be created here", "This app opens documents only.")))
            return
        }
        let folder = model.folder
        delegate.documentBrowser(self) { [self] url, mode in
            guard let url, mode != .none else {
                answer(.success(nil))
                return
            }
            takeIn(url, mode: mode, folder: folder) { result in
                switch result {
                case .success: answer(.success(nil))
                case .failure(let error):
                    let text = (error as? BrowserError)?.fullText ?? error.localizedDescription
                    answer(.failure(Acts.Refusal("The document could not be created", text)))
                }
            }
        }
    }

    private func importBatch(
        _ batch: String,
        into folder: String,
        _ tab: TabSession,
        _ answer: @escaping Acts.Answer
    ) throws {
        guard let home = AppHost.current?.takeUploads(batch, of: tab.session.persistentIdentifier) else {
            throw Acts.Refusal("Nothing was imported", "The files did not arrive. Try again.")
        }
        let found = try FileManager.default.contentsOfDirectory(at: home, includingPropertiesForKeys: nil)
        let report = finish("Import", answer)
        model.importItems(at: found, into: folder, mode: .move) { result in
            // An upload that could not be moved in lies in a temporary folder of this process.
            try? FileManager.default.removeItem(at: home)
            report(result)
        }
    }

    private func act(_ identifier: String, on ids: [String]) throws {
        guard let action = customActions.first(where: { $0.identifier == identifier }) else {
            throw Acts.Refusal("This action has gone", "Reload the page to see what can be done.")
        }
        action.handler(urls(ids))
    }
}

extension BrowserError {
    /// What went wrong, and what to do.
    var fullText: String {
        [errorDescription, recoverySuggestion].compactMap { $0 }.joined(separator: " ")
    }
}
