internal import Coordination
internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks
internal import StandardStreams

/// Watches what presenters present, and says what others have done to it who coordinate nothing.
///
/// Sendable; any thread. The events, the items and what is known of them are one struct under one lock; what
/// there is to tell is told with the lock open. No event, no work: without one nothing runs.
final class OutsideWatcher: Sendable {
    /// How long to wait between looks where the system gives no more watches, at least; looking takes one part
    /// in `restPerLook` of the time at most.
    static let looksIntervalSecondsMin = 10.0
    static let restPerLook = 50.0

    struct State {
        var items: WatchedItems
        var folding = EventFolding(ownProcess: getpid())
        /// When the next flush is due; nil when none is.
        var flushDue: Double?
        var hasOverflowed = false
        var looksAtIntervals = false
        var hasSaidShortage = false
    }

    let state: Locked<State>
    let queue = DispatchQueue(label: "sheaf.outside-changes", qos: .userInitiated)
    /// Where items are looked for that are gone: that takes its time, for which no news of other items waits.
    let searchQueue = DispatchQueue(label: "sheaf.outside-changes.search", qos: .userInitiated)
    let search: CopyQuestion
    private let isBeingWritten: @Sendable ([ItemPath]) -> Set<ItemPath>
    private let isQuietElsewhere: QuietQuestion
    private let report: @Sendable ([OutsideReport]) -> Void
    private let looksIntervalSeconds: Double
    private let warn: @Sendable (String) -> Void

    /// Asks whether no other process writes some items in a coordinated access.
    ///
    /// Returns true if none does; else the handler is called once none does any longer, on any thread, after all
    /// that was told of these accesses has come to `wrote` and `follow`.
    typealias QuietQuestion = @Sendable ([ItemPath], @escaping @Sendable () -> Void) -> Bool

    /// - Parameters:
    ///   - events: What tells of changes.
    ///   - looksIntervalSeconds: How long to wait between looks at what cannot be watched, at least.
    ///   - warn: Gets, once, what a person who runs the program should know.
    ///   - search: Finds what is gone on other volumes.
    ///   - isBeingWritten: Which of some items someone in this process who coordinates writes now. Its end is
    ///     told by `wrote`.
    ///   - isQuietElsewhere: The same about other processes; what they change is no news from outside.
    ///   - report: Gets what others have done, in order; called on one thread at a time with no lock held.
    init(
        events: FileEvents = .shared,
        looksIntervalSeconds: Double = looksIntervalSecondsMin,
        warn: @escaping @Sendable (String) -> Void = StandardError.write,
        search: @escaping CopyQuestion = searchForCopies,
        isBeingWritten: @escaping @Sendable ([ItemPath]) -> Set<ItemPath>,
        isQuietElsewhere: @escaping QuietQuestion,
        report: @escaping @Sendable ([OutsideReport]) -> Void
    ) {
        self.looksIntervalSeconds = looksIntervalSeconds
        self.warn = warn
        self.search = search
        self.isBeingWritten = isBeingWritten
        self.isQuietElsewhere = isQuietElsewhere
        self.report = report
        let hear = Hearing()
        let folders = WatchedFolders { path, namesOnly, number in
            try events.watch(path, namesOnly: namesOnly) { hear.watcher?.heard($0, in: number) }
        }
        state = Locked(State(items: WatchedItems(folders)))
        hear.attach(self)
    }

    /// Leads events to the watcher, which is made after what leads to it.
    private final class Hearing: Sendable {
        private let reference = Locked<Reference>(Reference())
        private struct Reference { weak var watcher: OutsideWatcher? }

        var watcher: OutsideWatcher? { reference.withLock { $0.watcher } }
        func attach(_ watcher: OutsideWatcher) { reference.withLock { $0.watcher = watcher } }
    }

    // MARK: From the registry

    /// A presenter presents an item from now on; nil for none. When this returns, changes are seen.
    func present(_ id: PresenterID, _ path: ItemPath?, findsOutItself: Bool) {
        state.withLock { $0.items.present(id, path, findsOutItself: findsOutItself) }
        lookAtIntervalsIfNeeded()
    }

    /// Someone who coordinates has written items; what they are now is no news.
    func wrote(_ paths: [ItemPath]) {
        let reports = state.withLock { state in
            state.items.now = Self.now
            return paths.flatMap { state.items.wrote($0) }
        }
        tell(reports)
    }

    /// A presenter has written its item, in an access that goes on.
    func hold(_ path: ItemPath, of id: PresenterID) {
        state.withLock { state in
            state.items.now = Self.now
            state.items.hold(path, of: id)
        }
    }

    /// Another process that coordinates has written an item, or removed it, as presenters here are being told.
    func othersWrote(_ path: ItemPath) {
        if WatchedItems.isPresent(path) { return wrote([path]) }
        // Presenters of the item itself may not have been asked: they hear of it when the system tells.
        state.withLock { $0.items.noteMember(path) }
    }

