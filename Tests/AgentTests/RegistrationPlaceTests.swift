import Agent
import Coordination
import DocumentFoundation
import Foundation
import Locks
import TestThreads
import Testing

/// Who is in whose way is told with where the presenter was registered, and when.
@Suite("Where presenters are registered", .onOwnThreads, .serialized, .timeLimit(.minutes(2)))
struct RegistrationPlaceTests {
    @Test(
        "A deadlock of two processes names both presenters with file, line and time, in error, report and log"
    )
    func deadlock() throws {
        try withScene { scene in
            let logged = Locked<[String]>([])
            var options = AgentServer.Options()
            options.log = { sentence in logged.withLock { $0.append(sentence) } }
            try scene.begin(options)
            let urls = [try scene.file("a.txt"), try scene.file("b.txt")]
            let registries = [try scene.registry(), try scene.registry()]
            let presenters = urls.map { NotingPresenter($0) }
            let begun = Date().timeIntervalSince1970
            registries[0].add(presenters[0]); let firstLine = #line
            registries[1].add(presenters[1]); let secondLine = #line
            let error = try #require(try crossed(urls, registries, presenters))
            let places = [firstLine, secondLine].map { "AgentTests/RegistrationPlaceTests.swift:\($0)" }
            for place in places {
                #expect(error.detail.contains("NotingPresenter (registered at \(place), "), "\(error.detail)")
                #expect(error.deadlockParties.contains { $0.contains(place) }, "\(error.deadlockParties)")
            }
            let report = try #require(try AgentQuery.report(in: scene.runtime))
            #expect(logged.withLock { $0 } == report.brokenCycles.map(\.notice))
            let parties = try #require(report.brokenCycles.first).members.map(\.party)
            #expect(Set(parties.compactMap(\.registeredAt)) == Set(places))
            for party in parties where party.presenter != nil {
                let since = try #require(party.registeredSince)
                #expect(since >= begun - 0.001 && since <= report.time)
            }
            #expect(Set(report.presenters.compactMap(\.registeredAt)) == Set(places))
        }
    }

