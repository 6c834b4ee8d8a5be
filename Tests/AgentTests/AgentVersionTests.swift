import Agent
import Coordination
import DocumentFoundation
import Foundation
import LocalSockets
import Locks
import TestThreads
import Testing

/// Processes and agents that do not speak the same versions: an agent decides, or nobody does.
@Suite("Versions of agent and clients", .onOwnThreads, .serialized, .timeLimit(.minutes(2)))
struct AgentVersionTests {
    /// Of a program that does not know ours.
    private static let foreign: ClosedRange<UInt64> = 5...6

    @Test(
        "A writer of another version hears that its claim is lost once an agent comes, and is let in nowhere",
        arguments: [true, false]
    )
    func refused(isClientNewer: Bool) throws {
        try withScene { scene in
            let own = ClientHello.versions
            let (client, agent) = isClientNewer ? (Self.foreign, own) : (own, Self.foreign)
            let (url, other) = (try scene.file("held.txt"), try scene.file("other.txt"))
            var patience = AgentPatience()
            patience.searchSeconds = 0.05
            let stranger = try scene.registry(patience: patience, versions: client)
            let (isRunning, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let (ended, outcome) = (DispatchSemaphore(value: 0), Locked<NSError?>(nil))
            Thread.detachNewThread {
                var error: NSError?
                NSFileCoordinator(filePresenter: nil, registry: stranger)
                    .coordinate(writingItemAt: url, error: &error) { _ in
                        isRunning.signal()
                        goesOn.wait()
                    }
                outcome.withLock { [error] in $0 = error }
                ended.signal()
            }
            #expect(isRunning.wait(timeout: .now() + 60) == .success)
            try scene.begin(options(agent))
            // Who speaks the agent's version is let in when the agent has waited long enough for those who hold claims.
            let resident = try scene.registry(versions: agent)
            var error: NSError?
            NSFileCoordinator(filePresenter: nil, registry: resident)
                .coordinate(writingItemAt: url, error: &error) { _ in
                    // Nothing is decided by the stranger now, neither about this item nor about any other.
                    for item in [url, other] { expectRefusal(of: item, stranger, client, agent) }
                }
            #expect(error == nil && resident.isJoined && !stranger.isJoined)
            expectRefusal(of: other, stranger, client, agent)
            goesOn.signal()
            #expect(ended.wait(timeout: .now() + 60) == .success)
            #expect(code(outcome.withLock { $0 }) == .claimLost)
            // Once no agent is there any more it goes on by itself.
            scene.end()
            resident.leaveAgent()
            #expect(read(other, stranger) == nil)
        }
    }

    @Test(
        "What waits when a client is refused fails, who made way for others goes on, and its presenters go on"
    )
    func waiting() throws {
        try withScene { scene in
            let url = try scene.file("note.txt")
            var patience = AgentPatience()
            patience.searchSeconds = 0.05
            let stranger = try scene.registry(patience: patience, versions: Self.foreign)
            let presenter = NotingPresenter(url)
            stranger.add(presenter)
            let (isRunning, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                NSFileCoordinator(filePresenter: nil, registry: stranger)
                    .coordinate(writingItemAt: url, error: nil) { _ in
                        isRunning.signal()
                        goesOn.wait()
                    }
            }
            #expect(isRunning.wait(timeout: .now() + 60) == .success)
            #expect(presenter.noted == ["writer"])
            let (waited, heard) = (DispatchSemaphore(value: 0), Locked<FileCoordinationError.Code?>(nil))
            NSFileCoordinator(filePresenter: nil, registry: stranger)
                .coordinate(with: [.readingIntent(with: url)], queue: OperationQueue()) { error in
                    let code = error.flatMap { FileCoordinationError($0) }?.code
                    heard.withLock { $0 = code }
                    waited.signal()
                }
            #expect(waited.wait(timeout: .now() + 0.1) == .timedOut)
            try scene.begin(options(ClientHello.versions))
            #expect(waited.wait(timeout: .now() + 60) == .success)
            #expect(heard.withLock { $0 } == .agentRefused)
            #expect(presenter.wait(for: "reacquired"))
            goesOn.signal()
        }
    }

    @Test("Agent and client settle on the latest version that both speak", arguments: [1, 2])
    func settled(_ latest: UInt64) throws {
        try withScene { scene in
            let (mixed, own) = (1...latest, ClientHello.versions)
            for (client, agent) in [(mixed, own), (own, mixed)] {
                try scene.begin(options(agent))
                let registry = try scene.registry(versions: client)
                let url = try scene.file("note.txt")
                registry.add(NotingPresenter(url)); let line = #line
                #expect(read(url, registry) == nil && registry.isJoined)
                let report = try #require(try AgentQuery.report(in: scene.runtime))
                #expect(report.presenters.map(\.typeName) == ["NotingPresenter"])
                // What version 1 has no room for is not said.
                let place = latest == 1 ? nil : "AgentTests/AgentVersionTests.swift:\(line)"
                #expect(report.presenters.map(\.registeredAt) == [place])
                registry.leaveAgent()
                scene.end()
            }
        }
    }

    @Test("An agent that takes version 1 alone, and drops who says another, is spoken to in that")
    func first() throws {
        try withScene { scene in
            let lock = try ScriptedAgent.takePlace(in: scene.runtime)
            let listener = try LocalListener(at: scene.runtime.place(of: AgentPlace.socketName))
            let registry = try scene.registry()
            let url = try scene.file("note.txt")
            registry.add(NotingPresenter(url))
            let greeting = try FirstConnection(listener)
            #expect(greeting.hello.version == ClientHello.versions.upperBound)
            greeting.send(.goodbye(.versionUnknown, reason: "This agent speaks version 1, not 2."))
            let second = try FirstConnection(listener)
            #expect(second.hello.version == 1)
            second.send(.welcome(version: 1))
            let added = try second.next { message in
                if case .event(.presenterAdded(_, _, let type, let registration)) = message {
                    (type, registration)
                } else {
                    nil
                }
            }
            #expect(added.0 == "NotingPresenter" && added.1 == nil)
            withExtendedLifetime(lock) {}
        }
    }

    @Test("Who is dropped for what he said loses what he held, joins again, and decides nothing by himself")
    func dropped() throws {
        try withScene { scene in
            let registry = try scene.registry()
            let url = try scene.file("note.txt")
            let (outcome, ended) = (Locked<NSError?>(nil), DispatchSemaphore(value: 0))
            let (isRunning, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            // Before anybody looks for one: who finds none decides by himself.
            let lock = try ScriptedAgent.takePlace(in: scene.runtime)
            Thread.detachNewThread {
                var error: NSError?
                NSFileCoordinator(filePresenter: nil, registry: registry)
                    .coordinate(writingItemAt: url, error: &error) { _ in
                        isRunning.signal()
                        goesOn.wait()
                    }
                outcome.withLock { [error] in $0 = error }
                ended.signal()
            }
            let listener = try LocalListener(at: scene.runtime.place(of: AgentPlace.socketName))
            let connection = try FirstConnection(listener)
            connection.send(.welcome(version: 2))
            let id = try connection.next { message in
                if case .event(.requested(let request)) = message { request.id } else { nil }
            }
            connection.send(.granted(id, [], isObserved: false))
            #expect(isRunning.wait(timeout: .now() + 60) == .success)
            connection.send(.goodbye(.protocolBroken, reason: "No."))
            let again = try FirstConnection(listener)
            again.send(.welcome(version: 2))
            // What was held is not said again: it is free for others since the goodbye.
            let held = try again.next { message -> Bool? in
                switch message {
                case .event(.held): true
                case .caughtUp: false
                default: nil
                }
            }
            #expect(!held)
            goesOn.signal()
            #expect(ended.wait(timeout: .now() + 60) == .success)
            #expect(code(outcome.withLock { $0 }) == .claimLost)
            withExtendedLifetime(lock) {}
        }
    }

    // MARK: Steps

    private func options(_ versions: ClosedRange<UInt64>) -> AgentServer.Options {
        var options = AgentServer.Options()
        options.versions = versions
        options.limits.collecting = 200_000_000
        return options
    }

    private func expectRefusal(
        of url: URL,
        _ registry: FileAccessRegistry,
        _ client: ClosedRange<UInt64>,
        _ agent: ClosedRange<UInt64>
    ) {
        let error = read(url, registry)
        #expect(code(error) == .agentRefused)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("(process \(getpid()))") && text.contains("kill \(getpid())"), "\(text)")
        #expect(
            text.contains("program speaks versions \(client.lowerBound) to \(client.upperBound)."),
            "\(text)"
        )
        let spoken =
            client.lowerBound > agent.upperBound
            ? "version \(agent.upperBound) at the latest"
            : "versions \(agent.lowerBound) to \(agent.upperBound)"
        #expect(text.contains("agent speaks \(spoken)"), "\(text)")
    }

    private func read(_ url: URL, _ registry: FileAccessRegistry) -> NSError? {
        var error: NSError?
        NSFileCoordinator(filePresenter: nil, registry: registry)
            .coordinate(readingItemAt: url, options: .withoutChanges, error: &error) { _ in }
        return error
    }

    private func code(_ error: NSError?) -> FileCoordinationError.Code? {
        error.flatMap { FileCoordinationError($0) }?.code
    }
}

/// The next connection of a listener, with what the client says first.
private final class FirstConnection {
    let hello: ClientHello
    private let socket: LocalSocket
    private var frames = FrameBuffer()
    private var writer: WireWriter
    private var version: UInt64 = 1

