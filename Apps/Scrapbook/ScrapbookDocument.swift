import UIKit

/// A picture and a text in a package. Either may be missing.
class ScrapbookDocument: UIDocument {
    static let contentsDidChangeNotification = Notification.Name("ScrapbookDocumentContentsDidChange")
    /// In a notification's user info: what changed, a `Part`.
    nonisolated static let partKey = "part"

    enum Part {
        case text, picture, everything
    }

    struct Picture: Equatable {
        var type: String
        var data: Data
    }

    private static let textName = "text.txt"
    /// The file's name tells the picture's format; the bytes are kept as they were given.
    private static let pictureNames = ["image/png": "image.png", "image/jpeg": "image.jpg"]

    /// The package as it is on disk, with what has changed since. A member is read when it is asked for.
    private var package = FileWrapper(directoryWithFileWrappers: [:])
    private var isTyping = false

    override func contents(forType typeName: String) throws -> Any {
        package
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let wrapper = contents as? FileWrapper, wrapper.isDirectory else {
            throw CocoaError(
                .fileReadCorruptFile,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "A scrapbook is a folder with a picture and a text; this is a plain file."
                ]
            )
        }
        // A wrapper of another kind has no bytes to give, and typing would put a file in place of what it holds.
        for name in [Self.textName] + Self.pictureNames.values
        where wrapper.fileWrappers?[name].map(\.isRegularFile) == false {
            throw CocoaError(
                .fileReadCorruptFile,
                userInfo: [
                    NSLocalizedDescriptionKey: "What is named “\(name)” in this scrapbook is no file."
                ]
            )
        }
        package = wrapper
        isTyping = false
        announce(.everything)
    }

    // MARK: The text

    var text: String? {
        package.fileWrappers?[Self.textName]?.regularFileContents.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Changes the text. What is typed until `endTyping()` is one step to undo.
    func typeText(_ newText: String?) {
        let oldText = text
        if newText != oldText {
            if isTyping {
                updateChangeCount(.done)
            } else {
                registerUndo("Typing") { $0.replaceText(oldText) }
            }
            put(newText.map { Data($0.utf8) }, named: Self.textName)
            announce(.text)
        }
        isTyping = true
    }

    /// What is typed from now on is another step.
    func endTyping() { isTyping = false }

    private func replaceText(_ newText: String?) {
        let oldText = text
        isTyping = false
        registerUndo("Typing") { $0.replaceText(oldText) }
        put(newText.map { Data($0.utf8) }, named: Self.textName)
        announce(.text)
    }

    // MARK: The picture

    var picture: Picture? {
        for (type, name) in Self.pictureNames {
            if let data = package.fileWrappers?[name]?.regularFileContents {
                return Picture(type: type, data: data)
            }
        }
        return nil
    }

    /// Puts another picture in place of the one there; nil takes it away.
    func setPicture(_ newPicture: Picture?) {
        let oldPicture = picture
        guard newPicture != oldPicture else { return }
        isTyping = false
        registerUndo(newPicture == nil ? "Remove Picture" : "Change Picture") { $0.setPicture(oldPicture) }
        for (type, name) in Self.pictureNames {
            put(newPicture?.type == type ? newPicture?.data : nil, named: name)
        }
        announce(.picture)
    }

    static func canHold(pictureOfType type: String) -> Bool {
        pictureNames[type] != nil
    }

    // MARK: Members

    private func put(_ data: Data?, named name: String) {
        if let old = package.fileWrappers?[name] { package.removeFileWrapper(old) }
        if let data { package.addRegularFile(withContents: data, preferredFilename: name) }
    }

    private func registerUndo(
        _ actionName: String,
        _ handler: @escaping @MainActor @Sendable (ScrapbookDocument) -> Void
    ) {
        undoManager.registerUndo(withTarget: self, handler: handler)
        undoManager.setActionName(actionName)
    }

    private func announce(_ part: Part) {
        NotificationCenter.default.post(
            name: Self.contentsDidChangeNotification,
            object: self,
            userInfo: [Self.partKey: part]
        )
    }
}
