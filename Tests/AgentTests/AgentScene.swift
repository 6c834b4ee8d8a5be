import Agent
import Coordination
import DocumentFoundation
import Foundation
import LocalSockets
import Locks
import Testing

/// A runtime folder and a folder of documents, with an agent that can be ended and begun again.
final class AgentScene: @unchecked Sendable {
    // Sendable because a scene is driven by its test alone; the server is only told to stop by others.
    let root: URL
    let runtime: RuntimeFolder
    private var stopper: AgentServer.Stopper?
    private var thread: DispatchSemaphore?
    private var registries: [FileAccessRegistry] = []

    init() throws {
        root = FileManager.default.temporaryDirectory
            .appendingPathComponent("agent-\(UUID().uuidString.prefix(8))", isDirectory: true)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        runtime = try RuntimeFolder(path: root.path + "/run")
    }

    func begin(_ options: AgentServer.Options = AgentServer.Options()) throws {
        let server = try AgentServer(in: runtime, options)
        let ended = DispatchSemaphore(value: 0)
        let box = Locked<Unchecked?>(Unchecked(server: server))
        Thread.detachNewThread {
            do {
                try box.withLock { $0.take() }?.server.run()
            } catch {
                Issue.record(error)
            }
            ended.signal()
        }
        stopper = server.stopper
        self.thread = ended
    }

    /// Ends the agent, and returns when it is gone.
    func end() {
        stopper?.stop()
        stopper = nil
        thread?.wait()
        thread = nil
    }

    func registry(
        limitSeconds: Double = 5,
        hearsOutsiders: Bool = false,
        patience: AgentPatience = AgentPatience(),
        versions: ClosedRange<UInt64>? = nil
    ) throws -> FileAccessRegistry {
        let registry = try FileAccessRegistry(
            presenterTimeLimitSeconds: limitSeconds,
            runtimeFolder: runtime.path,
            agentProgram: nil,
            hearsOutsiders: hearsOutsiders,
            patience: patience,
            versions: versions
        )
        registries.append(registry)
        return registry
    }

    func file(_ name: String, _ text: String = "") throws -> URL {
        let url = root.appendingPathComponent(name)
        try text.write(to: url, atomically: false, encoding: .utf8)
        return url
    }

    func finish() {
        for registry in registries { registry.leaveAgent() }
        end()
        do {
            try FileManager.default.removeItem(at: root)
        } catch {
            let left = FileManager.default.enumerator(atPath: root.path)?.allObjects ?? []
            Issue.record("\(left) could not be removed: \(error)")
        }
    }

    private struct Unchecked: @unchecked Sendable {
        // Sendable because only the server's own thread uses it.
        let server: AgentServer
    }
}

/// Runs a test with a scene of its own.
func withScene(_ body: (AgentScene) throws -> Void) throws {
    let scene = try AgentScene()
    defer { scene.finish() }
    try body(scene)
}

/// A presenter that notes what it is asked and told.
final class NotingPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable because all that changes is under a lock.
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    private let notes = Locked<[String]>([])
    private let bell = DispatchSemaphore(value: 0)
    /// What it answers when it is to save; nil to say nothing.
    let save: (@Sendable () -> (any Error)?)?

    init(_ url: URL, save: (@Sendable () -> (any Error)?)? = { nil }) {
        presentedItemURL = url
        self.save = save
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var noted: [String] { notes.withLock { $0 } }

    func note(_ text: String) {
        notes.withLock { $0.append(text) }
        bell.signal()
    }

    /// Waits until anything more has been noted.
    func waitForNote() -> Bool { bell.wait(timeout: .now() + 60) == .success }

    /// Waits until something has been noted.
    func wait(for text: String) -> Bool {
        while !noted.contains(text) {
            if bell.wait(timeout: .now() + 60) == .timedOut { return false }
        }
        return true
    }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        note("reader")
        reader { self.note("reacquired") }
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        note("writer")
        writer { self.note("reacquired") }
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        note("save")
        if let save { completionHandler(save()) }
    }

    func presentedItemDidChange() { note("changed") }
    func presentedItemDidMove(to newURL: URL) { note("moved to \(newURL.lastPathComponent)") }
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        note("deletion")
        completionHandler(nil)
    }
    func presentedSubitemDidAppear(at url: URL) { note("appeared \(url.lastPathComponent)") }
    func presentedSubitemDidChange(at url: URL) { note("subitem \(url.lastPathComponent)") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        note("subitem moved to \(newURL.lastPathComponent)")
    }
}
