import Foundation
import Testing
import UIKit

/// A package of texts. Reads no member that nobody asks for.
final class MemberDocument: UIDocument {
    private var top = FileWrapper(directoryWithFileWrappers: [:])

    override func contents(forType typeName: String) throws -> Any { top }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        top = try #require(contents as? FileWrapper)
    }

    func write(_ text: String, to name: String) {
        if let member = top.fileWrappers?[name] { top.removeFileWrapper(member) }
        top.addRegularFile(withContents: Data(text.utf8), preferredFilename: name)
        updateChangeCount(.done)
    }

    func remove(_ name: String) {
        if let member = top.fileWrappers?[name] { top.removeFileWrapper(member) }
        updateChangeCount(.done)
    }

    func text(of name: String) -> String? {
        top.fileWrappers?[name]?.regularFileContents.map { String(decoding: $0, as: UTF8.self) }
    }
}
