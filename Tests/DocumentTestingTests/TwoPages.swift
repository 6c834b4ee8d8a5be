import Foundation
import UIKit

/// A package whose files belong together.
final class TwoPages: UIDocument {
    var page = ""

    override func contents(forType typeName: String) throws -> Any {
        let files = ["front.txt", "back.txt"].map {
            ($0, FileWrapper(regularFileWithContents: Data(page.utf8)))
        }
        return FileWrapper(directoryWithFileWrappers: Dictionary(uniqueKeysWithValues: files))
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        let files = (contents as? FileWrapper)?.fileWrappers ?? [:]
        page = String(decoding: files["front.txt"]?.regularFileContents ?? Data(), as: UTF8.self)
    }
}
