internal import Dispatch
internal import FileSystem
internal import KeyValues
internal import Locks
internal import SyncMessages

// The first values of other devices: what is written before they are known gives way to them. On the core's queue.
extension KeyValueCore {
    /// Until something of other devices has come, what is written gives way to that: also for a process that begins anew before, and
    /// for what was written while the folder was away.
    func awaitFirstValues(_ settings: KeyValueSettings) {
        let isToWait = state.withLock { state in
            state.awaitsInitialSync = state.values.latest < .first
            // Who waited and has ended may have left what gives way still.
            return state.awaitsInitialSync || state.values.hasEarlyWrites
        }
        // What is away is in step with nothing.
        if isToWait, !settings.isAway { followFirstSync(settings) }
    }

    /// Waits for the stores' folder to be in step once, whenever somebody keeps it so: if nothing of other devices has come then,
    /// there is nothing.
    private func followFirstSync(_ settings: KeyValueSettings) {
        guard let folder = settings.folder else { return }
        let following = SyncFollowing(
            .follow(path: folder.string, isDeep: true),
            of: asking(),
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

    func endWaiting() {
        state.withLock { $0.awaitsInitialSync = false }
        endFirstSync()
        if numberEarlyWrites() { _ = save() }
    }

    /// What other devices have is known: what has not given way to it is as good from now on. With the numbers that it has, it would
    /// give way to whatever the next new device writes before it knows anything.
    ///
    /// - Returns: Whether there is something of it to save.
    func numberEarlyWrites() -> Bool {
        state.withLock { state in
            guard state.values.hasEarlyWrites else { return false }
            state.values.numberEarlyWrites(with: &state.counter, by: writer)
            return true
        }
    }

    func endFirstSync() {
        let following = state.withLock { state in
            defer { state.firstSync = nil }
            return state.firstSync
        }
        following?.end()
    }
}
