import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

/// That documents which cannot be used are faults of a story.
@Suite("Documents that fail in stories", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldStoryFailuresTests {
    private static let make = WorldDeed.make(on: 0, kind: 0, folder: 0, name: 0)

    @Test("Documents that cannot be made are a fault, though nothing was acknowledged that could be lost")
    func unmade() async throws {
        let story = WorldStory(seed: 1, deviceCount: 1, deeds: [Self.make, Self.make])
        let ending = try await story.run([StoryKind("note", Unsaved.init) { _, _, _ in }])
        #expect(!ending.faults.isEmpty)
        #expect(ending.editCount == 0)
        #expect(ending.faults.allSatisfy { $0.contains("cannot be saved: ") }, "\(ending.faults)")
    }

    @Test("A document that cannot be opened any more, as two devices have edited it, is a fault")
    func unopened() async throws {
        let lonely = StoryKind("txt", Lonely.init) { text, mark, device in text.add(mark, device) }
        let deeds: [WorldDeed] = [Self.make, .rest, .edit(on: 1, item: 0), .rest]
        for more in [[], [WorldDeed.edit(on: 0, item: 0)]] {
            let ending = try await WorldStory(seed: 1, deviceCount: 2, deeds: deeds + more).run([lonely])
            #expect(ending.faults.contains { $0.contains("cannot be opened: ") }, "\(ending.faults)")
        }
    }
}

/// One of which nobody gets anything.
private final class Unsaved: UIDocument {
    override func contents(forType typeName: String) throws -> Any { throw CocoaError(.featureUnsupported) }
}

/// A text that takes in nothing that two devices have edited.
private final class Lonely: UIDocument {
    private var lines = ["top", "one", "two", "three", "four", "bottom"]

    func add(_ mark: String, _ device: Int) {
        lines.insert("\(device) \(mark)", at: device == 0 ? 1 : lines.count - 1)
    }

    override func contents(forType typeName: String) throws -> Any {
        Data(lines.map { $0 + "\n" }.joined().utf8)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        lines = String(decoding: contents as? Data ?? Data(), as: UTF8.self).split(separator: "\n").map(
            String.init
        )
        let isOfTwo = ["0 ", "1 "].allSatisfy { device in lines.contains { $0.hasPrefix(device) } }
        if isOfTwo { throw CocoaError(.fileReadCorruptFile) }
    }
}
