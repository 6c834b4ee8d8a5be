import Coordination
import DocumentFoundation
import Foundation
import TestThreads
import Testing

/// What an agent that follows another is told of items that have moved since they were asked for.
@Suite("Claims on items that have moved, told to the next agent", .onOwnThreads, .serialized)
struct MovedClaimsTests {
    @Test("What is wanted in a package is the whole package still, when a folder around it has moved")
    func packageInside() throws {
        let former = PackageDirectories.isPackage
        PackageDirectories.isPackage = { former($0) || $0.pathExtension == "movedpackage" }
        try withAgent { scene, registry, agent in
            let (source, target) = (place("d", in: scene), place("e", in: scene))
            let member = source.appendingPathComponent("x.movedpackage/m")
            let done = DispatchSemaphore(value: 0)
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(with: [.writingIntent(with: member)], queue: OperationQueue()) { _ in
                    done.signal()
                }
            _ = try agent.nextRequest()
            NSFileCoordinator(filePresenter: nil, registry: registry).item(at: source, didMoveTo: target)
            agent.end()
            let next = try ScriptedAgent(in: scene.runtime) {}
            let request = try next.next { $0.wanted }
            #expect(request.claims.map(\.item.string) == [target.path + "/x.movedpackage/m"])
            #expect(request.claims.flatMap(\.packages).map(\.string) == [target.path + "/x.movedpackage"])
            next.send(.granted(request.id, [], isObserved: false))
            #expect(done.wait(timeout: .now() + 60) == .success)
        }
    }

    @Test("However often an item goes back and forth while it is written, each place is claimed once")
    func backAndForth() throws {
        try withAgent { scene, registry, agent in
            let (one, other) = (place("one", in: scene), place("other", in: scene))
            let coordinator = NSFileCoordinator(filePresenter: nil, registry: registry)
            let (isRunning, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let done = DispatchSemaphore(value: 0)
            coordinator.coordinate(with: [.writingIntent(with: one)], queue: OperationQueue()) { _ in
                for _ in 0..<12 {
                    coordinator.item(at: one, didMoveTo: one)
                    coordinator.item(at: one, didMoveTo: other)
                    coordinator.item(at: other, didMoveTo: one)
                }
                isRunning.signal()
                goesOn.wait()
                done.signal()
            }
            agent.send(.granted(try agent.nextRequest(), [], isObserved: false))
            #expect(isRunning.wait(timeout: .now() + 60) == .success)
            agent.end()
            let next = try ScriptedAgent(in: scene.runtime) {}
            let held = try next.next { $0.stillHeld }
            #expect(held.claims.map(\.item.string) == [one.path, other.path])
            goesOn.signal()
            #expect(done.wait(timeout: .now() + 60) == .success)
        }
    }

    // MARK: Steps

    private func place(_ name: String, in scene: AgentScene) -> URL {
        scene.root.appendingPathComponent(name, isDirectory: false)
    }

    private func withAgent(_ body: (AgentScene, FileAccessRegistry, ScriptedAgent) throws -> Void) throws {
        try withScene { scene in
            let registry = try scene.registry()
            let joiner = NotingPresenter(scene.root.appendingPathComponent("nothing"))
            let agent = try ScriptedAgent(in: scene.runtime) { registry.add(joiner) }
            while !registry.isJoined {}
            try body(scene, registry, agent)
        }
    }
}

extension ArbiterEvent {
    fileprivate var wanted: AccessRequest? { if case .requested(let request) = self { request } else { nil } }
    fileprivate var stillHeld: AccessRequest? { if case .held(let request) = self { request } else { nil } }
}
