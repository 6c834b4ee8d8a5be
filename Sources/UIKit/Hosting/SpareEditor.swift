/// An address that a tab holds a frame ready at, before there is a document: the next editor that is made of a document
/// of the same path gets it. See `Page/scene-stage/spare-frame.js`.
@MainActor
final class SpareEditor {
    /// The document's path below its folder, as it stands in an address.
    let path: String
    private let key = EditorFiles.newKey()
    private var isTaken = false

    init(path: String) {
        self.path = path
        EditorFiles.set(.nothingYet, for: key)
    }

    isolated deinit {
        if !isTaken { EditorFiles.remove(key) }
    }

    var address: String { EditorFiles.address(key, path) }

    /// The key, which is the taker's from now on.
    func take() -> String {
        isTaken = true
        return key
    }
}