    /// Someone has moved an item and said so.
    func follow(from source: ItemPath, to target: ItemPath) {
        state.withLock { state in state.items.follow(from: source, to: target) }
    }

    /// Looks where a presenter's item is that is not at its place, after the time in which an editor puts it
    /// back.
    ///
    /// - Parameter answer: Gets its place, after presenters have been told; nil when it is gone.
    func settle(_ id: PresenterID, then answer: @escaping @Sendable (ItemPath?) -> Void) {
        queue.asyncAfter(deadline: .now() + EventFolding.settleSeconds) { [self] in
            let reports = state.withLock { state in
                state.items.now = Self.now
                return state.items.path(of: id).map { state.items.look(at: $0) } ?? []
            }
            tell(reports)
            afterSearch(for: id) { place in
                answer(place.flatMap { FileManager.default.fileExists(atPath: $0.string) ? $0 : nil })
            }
        }
    }

    // MARK: Events

    private func heard(_ events: [WatchEvent], in folder: Int) {
        let now = Self.now
        let delay = state.withLock { state -> Double? in
            for event in events {
                if event.kind == .overflowed { state.hasOverflowed = true }
                state.folding.take(event, in: folder, at: now)
            }
            return Self.arm(&state, for: now + EventFolding.quietSeconds, at: now)
        }
        if let delay { flush(after: delay) }
    }

    /// - Returns: How long to wait, if a flush is to be set.
    private static func arm(_ state: inout State, for due: Double, at now: Double) -> Double? {
        guard due < state.flushDue ?? .infinity else { return nil }
        state.flushDue = due
        return max(0, due - now)
    }

    private func flush(after delay: Double) {
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.flush() }
    }

    private func flush() {
        let now = Self.now
        let (changes, delay, hasOverflowed) = state.withLock { state -> ([SeenChange], Double?, Bool) in
            guard let due = state.flushDue, now >= due - 0.0001 else { return ([], nil, false) }
            state.flushDue = nil
            defer { state.hasOverflowed = false }
            if state.hasOverflowed {
                state.folding.reset()
                return ([], nil, true)
            }
            let items = state.items
            let (changes, next) = state.folding.flush(at: now) { items.isEmptied($0) }
            let seen = changes.compactMap { SeenChange($0.change, by: $0.writer, in: state.items.folders) }
            return (seen, next.flatMap { Self.arm(&state, for: $0, at: now) }, false)
        }
        if let delay { flush(after: delay) }
        if hasOverflowed { lookAtAll() } else { apply(changes) }
    }

    private func apply(_ changes: [SeenChange]) {
        for together in SeenChange.grouped(changes) {
            let later: @Sendable () -> Void = { [weak self] in
                guard let self else { return }
                queue.async { self.applyNow(together) }
            }
            if isQuietElsewhere(together.flatMap(\.paths), later) { applyNow(together) }
        }
    }

    private func applyNow(_ changes: [SeenChange]) {
        let busy = isBeingWritten(changes.flatMap(\.paths))
        let reports = state.withLock { state in
            state.items.now = Self.now
            return changes.flatMap { $0.apply(to: &state.items, isBusy: !busy.isDisjoint(with: $0.paths)) }
        }
        tell(reports)
        lookAtIntervalsIfNeeded()
    }

    /// Compares everything with what is known: some of what happened was not seen.
    func lookAtAll() {
        let reports = state.withLock { state in
            state.items.now = Self.now
            return state.items.lookAtAll()
        }
        tell(reports)
    }

    func tell(_ reports: [OutsideReport]) {
        if !reports.isEmpty { report(reports) }
        searchIfNeeded()
    }

    // MARK: Without watches

    private func lookAtIntervalsIfNeeded() {
        let (begins, isNews) = state.withLock { state in
            guard state.items.folders.unwatchableCount > 0, !state.looksAtIntervals else {
                return (false, false)
            }
            defer { (state.looksAtIntervals, state.hasSaidShortage) = (true, true) }
            return (true, !state.hasSaidShortage)
        }
        if isNews {
            warn(
                "sheaf: the system has no file watches left (fs.inotify.max_user_watches); what others change "
                    + "is looked for every \(Int(looksIntervalSeconds)) seconds instead.\n"
            )
        }
        if begins { look(after: looksIntervalSeconds) }
    }

    private func look(after delay: Double) {
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self else { return }
            let begun = Self.now
            lookAtAll()
            let pause = Self.pause(afterLook: Self.now - begun, atLeast: looksIntervalSeconds)
            let goesOn = state.withLock { state in
                state.looksAtIntervals = state.items.folders.unwatchableCount > 0
                return state.looksAtIntervals
            }
            if goesOn { look(after: pause) }
        }
    }

    /// How long to rest after a look that took so many seconds.
    static func pause(afterLook seconds: Double, atLeast intervalSeconds: Double) -> Double {
        max(intervalSeconds, seconds * restPerLook)
    }

    static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
