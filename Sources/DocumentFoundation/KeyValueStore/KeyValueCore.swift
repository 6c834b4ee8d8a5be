internal import Cryptography
internal import Dispatch
internal import FileSystem
internal import Foundation
internal import KeyValues
internal import LocalSockets
internal import Locks
internal import StandardStreams
internal import SyncMessages

/// What an app's key-value store is in this process: the values in memory, the file, and who is told what.
///
/// Values are in one struct under one lock. The file is read and written on one queue, one thing after another.
final class KeyValueCore: Sendable {
    /// Why values are others now, by the numbers that apps know.
    enum Reason: Int {
        case server = 0
        case initialSync = 1
        case quota = 2
        case account = 3
    }

    struct State {
        var values = KeyValueState()
        var counter = WriteCounter()
        var settings: KeyValueSettings
        var watch: DirectoryWatch?
        /// Whether somebody wants the values.
        var isOpen = false
        /// Whether the file has been read since it is where it is.
        var isRead = false
        var isSavePending = false
        /// Why what was stored could not be saved, or what is stored not read; nil once it was. It is said once.
        var failure: String?
        /// Whether what could not be done is about to be tried again.
        var isRetryDue = false
        /// Nothing of other devices has come yet: what is written meanwhile gives way to it.
        var awaitsInitialSync = false
        /// Whether that was said of values that have come meanwhile: it is said once.
        var hasToldInitialSync = false
        /// Waits for the end of the first sync.
        var firstSync: SyncFollowing?
        /// What was written since the values were saved last.
        var unsaved = KeyValueState()
        /// What comes along from where the values were before, and gives way to what is there; until that is saved there.
        var carried = KeyValueState()
        /// Whether another account may be there, and it could not be told yet which.
        var isAccountDue = false
    }

    let state: Locked<State>
    let queue = DispatchQueue(label: "sheaf.key-values")
    let locate: @Sendable () throws -> KeyValueSettings
    let asking: @Sendable () -> UbiquityAccount
    let retryDelay: Double
    let writer: KeyValueState.Writer
    let tell: @Sendable (Reason, [String]) -> Void
    /// How long writes wait for more before they are saved.
    private static let saveDelay = DispatchTimeInterval.milliseconds(50)
    /// After so many seconds what could not be done is tried again.
    static let retrySeconds = 10.0

    /// Has no values yet: see ``open()``.
    ///
    /// - Parameters:
    ///   - locate: Tells where the values are kept, now and whenever it is asked. While it throws, they are in memory, and give way
    ///     to what is there.
    ///   - retrySeconds: After so many seconds what could not be done is tried again.
    ///   - asking: Whose process is asked that keeps the values' folder in step.
    ///   - writer: Sixteen random bytes.
    ///   - tell: Told why which keys are others now; on any thread.
    init(
        _ locate: @escaping @Sendable () throws -> KeyValueSettings,
        retrySeconds: Double = retrySeconds,
        asking: @escaping @Sendable () -> UbiquityAccount = { .shared },
        writer: [UInt8],
        tell: @escaping @Sendable (Reason, [String]) -> Void
    ) {
        self.writer = KeyValueState.Writer(writer)
        self.tell = tell
        (self.locate, self.asking, retryDelay) = (locate, asking, retrySeconds)
        // Why that cannot be told is said when the values are to be read.
        state = Locked(State(settings: (try? locate()) ?? .unknown))
    }

    /// Reads the values, and follows them from now on; nothing when that has been done. Whoever is to be told of what is found
    /// can be told before.
    deinit { endFirstSync() }

    func open() {
        queue.sync { if !state.withLock({ $0.isOpen }) { openFile() } }
    }

    static func warn(_ sentence: String) {
        StandardError.say("NSUbiquitousKeyValueStore: \(sentence)")
    }

    static func sentence(_ error: any Error) -> String {
        (error as? KeyValueError)?.detail ?? "\(error)"
    }

    // MARK: Values

    subscript(key: String) -> KeyValue? { state.withLock { $0.values[key] } }

    var values: [String: KeyValue] { state.withLock { $0.values.values } }

