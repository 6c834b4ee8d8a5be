import Foundation
import Testing
import UIKit

/// Each story has a process of its own, whose main actor waits for access.
@Suite("UIDocument and a main actor that waits", .timeLimit(.minutes(2)))
@MainActor
struct BlockedMainTests {
    /// What waits for ever ends the process.
    nonisolated private static let limitSeconds: UInt32 = 60

    @Test("Who waits on the main actor to read an open document that has nothing unsaved gets to read it")
    func reading() async {
        await #expect(processExitsWith: .success) { @MainActor in
            alarm(Self.limitSeconds)
            let playground = try Playground()
            let document = SignallingDocument(fileURL: try playground.put("one", at: "a.txt"))
            #expect(await document.open())
            #expect(read(document.fileURL) == "one")
            #expect(await document.close())
        }
    }

    @Test("A document takes its contents in while the main actor waits to write the file that it reads")
    func opening() async {
        await #expect(processExitsWith: .success) { @MainActor in
            alarm(Self.limitSeconds)
            let playground = try Playground()
            let document = SignallingDocument(fileURL: try playground.put("one", at: "a.txt"))
            let isOpen = await withCheckedContinuation { continuation in
                document.open { continuation.resume(returning: $0) }
                document.waitUntilReading()
                #expect(write("two", to: document.fileURL))
                #expect(document.text == "one")
            }
            #expect(isOpen)
            await wait(for: document) { document.text == "two" && document.documentState == .normal }
            #expect(await document.close())
        }
    }

    @Test("A document that reads itself anew lets the main actor read")
    func reverting() async {
        await #expect(processExitsWith: .success) { @MainActor in
            alarm(Self.limitSeconds)
            let playground = try Playground()
            let document = SignallingDocument(fileURL: try playground.put("one", at: "a.txt"))
            #expect(await document.open())
            document.waitUntilReading()
            let isReverted = await withCheckedContinuation { continuation in
                document.revert(toContentsOf: document.fileURL) { continuation.resume(returning: $0) }
                document.waitUntilReading()
                #expect(read(document.fileURL) == "one")
            }
            #expect(isReverted)
            #expect(await document.close())
        }
    }
}

/// Reads with coordination, on the main actor; nil where that was refused.
@MainActor
private func read(_ url: URL) -> String? {
    var text: String?
    NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { place in
        text = try? String(contentsOf: place, encoding: .utf8)
    }
    return text
}

/// Writes with coordination, on the main actor.
@MainActor
private func write(_ text: String, to url: URL) -> Bool {
    var isWritten = false
    NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { place in
        isWritten = (try? Data(text.utf8).write(to: place)) != nil
    }
    return isWritten
}

/// A document that says when it has been given access to read.
private final class SignallingDocument: UIDocument {
    private(set) var text = ""
    nonisolated private let isReading = DispatchSemaphore(value: 0)

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: try #require(contents as? Data), as: UTF8.self)
    }

    nonisolated override func read(from url: URL) throws {
        isReading.signal()
        try super.read(from: url)
    }

    /// Keeps the main actor from running until then.
    func waitUntilReading() { isReading.wait() }
}
