import Coordination
import DocumentFoundation
import Foundation
import Locks
import TestThreads
import Testing

@Suite("An agent that grants what was not asked for", .onOwnThreads, .serialized)
struct StrangeGrantTests {
    @Test("A grant of another number of items is an error for who asked, and given back", arguments: [1, 3])
    func otherCount(count: Int) throws {
        try withScene { scene in
            let registry = try scene.registry()
            let joiner = NotingPresenter(scene.root.appendingPathComponent("nothing"))
            let agent = try ScriptedAgent(in: scene.runtime) { registry.add(joiner) }
            while !registry.isJoined {}
            let url = try scene.file("note.txt")
            let (code, done) = (Locked(0), DispatchSemaphore(value: 0))
            let intents = ["one", "other"].map {
                NSFileAccessIntent.readingIntent(with: scene.root.appendingPathComponent($0))
            }
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(with: intents, queue: OperationQueue()) { error in
                    code.withLock { $0 = (error as NSError?)?.code ?? 0 }
                    done.signal()
                }
            let id = try agent.nextRequest()
            let item = try #require(ItemPath(url.path))
            agent.send(.granted(id, Array(repeating: item, count: count), isObserved: false))
            #expect(done.wait(timeout: .now() + 60) == .success)
            #expect(code.withLock { $0 } == CocoaError.Code.fileReadUnknown.rawValue)
            let ended = try agent.next { $0.ended }
            #expect(ended == id)
        }
    }
}