    /// Writes a key, in memory; it is saved soon.
    func set(_ value: KeyValue?, _ key: String) {
        let (isRoom, isSaveNeeded) = state.withLock { state -> (Bool, Bool) in
            let number = state.counter.next(givesWay: state.awaitsInitialSync)
            guard state.values.set(value, key, at: number, by: writer) else { return (false, false) }
            _ = state.unsaved.set(value, key, at: number, by: writer)
            defer { state.isSavePending = true }
            return (true, !state.isSavePending && state.settings.folder != nil)
        }
        guard isRoom else { return tell(.quota, [key]) }
        guard isSaveNeeded else { return }
        queue.asyncAfter(deadline: .now() + Self.saveDelay) { [weak self] in _ = self?.exchange() }
    }

    /// Makes memory and file one. What could not be saved is tried again in a while, and with the next write.
    ///
    /// - Returns: Whether all that was written is on stable storage now.
    func synchronize() -> Bool { queue.sync { exchange() } }

    // MARK: Sync

    /// From now on until something of other devices comes, what is written gives way to that.
    func beginInitialSync() {
        state.withLock { ($0.awaitsInitialSync, $0.hasToldInitialSync) = (true, false) }
    }

    /// All that other devices have has come, if anything.
    func endInitialSync() { queue.sync { endWaiting() } }

    /// Where all that other devices have has come: has what has waited for that wait no more, after a look at what there is.
    ///
    /// - Returns: Whether that has changed the file: others are to hear of it.
    func endInitialSyncNow() -> Bool {
        queue.sync {
            _ = exchange()
            // What could not be read yet may have come all the same.
            let isToEnd = state.withLock { $0.isRead && ($0.awaitsInitialSync || $0.values.hasEarlyWrites) }
            guard isToEnd else { return false }
            let isNews = state.withLock { $0.values.hasEarlyWrites }
            endWaiting()
            return isNews
        }
    }

    /// Keeps nothing any more, wherever it was kept, and follows nothing.
    func end() {
        queue.sync {
            endFirstSync()
            state.withLock { ($0.settings, $0.watch) = (.inMemory, nil) }
        }
    }

    // MARK: The file, on the queue

    /// - Parameter tells: Whether what is found is news: else nobody has asked for a value yet.
    func openFile(tells: Bool = false) {
        let settings = state.withLock { state in
            (state.isOpen, state.isRead) = (true, false)
            // Until the file has been read nobody knows what is in it: what is written meanwhile gives way.
            let isKept = state.settings.folder != nil || state.settings == .unknown
            state.awaitsInitialSync = isKept && state.values.latest < .first
            return state.settings
        }
        if settings == .unknown { return lookForPlace() }
        guard let folder = settings.folder else { return }
        // Whoever waited until now waits anew, if he still has to.
        endFirstSync()
        do {
            try KeyValueFile(settings).makePlace()
            // First the watch: what is written while the file is read is told.
            do { try watch(folder, settings) } catch {
                let consequence = "What others store is read when something is stored here."
                // It was said when the file was opened first.
                if !tells { Self.warn("\(error) \(consequence)") }
            }
            let found = try KeyValueFile(settings).load()
            let waiting = try KeyValueFile.waiting(for: settings)
            let own = settings.container == nil ? nil : ownFile(settings)
            _ = valuesToJoin(found)
            state.withLock { $0.isRead = true }
            let carried = carried(with: own)
            for values in [found, waiting?.values, carried].compactMap({ $0 }) {
                let news = take(values)
                if tells { notify(news) } else { tellOfQuota(news) }
            }
            if settings.container != nil { awaitFirstValues(settings) }
            if tells || waiting != nil || carried != nil, save() {
                waiting?.remove()
                own?.putAside()
                state.withLock { $0.carried = KeyValueState() }
            }
        } catch {
            fail(error, "What is stored is not read yet.")
        }
        if settings.isAway { tryAgainLater() }
    }

    /// What is to be joined with what the file has.
    ///
    /// What was written before a store of this device's own could be read is later than what that has: nobody else's is in it.
    private func valuesToJoin(_ found: KeyValueState?) -> KeyValueState {
        state.withLock { state in
            if state.settings.container == nil, !state.isRead {
                if let found { state.counter.observe(found.latest) }
                state.values.numberEarlyWrites(with: &state.counter, by: writer)
                state.awaitsInitialSync = false
            }
            return state.values
        }
    }

