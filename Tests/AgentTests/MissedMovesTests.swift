import Agent
import DocumentFoundation
import Foundation
import TestThreads
import Testing

@Suite("Moves that an agent did not tell of any more", .onOwnThreads, .serialized)
struct MissedMovesTests {
    @Test(
        "Who presents an item hears where it was moved, however the agent went that would have told",
        arguments: [false, true]
    )
    func missedMove(isAnnouncedFirst: Bool) throws {
        try withScene { scene in
            try scene.begin()
            let registry = try scene.registry()
            let (url, target) = (try scene.file("note.txt"), scene.root.appendingPathComponent("moved.txt"))
            let presenter = NotingPresenter(url)
            registry.add(presenter)
            let coordinator = NSFileCoordinator(filePresenter: nil, registry: registry)
            coordinator.coordinate(writingItemAt: url, options: .forMoving, error: nil) { url in
                do { try FileManager.default.moveItem(at: url, to: target) } catch { Issue.record(error) }
                if isAnnouncedFirst { coordinator.item(at: url, didMoveTo: target) }
                scene.end()
                while registry.isJoined {}
                if !isAnnouncedFirst { coordinator.item(at: url, didMoveTo: target) }
                do { try scene.begin() } catch { Issue.record(error) }
                while !registry.isJoined {}
            }
            #expect(presenter.wait(for: "moved to moved.txt"))
            // It is asked where its item is now, after all that it was told.
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(readingItemAt: target, options: .withoutChanges, error: nil) { _ in }
            #expect(presenter.wait(for: "reader"))
            #expect(presenter.noted.count { $0 == "moved to moved.txt" } == 1, "\(presenter.noted)")
        }
    }
}
