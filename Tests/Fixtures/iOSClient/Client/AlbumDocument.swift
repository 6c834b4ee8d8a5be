import UIKit
import UniformTypeIdentifiers

extension UTType {
    static let album = UTType(exportedAs: "org.sheaf.album", conformingTo: .package)
}

/// A text and a cover in a package.
class AlbumDocument: UIDocument {
    enum AlbumError: Error {
        case notAPackage
        case damagedCover
    }

    private static let textName = "text.txt"
    private static let coverName = "cover.archive"

    private var package = FileWrapper(directoryWithFileWrappers: [:])

    /// An edit of it can be undone.
    var text = "" {
        didSet {
            guard text != oldValue else { return }
            undoManager.registerUndo(withTarget: self) { $0.text = oldValue }
            undoManager.setActionName("Typing")
        }
    }

    private var storedCover = Cover(title: "Untitled", year: 2000)

    /// An edit of it can be undone.
    var cover: Cover {
        get { storedCover }
        set {
            let old = storedCover
            undoManager.registerUndo(withTarget: self) { document in
                document.cover = old
            }
            undoManager.setActionName("Change Cover")
            storedCover = newValue
        }
    }

    override func contents(forType typeName: String) throws -> Any {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: storedCover,
            requiringSecureCoding: true
        )
        put(Data(text.utf8), named: Self.textName)
        put(archive, named: Self.coverName)
        return package
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let wrapper = contents as? FileWrapper, let members = wrapper.fileWrappers else {
            throw AlbumError.notAPackage
        }
        undoManager.disableUndoRegistration()
        defer { undoManager.enableUndoRegistration() }
        if let data = members[Self.textName]?.regularFileContents {
            text = String(data: data, encoding: .utf8) ?? ""
        }
        if let data = members[Self.coverName]?.regularFileContents {
            guard let cover = try NSKeyedUnarchiver.unarchivedObject(ofClass: Cover.self, from: data) else {
                throw AlbumError.damagedCover
            }
            storedCover = cover
        }
        package = wrapper
    }

    private func put(_ data: Data, named name: String) {
        if let old = package.fileWrappers?[name] {
            guard old.regularFileContents != data else { return }
            package.removeFileWrapper(old)
        }
        let member = FileWrapper(regularFileWithContents: data)
        member.preferredFilename = name
        package.addFileWrapper(member)
    }
}
