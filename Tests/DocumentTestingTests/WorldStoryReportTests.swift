import Foundation
import TestThreads
import Testing
import UIKit

@testable import DocumentTesting

/// What is printed of a story that goes wrong.
@Suite("Reports of stories", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldStoryReportTests {
    private static let make = WorldDeed.make(on: 0, kind: 0, folder: 0, name: 0)
    private let story = WorldStory(
        seed: 1,
        deviceCount: 1,
        deeds: (1...8).map { .pass(milliseconds: $0) } + [make]
    )

    private func ending(_ wrong: [StoryFault]) -> WorldStory.Ending {
        WorldStory.Ending(
            wrong: wrong,
            told: ["something happens"],
            editCount: 1,
            packageLookCount: 0,
            hubCrashCount: 0,
            hubRestoreCount: 0,
            restoreCount: 0
        )
    }

    private let lost = [StoryFault(.lost, "edits are lost")]

    @Test(
        "A story that goes wrong once and never again is said to do so, and no shorter one is given out for it"
    )
    func once() async {
        let never = await story.report(of: ending(lost), written: "") { _ in ending([]) }
        #expect(
            never.contains("No shorter story goes wrong. Told 3 times more, this one goes wrong in 0 of them")
        )
        // The first shorter one goes wrong, once.
        var count = 0
        let once = await story.report(of: ending(lost), written: "") { _ in
            count += 1
            return ending(count == 1 ? lost : [])
        }
        let said =
            "Shorter ones went wrong, and did not again. Told 3 times more, this one goes wrong in 0 of them"
        #expect(once.contains(said), "\(once)")
        #expect(!once.contains("In "), "\(once)")
    }

    @Test(
        "Where the shortest story that went wrong does not again, a longer one is told that does, and how often"
    )
    func longer() async {
        var counts: [Int: Int] = [:]
        // With fewer than five deeds it goes wrong once in a telling of its kind; else in two of three.
        let said = await story.report(of: ending(lost), written: "") { story in
            let size = story.deeds.count
            counts[size, default: 0] += 1
            let isWrong = size < 5 ? counts[size] == 1 : counts[size, default: 0] % 3 != 0
            return ending(isWrong ? lost : [])
        }
        let found = said.split(separator: "\n").first { $0.hasPrefix("In ") }
        let size = found.flatMap { Int($0.dropFirst(3).prefix { $0.isNumber }) }
        #expect(size.map { $0 >= 5 && $0 < 9 } == true, "\(said)")
        #expect(found?.hasSuffix("which went wrong in 2 of 3 tellings:") == true, "\(said)")
    }

    private func note(_ edit: @escaping @MainActor @Sendable (Note, String) throws -> Void) -> StoryKind {
        StoryKind("note", Note.init) { note, mark, _ in try edit(note, mark) }
    }

    @Test("Kinds of somebody's own of which nobody says how they are written are a gap in the test")
    func unwritten() async throws {
        let forgetful = note { note, _ in note.text = "nothing of it\n" }
        let story = WorldStory(seed: 1, deviceCount: 1, deeds: [Self.make])
        let report = try #require(try await story.report([forgetful]))
        #expect(!report.contains("run()") && report.contains("story.run(<#"), "\(report)")
        #expect(report.contains("// It was told with kinds of your own"), "\(report)")
        #expect(StoryKind.written(StoryKind.all) == "")
        #expect(StoryKind.written([.text, .album]) == "[.text, .album]")
        #expect(story.test().contains("story.run().faults"))
    }

    @Test("What an error says in several lines is a comment in each of them")
    func lines() async throws {
        struct TwoLines: Error, CustomStringConvertible { let description = "one line,\nand another" }
        let failing = note { _, _ in throw TwoLines() }
        let story = WorldStory(seed: 1, deviceCount: 1, deeds: [Self.make])
        let test = story.test(try await story.run([failing]), kinds: "[failing]")
        let lines = test.split(separator: "\n")
        let head = lines.dropFirst().prefix { !$0.contains("let story") }
        #expect(head.contains { $0.contains("and another") }, "\(test)")
        #expect(head.allSatisfy { $0.hasPrefix("    // ") }, "\(test)")
    }
}

/// A text that is added to.
private final class Note: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}
