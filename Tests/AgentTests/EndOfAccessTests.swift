import Coordination
import DocumentFoundation
import Foundation
import LocalSockets
import TestThreads
import Testing

/// When an agent hears that an access is over.
@Suite("The end of an access", .onOwnThreads, .serialized)
struct EndOfAccessTests {
    @Test(
        "That an item has appeared is told at once where somebody hears of it: who dies first has not told it"
    )
    func appearance() throws {
        try withAgent { scene, registry, agent in
            let url = scene.root.appendingPathComponent("new.txt")
            try write(url, registry, agent)
            #expect(agent.hasNews)
            let outcomes = try agent.next { $0.outcomes }
            #expect(outcomes == [WriteOutcome(existedBefore: false, existsAfter: true)])
        }
    }

    @Test("That an item has changed, which is supposed of one who dies, is told with what comes next")
    func change() throws {
        try withAgent { scene, registry, agent in
            let url = try scene.file("note.txt")
            try write(url, registry, agent)
            // What comes next does not overtake it.
            let next = try begin(url, registry)
            #expect(try agent.next { $0.requested == nil ? $0.outcomes : [] } == [.changed])
            try finish(next, agent)
            // It comes also when nothing follows.
            #expect(try agent.next { $0.outcomes } == [.changed])
        }
    }

    @Test("Until it is told, the end is posted; after somebody has asked, the next one is told at once")
    func posted() throws {
        try withAgent { scene, registry, agent in
            let url = try scene.file("note.txt")
            let access = try begin(url, registry)
            let id = try agent.nextRequest()
            agent.send(.granted(id, [], isObserved: true))
            #expect(access.wait(timeout: .now() + 60) == .success)
            let names = try scene.runtime.folder(AgentPlace.clientFolderName).names()
            let name = try #require(names.first)
            #expect(names.count == 1)
            let place = try scene.runtime.folder(AgentPlace.clientFolderName).place(of: name)
            #expect(NoticeBoard.ask(at: place) == id.number)
            _ = try agent.next { $0.ended }
            try write(url, registry, agent)
            #expect(agent.hasNews)
        }
    }

    @Test("An end is not posted that would overtake what was said of a move")
    func moved() throws {
        try withAgent { scene, registry, agent in
            let (url, isDone) = (try scene.file("note.txt"), DispatchSemaphore(value: 0))
            let target = scene.root.appendingPathComponent("other.txt")
            Thread.detachNewThread {
                let coordinator = NSFileCoordinator(filePresenter: nil, registry: registry)
                coordinator.coordinate(writingItemAt: url, error: nil) {
                    coordinator.item(at: $0, didMoveTo: target)
                }
                isDone.signal()
            }
            let id = try agent.nextRequest()
            agent.send(.granted(id, [], isObserved: true))
            #expect(isDone.wait(timeout: .now() + 60) == .success)
            let folder = try scene.runtime.folder(AgentPlace.clientFolderName)
            let place = folder.place(of: try #require(try folder.names().first))
            #expect(NoticeBoard.ask(at: place) != id.number)
            _ = try agent.next { $0.ended }
            // The next request is granted after all that has been read.
            let next = try begin(url, registry)
            let nextID = try agent.nextRequest()
            agent.send(.granted(nextID, [], isObserved: false))
            #expect(next.wait(timeout: .now() + 60) == .success)
            _ = try agent.next { $0.ended }
        }
    }

    /// Writes an item, with an agent that lets it and says that others have presenters.
    private func write(_ url: URL, _ registry: FileAccessRegistry, _ agent: ScriptedAgent) throws {
        try finish(try begin(url, registry), agent)
    }

    /// Asks for access to write an item.
    ///
    /// - Returns: What is signalled when it is over.
    private func begin(_ url: URL, _ registry: FileAccessRegistry) throws -> DispatchSemaphore {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var error: NSError?
            NSFileCoordinator(filePresenter: nil, registry: registry).coordinate(
                writingItemAt: url,
                error: &error
            ) {
                do { try Data("text".utf8).write(to: $0) } catch { Issue.record(error) }
            }
            #expect(error == nil)
            isDone.signal()
        }
        return isDone
    }

    private func finish(_ isDone: DispatchSemaphore, _ agent: ScriptedAgent) throws {
        agent.send(.granted(try agent.nextRequest(), [], isObserved: true))
        #expect(isDone.wait(timeout: .now() + 60) == .success)
    }

    private func withAgent(_ body: (AgentScene, FileAccessRegistry, ScriptedAgent) throws -> Void) throws {
        try withScene { scene in
            let registry = try scene.registry()
            let (url, isDone) = (try scene.file("first.txt"), DispatchSemaphore(value: 0))
            let agent = try ScriptedAgent(in: scene.runtime) {
                Thread.detachNewThread {
                    NSFileCoordinator(filePresenter: nil, registry: registry)
                        .coordinate(readingItemAt: url, error: nil) { _ in }
                    isDone.signal()
                }
            }
            try finish(isDone, agent)
            _ = try agent.next { $0.ended }
            try body(scene, registry, agent)
        }
    }
}

extension ArbiterEvent {
    fileprivate var outcomes: [WriteOutcome]? {
        if case .ended(_, let outcomes) = self { outcomes } else { nil }
    }
}
