import Foundation
import Testing
import UIKit

@testable import UIKit

@Suite("Who writes by means of its own")
@MainActor
struct WritingOverrideTests {
    class Plain: UIDocument {
        var text = "new"
        required override init(fileURL url: URL) { super.init(fileURL: url) }
        override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }
        override func load(fromContents contents: Any, ofType typeName: String?) throws {}
    }

    final class Generic<Value>: UIDocument {
        var value: Value?
    }

    class Own: Plain {
        override func writeContents(
            _ contents: Any,
            to url: URL,
            for saveOperation: SaveOperation,
            originalContentsURL: URL?
        ) throws {
            try Data("own".utf8).write(to: url, options: .atomic)
        }
    }

    final class Inheriting: Own {}

    final class Safely: Plain {
        override func writeContents(
            _ contents: Any,
            andAttributes additionalFileAttributes: [AnyHashable: Any]? = nil,
            safelyTo url: URL,
            for saveOperation: SaveOperation
        ) throws {
            try super.writeContents(contents, andAttributes: nil, safelyTo: url, for: saveOperation)
        }
    }

    @Test(arguments: [Plain.self, Generic<Int>.self, Safely.self, UIDocument.self])
    func whoDoesNotOverrideIsKnown(_ type: UIDocument.Type) {
        #expect(!WritingOverride.isOverridden(by: type))
    }

    @Test(arguments: [Own.self, Inheriting.self])
    func whoOverridesIsKnown(_ type: UIDocument.Type) {
        #expect(WritingOverride.isOverridden(by: type))
    }

    @Test(
        arguments: [(Plain.self, "new"), (Safely.self, "new"), (Inheriting.self, "own")]
            as [(Plain.Type, String)]
    )
    func eachIsWrittenAsItWants(_ type: Plain.Type, _ text: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Letter.txt")
        try Data("old".utf8).write(to: url)
        let document = type.init(fileURL: url)
        #expect(await document.open())
        #expect(await document.save(to: url, for: .forOverwriting))
        #expect(try String(contentsOf: url, encoding: .utf8) == text)
        #expect(await document.close())
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Letter.txt"])
    }
}