    /// From now on what others write is told.
    private func watch(_ folder: FilePath, _ settings: KeyValueSettings) throws(SystemError) {
        let watch = try DirectoryWatch(folder, on: queue) { [weak self] events in
            guard let self else { return }
            if events.contains(where: { $0.kind == .selfDeleted || $0.kind == .selfMoved }) {
                return loseFolder()
            }
            let isOurs = events.contains { $0.name == settings.fileName || $0.kind == .overflowed }
            if isOurs { readNews() }
        }
        state.withLock { $0.watch = watch }
    }

    func fail(_ error: any Error, _ consequence: String) {
        let sentence = Self.sentence(error)
        let isNews = state.withLock { state in
            defer { state.failure = sentence }
            return state.failure != sentence
        }
        // What is tried again and again is said once.
        if isNews { Self.warn("\(sentence) \(consequence)") }
        tryAgainLater()
    }

    func readNews() {
        let settings = state.withLock { $0.settings }
        do {
            guard let found = try KeyValueFile(settings).load() else { return }
            notify(take(found))
            // Somebody has put an older file in place: what it lacks is added again. So are numbers that are new.
            if state.withLock({ $0.values != found }) { _ = save() }
        } catch {
            // A damaged file is put aside when the next one is saved, one of a later version is left alone.
            Self.warn("\(Self.sentence(error)) What others have stored is not read.")
        }
    }

    /// Makes memory and file one, wherever that is by now.
    private func exchange() -> Bool {
        lookForPlace()
        let isToRead = state.withLock { $0.isOpen && !$0.isRead && $0.settings != .unknown }
        if isToRead { openFile(tells: true) }
        return save()
    }

    func save() -> Bool {
        let (settings, isWatched) = state.withLock { state in
            state.isSavePending = false
            return (state.settings, state.watch != nil)
        }
        guard let folder = settings.folder else { return false }
        let unsaved = state.withLock { state in
            defer { state.unsaved = KeyValueState() }
            return state.unsaved
        }
        // That there was none, a person was told when the file was opened.
        if !isWatched { try? watch(folder, settings) }
        do {
            let isRenumbered = notify(take(try KeyValueFile(settings).join(valuesToJoin)))
            state.withLock { $0.failure = nil }
            // Once: nobody waits any more then.
            return isRenumbered ? save() : true
        } catch {
            state.withLock { _ = $0.unsaved.merge(unsaved) }
            fail(error, "What was stored lasts as long as this process only, until it can be saved.")
            return false
        }
    }

    /// What others' values have come to.
    private struct News {
        /// The keys that hold something else now.
        var changed: Set<String>
        /// Whether something of it waits for nothing: not only what other processes here have written before the first sync.
        var isFirst: Bool
        /// Whether there is more now than there is room for, and was not before.
        var isBeyondQuota: Bool
    }

    private func take(_ found: KeyValueState) -> News {
        state.withLock { state in
            state.counter.observe(found.latest)
            let wasBeyondQuota = state.values.isBeyondQuota
            let changed = state.values.merge(found)
            return News(
                changed: changed,
                isFirst: found.latest >= WriteNumber.first,
                isBeyondQuota: !wasBeyondQuota && state.values.isBeyondQuota
            )
        }
    }

    /// - Returns: Whether something has another number by that, and is to be saved.
    @discardableResult
    private func notify(_ news: News) -> Bool {
        defer { tellOfQuota(news) }
        let changed = news.changed
        guard !changed.isEmpty else { return false }
        let (isInitial, isEnd) = state.withLock { state in
            guard state.awaitsInitialSync else { return (false, false) }
            // What gives way as this store's own does may be another process's here, or another device's that waits as well.
            state.awaitsInitialSync = !news.isFirst
            defer { state.hasToldInitialSync = true }
            return (!state.hasToldInitialSync, news.isFirst)
        }
        defer { tell(isInitial ? .initialSync : .server, changed.sorted()) }
        return isEnd && numberEarlyWrites()
    }

    /// All of it stays: nobody but the app knows what can go. Until it has removed enough, only what makes the store smaller
    /// is written.
    private func tellOfQuota(_ news: News) {
        if news.isBeyondQuota { tell(.quota, news.changed.sorted()) }
    }
}
