import Coordination
import DocumentFoundation
import Foundation
import Locks

/// A process that a test tells what to do, line by line, and that says what happens to it.
///
///     present NAME PATH                      a presenter, which answers all that it is asked
///     forget NAME                            takes it away again
///     refuse NAME MESSAGE                    from now on it answers this message with an error
///     saves NAME TEXT                        when it is asked to save next, it writes this, with access of its own
///     begin ID [for NAME | as PURPOSE] KIND PATH...
///                                            asks for access on a thread of its own; what is inside waits for orders
///     ID begin ID KIND PATH...               the same inside an access, on its thread
///     ID again KIND PATH                     the same with its own coordinator; ends at once
///     ID write PATH TEXT | remove PATH | move PATH PATH      done inside the access
///     ID end                                 lets it end
///     cancel ID                              cancels its coordinator
///
/// Kinds: `read`, `save-read`, `write`, `merge`, `delete`, `replace`; `swap` for a move, from the first path to the second;
/// `both` writes two; `prepare` reserves all for writing; `intents` asks for all, to write, without blocking.
///
/// It says: `ID granted PATH...`, `ID ended`, `ID failed CODE TEXT`, `NAME MESSAGE [PATH...]`, `ID done`.
final class ScriptedProcess: Sendable {
    private struct State: Sendable {
        var presenters: [String: ScriptedPresenter] = [:]
        var coordinators: [String: NSFileCoordinator] = [:]
        var orders: [String: OrderQueue] = [:]
    }

    private let state = Locked(State())
    private let registry: FileAccessRegistry

    private init(_ registry: FileAccessRegistry) { self.registry = registry }

    /// - Parameter versions: Those of the agent's format that it speaks; nil for what every program does.
    static func run(_ versions: ClosedRange<UInt64>?) throws {
        let registry = try versions.map(registry) ?? .shared
        let process = ScriptedProcess(registry)
        PackageDirectories.isPackage = { $0.pathExtension == "scrap" }
        // The first access finds the agent.
        process.coordinator().coordinate(readingItemAt: URL(fileURLWithPath: "/"), error: nil) { _ in }
        say("ready \(getpid()) \(registry.isJoined ? "joined" : "alone")")
        while let line = readLine() { try process.take(line.split(separator: " ").map(String.init)) }
    }

    /// As a program of another release has it.
    private static func registry(speaking versions: ClosedRange<UInt64>) throws -> FileAccessRegistry {
        let environment = ProcessInfo.processInfo.environment
        guard let folder = environment["SHEAF_RUNTIME_DIR"] else {
            throw HarnessFailure("SHEAF_RUNTIME_DIR names no folder to meet in")
        }
        return try FileAccessRegistry(
            presenterTimeLimitSeconds: PresenterLimit.usualSeconds,
            runtimeFolder: folder,
            agentProgram: environment["SHEAF_AGENT"],
            hearsOutsiders: true,
            versions: versions
        )
    }

    private func coordinator(for presenter: ScriptedPresenter? = nil) -> NSFileCoordinator {
        NSFileCoordinator(filePresenter: presenter, registry: registry)
    }

    private func take(_ words: [String]) throws {
        let second = words.count > 1 ? words[1] : ""
        switch words.first {
        case "present":
            let presenter = ScriptedPresenter(second, URL(fileURLWithPath: words[2]), registry)
            state.withLock { $0.presenters[second] = presenter }
            registry.add(presenter)
            // What it was granted tells that the agent knows the presenter.
            let url = URL(fileURLWithPath: "/")
            coordinator(for: presenter).coordinate(readingItemAt: url, error: nil) { _ in }
            Self.say("\(second) presents")
        case "forget":
            let presenter = state.withLock { $0.presenters.removeValue(forKey: second) }
            if let presenter { registry.remove(presenter) }
            Self.say("\(second) forgotten")
        case "refuse":
            state.withLock { $0.presenters[second] }?.refuse(words[2])
            Self.say("\(second) refuses")
        case "saves":
            state.withLock { $0.presenters[second] }?.has(unsaved: words[2])
            Self.say("\(second) has unsaved")
        case "begin":
            let (begun, words) = (try begun(second), Array(words.dropFirst(2)))
            Thread.detachNewThread { self.begin(second, begun, words) }
        case "cancel": state.withLock { $0.coordinators[second] }?.cancel()
        case let id?:
            guard let orders = state.withLock({ $0.orders[id] }) else {
                throw HarnessFailure("no access \(id)")
            }
            orders.put(Array(words.dropFirst()))
        case nil: break
        }
    }

    /// Room for the orders of an access, before anybody can give it any.
    private func begun(_ id: String) throws -> OrderQueue {
        let orders = OrderQueue()
        state.withLock { $0.orders[id] = orders }
        return orders
    }

