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

    private struct State {
        var values = KeyValueState()
        var counter = WriteCounter()
        var settings: KeyValueSettings
        var watch: DirectoryWatch?
        /// Whether the file has been read, or nothing could be.
        var isOpen = false
        var isSavePending = false
        /// Nothing of other devices has come yet: what is written meanwhile gives way to it.
        var awaitsInitialSync = false
        /// Whether that was said of values that have come meanwhile: it is said once.
        var hasToldInitialSync = false
        /// Waits for the end of the first sync.
        var firstSync: SyncFollowing?
    }

    private let state: Locked<State>
    private let queue = DispatchQueue(label: "sheaf.key-values")
    private let writer: KeyValueState.Writer
    private let tell: @Sendable (Reason, [String]) -> Void
    /// How long writes wait for more before they are saved.
    private static let saveDelay = DispatchTimeInterval.milliseconds(50)

    /// Has no values yet: see ``open()``.
    ///
    /// - Parameters:
    ///   - writer: Sixteen random bytes.
    ///   - tell: Told why which keys are others now; on any thread.
    init(
        _ settings: KeyValueSettings,
        writer: [UInt8],
        tell: @escaping @Sendable (Reason, [String]) -> Void
    ) {
        self.writer = KeyValueState.Writer(writer)
        self.tell = tell
        state = Locked(State(settings: settings))
    }

    /// Reads the values, and follows them from now on; nothing when that has been done. Whoever is to be told of what is found
    /// can be told before.
    func open() {
        queue.sync { if !state.withLock({ $0.isOpen }) { openFile() } }
    }

    static func warn(_ sentence: String) {
        StandardError.say("NSUbiquitousKeyValueStore: \(sentence)")
    }

    private static func sentence(_ error: any Error) -> String {
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
            defer { state.isSavePending = true }
            return (true, !state.isSavePending && state.settings.folder != nil)
        }
        guard isRoom else { return tell(.quota, [key]) }
        guard isSaveNeeded else { return }
        queue.asyncAfter(deadline: .now() + Self.saveDelay) { [weak self] in _ = self?.exchange() }
    }

    /// Makes memory and file one. What could not be saved is tried again with the next write.
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

    /// Another account's values take the place of these, whatever their times.
    func changeAccount(to settings: KeyValueSettings) {
        queue.sync {
            // What was written for the former account is its own.
            if state.withLock({ $0.isSavePending }) { _ = exchange() }
            let former = values
            endFirstSync()
            state.withLock { state in
                state.values = KeyValueState()
                state.settings = settings
                state.watch = nil
                // What was written for the former account says nothing of when this one's was.
                state.counter = WriteCounter()
                // Until its file has been read nobody knows: what is written meanwhile gives way.
                state.awaitsInitialSync = settings.container != nil
                state.hasToldInitialSync = false
            }
            openFile()
            let present = values
            let keys = Set(former.keys).union(present.keys).filter { former[$0] != present[$0] }
            tell(.account, keys.sorted())
        }
    }

    // MARK: The file, on the queue

    private func openFile() {
        let settings = state.withLock { state in
            state.isOpen = true
            return state.settings
        }
        guard let folder = settings.folder else { return }
        do {
            try KeyValueFile(settings).makePlace()
            // First the watch: what is written while the file is read is told.
            do { try watch(folder, settings) } catch {
                Self.warn("\(error) What others store is read when something is stored here.")
            }
            let found = try KeyValueFile(settings).load()
            // Also a process that begins anew before anything of other devices has come waits for that.
            if settings.container != nil {
                let isAwaited = (found?.latest ?? WriteNumber(bits: 0)) < WriteNumber.first
                state.withLock { $0.awaitsInitialSync = isAwaited }
                // Who waited and has ended may have left what gives way still.
                if isAwaited || found?.hasEarlyWrites == true { awaitFirstValues(settings) }
            }
            if let found { tellOfQuota(take(found)) }
        } catch {
            Self.warn("\(Self.sentence(error)) What is stored is not read yet.")
        }
    }

    /// From now on what others write is told.
    private func watch(_ folder: FilePath, _ settings: KeyValueSettings) throws(SystemError) {
        let watch = try DirectoryWatch(folder, on: queue) { [weak self] events in
            let isOurs = events.contains { $0.name == settings.fileName || $0.kind == .overflowed }
            if isOurs { self?.readNews() }
        }
        state.withLock { $0.watch = watch }
    }

    /// Waits for the stores' folder to be in step once, whenever somebody keeps it so: if nothing of other devices has come then,
    /// there is nothing.
    private func awaitFirstValues(_ settings: KeyValueSettings) {
        guard let folder = settings.folder else { return }
        let following = SyncFollowing(
            .follow(path: folder.string, isDeep: true),
            of: .shared,
            threadName: "sheaf key-values"
        ) { [weak self] news in
            guard let self, case .said(.changed(_, isSettled: true), _) = news else { return }
            queue.sync { self.endInitialSync(of: settings) }
        }
        state.withLock { $0.firstSync = following }
    }

    private func endInitialSync(of settings: KeyValueSettings) {
        // Another account has a first sync of its own.
        guard state.withLock({ $0.settings == settings }) else { return }
        // What has come is read first, and was the first then.
        readNews()
        endWaiting()
    }

    private func endWaiting() {
        state.withLock { $0.awaitsInitialSync = false }
        endFirstSync()
        if numberEarlyWrites() { _ = exchange() }
    }

    /// What other devices have is known: what has not given way to it is as good from now on. With the numbers that it has, it would
    /// give way to whatever the next new device writes before it knows anything.
    ///
    /// - Returns: Whether there is something of it to save.
    private func numberEarlyWrites() -> Bool {
        state.withLock { state in
            guard state.values.hasEarlyWrites else { return false }
            state.values.numberEarlyWrites(with: &state.counter, by: writer)
            return true
        }
    }

    private func endFirstSync() {
        let following = state.withLock { state in
            defer { state.firstSync = nil }
            return state.firstSync
        }
        following?.end()
    }

    deinit { endFirstSync() }

    private func readNews() {
        let settings = state.withLock { $0.settings }
        do {
            guard let found = try KeyValueFile(settings).load() else { return }
            notify(take(found))
            // Somebody has put an older file in place: what it lacks is added again. So are numbers that are new.
            if state.withLock({ $0.values != found }) { _ = exchange() }
        } catch {
            // A damaged file is put aside when the next one is saved, one of a later version is left alone.
            Self.warn("\(Self.sentence(error)) What others have stored is not read.")
        }
    }

    private func exchange() -> Bool {
        let (values, settings, isWatched) = state.withLock { state in
            state.isSavePending = false
            return (state.values, state.settings, state.watch != nil)
        }
        guard let folder = settings.folder else { return false }
        // That there was none, a person was told when the file was opened.
        if !isWatched { try? watch(folder, settings) }
        do {
            // Once: nobody waits any more then.
            return notify(take(try KeyValueFile(settings).join(values))) ? exchange() : true
        } catch {
            Self.warn("\(Self.sentence(error)) What was stored lasts as long as this process only.")
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
