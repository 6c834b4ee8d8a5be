import DocumentFoundation
import DocumentTesting
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What apps do with items while their contents come.
@Suite("While contents come", .onOwnThreads, .timeLimit(.minutes(2)))
struct ComingContentsTests {
    private let pair: DevicePair
    private var two: TestDevice { pair.two }
    private let files = FileManager.default

    init() throws { pair = try DevicePair.holding("text", as: "a.txt") }

    private func url(_ name: String) -> URL { two.folder.appendingPathComponent(name) }

    /// Runs something while the second device is kept in step by a process that answers.
    private func served(_ body: (UbiquityAccount) throws -> Void) throws {
        let (account, end) = try pair.serve()
        defer { end() }
        try UbiquityAccount.$shared.withValue(account) { try body(account) }
    }

    /// Where a coordinated reader finds an item, and with what in it.
    private static func read(_ url: URL, isAsync: Bool, _ found: @escaping @Sendable (String) -> Void) {
        let say: @Sendable (URL?, (any Error)?) -> Void = { place, error in
            let text = place.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? "nothing"
            found(error.map { "\($0)" } ?? "\(place?.lastPathComponent ?? ""): \(text)")
        }
        guard isAsync else {
            var failure: NSError?
            NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { say($0, nil) }
            if let failure { say(nil, failure) }
            return
        }
        let intent = NSFileAccessIntent.readingIntent(with: url)
        NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) { say(intent.url, $0) }
    }

    @Test(
        "Who reads an item that is moved while its contents come finds it where it is",
        arguments: [false, true]
    )
    func moved(isAsync: Bool) throws {
        try served { account in
            let (source, target) = (url("a.txt"), url("b.txt"))
            try files.evictUbiquitousItem(at: source)
            pair.wait { two.said.contains(.freed) }
            let (found, ended) = (Locked(""), DispatchSemaphore(value: 0))
            let reader = Thread {
                UbiquityAccount.$shared.withValue(account) {
                    Self.read(source, isAsync: isAsync) { text in
                        found.withLock { $0 = text }
                        ended.signal()
                    }
                }
            }
            var failure: NSError?
            let coordinator = NSFileCoordinator()
            coordinator.coordinate(
                writingItemAt: source,
                options: [.forMoving, .leavingPlaceholder],
                writingItemAt: target,
                options: .forReplacing,
                error: &failure
            ) { _, _ in
                reader.start()
                // They have come, and wait to be put in place until the item has moved.
                pair.wait { two.status?.stuck["a.txt"] != nil }
                #expect(throws: Never.self) {
                    try files.moveItem(at: url(".a.txt.icloud"), to: url(".b.txt.icloud"))
                }
                coordinator.item(at: source, didMoveTo: target)
            }
            #expect(failure == nil)
            #expect(ended.wait(timeout: .now() + 60) == .success)
            #expect(found.withLock { $0 } == "b.txt: text")
            pair.wait { pair.one.contents == ["b.txt": "text"] && pair.isSettled }
        }
        pair.end()
    }
}