    @Test(
        "What waits for a presenter's answer in a deadlock says where that is registered and what it presents"
    )
    func answer() throws {
        try withScene { scene in
            try scene.begin()
            let url = try scene.file("a.txt")
            let (first, second) = (try scene.registry(), try scene.registry())
            let presenter = SelfishNeighbour(url, second)
            second.add(presenter); let line = #line
            NSFileCoordinator(filePresenter: presenter, registry: second)
                .coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(writingItemAt: url, error: nil) { _ in }
            let refused = try #require(presenter.refusal.withLock { $0 })
            let place = "AgentTests/RegistrationPlaceTests.swift:\(line)"
            #expect(refused.contains("SelfishNeighbour (registered at \(place), "), "\(refused)")
            #expect(
                refused.contains("of “\(url.path)” to answer relinquishPresentedItem(toWriter:)"),
                "\(refused)"
            )
            let report = try #require(try AgentQuery.report(in: scene.runtime))
            let reasons = report.brokenCycles.flatMap(\.members).map(\.waitsFor)
            let named = reasons.compactMap { reason -> CoordinationReport.Presenter? in
                if case .answer(let presenter, _) = reason { presenter } else { nil }
            }
            #expect(named.map(\.registeredAt) == [place] && named.map(\.path) == [url.path])
            #expect(named.first?.since == report.presenters.first?.since)
        }
    }

    @Test("After the agent has been replaced the next one knows where and when as well")
    func successor() throws {
        try withScene { scene in
            try scene.begin()
            let url = try scene.file("a.txt")
            let registry = try scene.registry()
            registry.add(NotingPresenter(url)); let line = #line
            let coordinator = NSFileCoordinator(filePresenter: nil, registry: registry)
            coordinator.coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
            let before = try #require(try AgentQuery.report(in: scene.runtime)).presenters
            scene.end()
            try scene.begin()
            coordinator.coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
            let after = try #require(try AgentQuery.report(in: scene.runtime)).presenters
            #expect(after.map(\.registeredAt) == ["AgentTests/RegistrationPlaceTests.swift:\(line)"])
            #expect(after.map(\.since) == before.map(\.since) && after.first?.since != nil)
        }
    }

    @Test("A presenter that says nothing is named with the place of its registration")
    func silence() throws {
        try withScene { scene in
            var options = AgentServer.Options()
            options.limits.presenter = 100_000_000
            try scene.begin(options)
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt")
            let presenter = NotingPresenter(url, save: nil)
            second.add(presenter); let line = #line
            NSFileCoordinator(filePresenter: presenter, registry: second)
                .coordinate(readingItemAt: url, error: nil) { _ in }
            var error: NSError?
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(readingItemAt: url, error: &error) { _ in Issue.record("it was read") }
            let text = error?.localizedDescription ?? ""
            #expect(
                text.contains("(registered at AgentTests/RegistrationPlaceTests.swift:\(line)) in "),
                "\(text)"
            )
        }
    }

    @Test("A presenter can be added by a call, as on iOS, and by the function as a value")
    func forms() throws {
        let presenters = (0..<5).map { _ in NotingPresenter(URL(fileURLWithPath: "/nowhere/\(UUID())")) }
        defer { for presenter in presenters { NSFileCoordinator.removeFilePresenter(presenter) } }
        NSFileCoordinator.addFilePresenter(presenters[0]); let line = #line
        let add: (any NSFilePresenter) -> Void = NSFileCoordinator.addFilePresenter
        add(presenters[1])
        let untyped = NSFileCoordinator.addFilePresenter
        untyped(presenters[2])
        presenters[3...3].forEach(NSFileCoordinator.addFilePresenter)
        let existential: any NSFilePresenter = presenters[4]
        NSFileCoordinator.addFilePresenter(existential)
        let lastLine = #line - 1
        let paths = presenters.map { $0.presentedItemURL?.path }
        let found = FileAccessRegistry.shared.report.presenters
        let places = paths.map { path in found.first { $0.path == path }.map { $0.registeredAt } }
        let file = "AgentTests/RegistrationPlaceTests.swift"
        #expect(places == ["\(file):\(line)", .some(nil), .some(nil), .some(nil), "\(file):\(lastLine)"])
    }

    // MARK: Steps

    /// Two processes that each write an item and want the other's inside.
    ///
    /// - Returns: What the one that failed was told.
    private func crossed(
        _ urls: [URL],
        _ registries: [FileAccessRegistry],
        _ presenters: [NotingPresenter]
    ) throws -> FileCoordinationError? {
        let (errors, arrived) = (Locked<[FileCoordinationError]>([]), DispatchGroup())
        let done = DispatchGroup()
        for _ in 0..<2 {
            arrived.enter()
            done.enter()
        }
        for index in 0..<2 {
            let (own, other) = (urls[index], urls[1 - index])
            let (registry, presenter) = (registries[index], presenters[index])
            Thread.detachNewThread {
                NSFileCoordinator(filePresenter: presenter, registry: registry)
                    .coordinate(writingItemAt: own, error: nil) { _ in
                        arrived.leave()
                        arrived.wait()
                        var inner: NSError?
                        NSFileCoordinator(filePresenter: nil, registry: registry)
                            .coordinate(writingItemAt: other, error: &inner) { _ in }
                        if let found = inner.flatMap({ FileCoordinationError($0) }) {
                            errors.withLock { $0.append(found) }
                        }
                    }
                done.leave()
            }
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(errors.withLock { $0.map(\.code) } == [.deadlock])
        return errors.withLock { $0.first }
    }
}

/// Writes, through a coordinator of no presenter, before it lets a writer in.
private final class SelfishNeighbour: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable because what changes is under a lock.
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    let refusal = Locked<String?>(nil)
    private let registry: FileAccessRegistry

    init(_ url: URL, _ registry: FileAccessRegistry) {
        presentedItemURL = url
        self.registry = registry
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        var error: NSError?
        if let presentedItemURL {
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(writingItemAt: presentedItemURL, error: &error) { _ in }
        }
        refusal.withLock { [error] in $0 = error?.localizedDescription }
        writer(nil)
    }
}
