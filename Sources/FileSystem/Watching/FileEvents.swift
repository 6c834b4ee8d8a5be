internal import Dispatch
internal import Locks

/// What happens to files, for everyone in the process who wants to know: one queue of the system's for all.
///
/// A user has few such queues (128 by default) and many watches; two who watch one folder share its watch.
/// Where the process has the privilege, folders are watched by fanotify, which tells who did what and knows no
/// limit; files, volumes that fanotify cannot watch and everyone else's folders are watched by inotify.
///
/// Sendable; every call may come from any thread. Receivers are called one after another on one serial queue,
/// in the order in which things happened, and must not block it.
package final class FileEvents: Sendable {
    /// The process's own.
    package static let shared = FileEvents()

    /// Gets what happened to one watched item, in order.
    package typealias Receiver = @Sendable ([WatchEvent]) -> Void

    private struct State {
        var inotify: WatchQueue?
        var fanotify: Privileged
        var receivers: [WatchID: [Int: (receive: Receiver, hearsWrites: Bool)]] = [:]
        var receiverCount = 0
        /// Watches of volumes' top folders, by which their end is known: fanotify does not tell it.
        var volumes: [WatchID: UInt64] = [:]
        var volumeOf: [WatchID: UInt64] = [:]
    }

    /// The queue that takes a privilege.
    private enum Privileged { case untried, open(FanotifyQueue), refused }

    private let state: Locked<State>
    private let queue = DispatchQueue(label: "sheaf.file-events", qos: .userInitiated)

    /// - Parameter usesPrivilege: Whether to watch by fanotify what can be watched so.
    package init(usesPrivilege: Bool = true) {
        state = Locked(State(fanotify: usesPrivilege ? .untried : .refused))
    }

    /// Watches one item for as long as it lives.
    package final class Watch: Sendable {
        private let events: FileEvents
        let id: WatchID
        private let number: Int

        fileprivate init(_ events: FileEvents, _ id: WatchID, _ number: Int) {
            self.events = events
            self.id = id
            self.number = number
        }

        /// Whether it tells who did what.
        package var tellsWriters: Bool { id.means == .fanotify }

        deinit { events.end(id, number) }
    }

    /// Begins to watch a folder and its members, or a file. What happens after this has returned is told.
    ///
    /// The watch is on the item that bears the path now, and goes with it.
    ///
    /// - Parameters:
    ///   - path: What to watch; a symbolic link is followed.
    ///   - namesOnly: Whether only names that come and go matter. More may be told all the same.
    ///   - tellsWrites: Whether each write is told, too. Whoever writes a large file wakes this process then, a thousand times
    ///     a second at most.
    ///   - receiver: Told what happened; that the queue ran over, too.
    /// - Throws: `ENOENT` when nothing is there, `ENOSPC` when the user watches too much, `EMFILE` when too
    ///   many queues are open.
    package func watch(
        _ path: FilePath,
        namesOnly: Bool = false,
        tellsWrites: Bool = false,
        _ receiver: @escaping Receiver
    ) throws(SystemError) -> Watch {
        let (id, number) = try state.withLock { state throws(SystemError) -> (WatchID, Int) in
            // Under the lock: an event that is there at once waits for its receiver.
            let id = try begin(path, namesOnly, tellsWrites, &state)
            state.receiverCount += 1
            state.receivers[id, default: [:]][state.receiverCount] = (receiver, tellsWrites)
            return (id, state.receiverCount)
        }
        return Watch(self, id, number)
    }

    private func begin(
        _ path: FilePath,
        _ namesOnly: Bool,
        _ tellsWrites: Bool,
        _ state: inout State
    ) throws(SystemError) -> WatchID {
        if let fanotify = privileged(path, &state) {
            do {
                let id = try fanotify.watch(path, namesOnly: namesOnly, tellsWrites: tellsWrites)
                // Also of one that is watched since before its volume was taken away, and is there again.
                if state.volumeOf[id] == nil { watchVolume(of: path, for: id, &state) }
                return id
            } catch {
                // No folder, or a volume without handles: the other way, which says what is wrong if it is.
            }
        }
        return try plain(path, &state).watch(path, namesOnly: namesOnly, tellsWrites: tellsWrites)
    }

    private func privileged(_ path: FilePath, _ state: inout State) -> FanotifyQueue? {
        switch state.fanotify {
        case .open(let queue): return queue
        case .refused: return nil
        case .untried:
            // Without the privilege, or on an older kernel: the other way.
            let opened = try? FanotifyQueue(for: path, on: queue) { [weak self] in self?.hand($0) }
            state.fanotify = opened.map(Privileged.open) ?? .refused
            return opened
        }
    }

    private func plain(_ path: FilePath, _ state: inout State) throws(SystemError) -> WatchQueue {
        if let inotify = state.inotify { return inotify }
        let inotify = try WatchQueue(for: path, on: queue) { [weak self] in self?.hand($0) }
        state.inotify = inotify
        return inotify
    }

    private func end(_ id: WatchID, _ number: Int) {
        state.withLock { state in
            state.receivers[id]?[number] = nil
            guard state.receivers[id]?.isEmpty == true else { return }
            state.receivers[id] = nil
            state.volumeOf[id] = nil
            switch (id.means, state.fanotify) {
            case (.fanotify, .open(let fanotify)): fanotify.end(id)
            case (.fanotify, _): break
            case (.inotify, _): state.inotify?.end(id)
            }
        }
    }

    // MARK: Volumes

    /// Hears of the end of the volume that a folder is on.
    ///
    /// A volume that cannot be watched for it, for want of watches, goes unheard: its folders fall silent.
    private func watchVolume(of path: FilePath, for id: WatchID, _ state: inout State) {
        // A folder that is gone already has no volume; its own watch tells.
        guard let device = try? FileStamp(of: path, followsSymbolicLink: true).device else { return }
        state.volumeOf[id] = device
        guard !state.volumes.values.contains(device) else { return }
        // Without a watch to be had it goes unheard, as said above.
        let end = try? plain(path, &state).watchEnd(Self.top(of: path, on: device))
        if let end { state.volumes[end] = device }
    }

    /// The folder at which the volume of a folder begins, as far as paths tell.
    private static func top(of path: FilePath, on device: UInt64) throws(SystemError) -> FilePath {
        var top = try path.resolved()
        while top.parent != top, try FileStamp(of: top.parent).device == device { top = top.parent }
        return top
    }

    /// What the end of a volume means: the end of everything watched on it.
    private func endsOfVolumes(_ events: [(watch: WatchID?, event: WatchEvent)]) -> [(WatchID?, WatchEvent)] {
        let ended = events.compactMap { $0.event.kind == .selfDeleted ? $0.watch : nil }
        guard !ended.isEmpty else { return [] }
        return state.withLock { state in
            let devices = ended.compactMap { state.volumes.removeValue(forKey: $0) }
            let watches = state.volumeOf.filter { devices.contains($0.value) }.keys
            for watch in watches { state.volumeOf[watch] = nil }
            return watches.map { ($0, WatchEvent(kind: .selfDeleted)) }
        }
    }

    // MARK: Events

    /// Hands events on, neighbouring ones of one watch together.
    private func hand(_ events: [(watch: WatchID?, event: WatchEvent)]) {
        var rest = (events + endsOfVolumes(events))[...]
        while let first = rest.first {
            let run = rest.prefix { $0.watch == first.watch }
            rest = rest.dropFirst(run.count)
            let receivers = state.withLock { state in
                guard let watch = first.watch else { return state.receivers.values.flatMap(\.values) }
                return state.receivers[watch].map { Array($0.values) } ?? []
            }
            let all = run.map(\.event)
            // Who shares a watch with others hears no more than what was asked for.
            let some = all.contains { $0.kind == .modified } ? all.filter { $0.kind != .modified } : all
            for receiver in receivers {
                let events = receiver.hearsWrites ? all : some
                if !events.isEmpty { receiver.receive(events) }
            }
        }
    }
}