    private func begin(_ id: String, _ orders: OrderQueue, _ words: [String]) {
        let (coordinator, words) = coordinator(words)
        state.withLock { $0.coordinators[id] = coordinator }
        let urls = words.dropFirst().map { URL(fileURLWithPath: $0) }
        let inside: ([URL]) -> Void = { self.obey(orders, id, coordinator, $0) }
        if words[0] == "intents" {
            let intents = urls.map { NSFileAccessIntent.writingIntent(with: $0) }
            coordinator.coordinate(with: intents, queue: OperationQueue()) { error in
                if let error { return Self.tell(id, error as NSError) }
                self.obey(orders, id, coordinator, intents.map(\.url))
                Self.say("\(id) ended")
            }
            return
        }
        var error: NSError?
        access(words[0], urls, coordinator, &error, inside)
        if let error { Self.tell(id, error) } else { Self.say("\(id) ended") }
    }

    /// Whose access it is, and the words that follow.
    private func coordinator(_ words: [String]) -> (NSFileCoordinator, [String]) {
        guard ["for", "as"].contains(words[0]) else { return (coordinator(), words) }
        let rest = Array(words.dropFirst(2))
        if words[0] == "for" {
            let presenter = state.withLock { $0.presenters[words[1]] }
            return (coordinator(for: presenter), rest)
        }
        let coordinator = coordinator()
        coordinator.purposeIdentifier = words[1]
        return (coordinator, rest)
    }

    private func access(
        _ kind: String,
        _ urls: [URL],
        _ coordinator: NSFileCoordinator,
        _ error: inout NSError?,
        _ inside: ([URL]) -> Void
    ) {
        let writing: [String: NSFileCoordinator.WritingOptions] = [
            "write": [], "merge": .forMerging, "delete": .forDeleting, "replace": .forReplacing,
        ]
        switch kind {
        case "read":
            coordinator.coordinate(readingItemAt: urls[0], options: .withoutChanges, error: &error) {
                inside([$0])
            }
        case "save-read": coordinator.coordinate(readingItemAt: urls[0], error: &error) { inside([$0]) }
        case "swap":
            coordinator.coordinate(
                writingItemAt: urls[0],
                options: .forMoving,
                writingItemAt: urls[1],
                options: .forReplacing,
                error: &error
            ) { inside([$0, $1]) }
        case "both":
            coordinator.coordinate(writingItemAt: urls[0], writingItemAt: urls[1], error: &error) {
                inside([$0, $1])
            }
        case "prepare":
            coordinator.prepare(forReadingItemsAt: [], writingItemsAt: urls, error: &error) { finish in
                inside(urls)
                finish()
            }
        default:
            coordinator.coordinate(writingItemAt: urls[0], options: writing[kind] ?? [], error: &error) {
                inside([$0])
            }
        }
    }

    /// Inside an access: does what it is told, until it is told to end.
    private func obey(_ orders: OrderQueue, _ id: String, _ coordinator: NSFileCoordinator, _ urls: [URL]) {
        Self.say("\(id) granted " + urls.map(\.path).joined(separator: " "))
        while true {
            let words = orders.next()
            do {
                switch words[0] {
                case "end": return
                case "again":
                    var error: NSError?
                    access(words[1], [URL(fileURLWithPath: words[2])], coordinator, &error) {
                        Self.say("\(id) again \($0[0].path)")
                    }
                    if let error { throw error }
                case "begin": begin(words[1], try begun(words[1]), Array(words.dropFirst(2)))
                case "write": try Data(words[2].utf8).write(to: URL(fileURLWithPath: words[1]))
                case "remove": try FileManager.default.removeItem(atPath: words[1])
                case "move":
                    let (source, target) = (
                        URL(fileURLWithPath: words[1]), URL(fileURLWithPath: words[2])
                    )
                    try FileManager.default.moveItem(at: source, to: target)
                    coordinator.item(at: source, didMoveTo: target)
                default: throw HarnessFailure("what is \(words[0])?")
                }
                if words[0] != "begin", words[0] != "again" { Self.say("\(id) done") }
            } catch {
                Self.say("\(id) cannot \(error)")
            }
        }
    }

    private static func tell(_ id: String, _ error: NSError) {
        let code = FileCoordinationError(error)?.code.description ?? "\(error.domain) \(error.code)"
        say("\(id) failed \(code) \(error.localizedDescription)")
    }

    /// Says one line, whole: pipe(7) keeps what is shorter than a page together.
    static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        guard write(1, bytes, bytes.count) == bytes.count else { exit(1) }
    }
}

/// What an access is told to do, in order.
private final class OrderQueue: Sendable {
    private let orders = Locked<[[String]]>([])
    private let bell = DispatchSemaphore(value: 0)

    func put(_ words: [String]) {
        orders.withLock { $0.append(words) }
        bell.signal()
    }

    func next() -> [String] {
        bell.wait()
        return orders.withLock { $0.removeFirst() }
    }
}