    init(_ listener: LocalListener) throws {
        let poll = try SocketPoll()
        try poll.add(listener, id: 0)
        _ = try poll.wait(milliseconds: 20_000)
        socket = try #require(try listener.accept())
        writer = WireWriter()
        var frames = FrameBuffer()
        guard case .hello(let hello) = try Self.next(socket, &frames, 1) else {
            throw CocoaError(.fileReadUnknown)
        }
        (self.hello, self.frames) = (hello, frames)
        writer.own = hello.client
    }

    func send(_ message: AgentMessage) {
        if case .welcome(let version) = message { (self.version, writer.version) = (version, version) }
        message.write(to: &writer)
        writer.bytes.withUnsafeBytes { _ = socket.send($0) }
        writer.removeAll()
    }

    /// The first of what comes that is looked for.
    func next<Value>(_ find: (ClientMessage) -> Value?) throws -> Value {
        while true {
            let message = try Self.next(socket, &frames, version)
            if let value = find(message) { return value }
        }
    }

    private static func next(
        _ socket: LocalSocket,
        _ frames: inout FrameBuffer,
        _ version: UInt64
    ) throws -> ClientMessage {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            if let frame = try frames.next() { return try ClientMessage(frame: frame, version: version) }
            guard socket.waitUntilReadable(milliseconds: 20_000) else { throw CocoaError(.fileReadUnknown) }
            try buffer.withUnsafeMutableBytes { buffer in
                guard case .bytes(let count) = socket.receive(into: buffer) else {
                    throw CocoaError(.fileReadUnknown)
                }
                frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }
}
