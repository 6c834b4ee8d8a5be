internal import Dispatch
internal import FileSystem
internal import KeyValues
internal import Locks

// Where the values are: in which account's folder, and where that is by now.
extension KeyValueCore {
    // MARK: Accounts

    /// Another account's values take the place of these, whatever their times.
    func changeAccount(to settings: KeyValueSettings) { queue.sync { change(to: settings) } }

    /// Another account may be there, or none.
    func followAccount() {
        queue.sync {
            state.withLock { $0.isAccountDue = true }
            lookForPlace()
        }
    }

    /// - Parameter isLeft: Whether the folder where the values are is in step with nothing any more, and another one is.
    private func change(to settings: KeyValueSettings, isLeft: Bool = false) {
        guard state.withLock({ $0.settings != settings }) else { return }
        // What was written for the former account is its own.
        if !isLeft, state.withLock({ $0.isSavePending || $0.failure != nil }) { _ = save() }
        let former = values
        endFirstSync()
        state.withLock { state in
            state.carried = Self.carried(from: state, to: settings, isLeft: isLeft)
            (state.values, state.unsaved) = (state.carried.early, KeyValueState())
            // What was written for the former account says nothing of when this one's was.
            state.counter = WriteCounter()
            state.counter.observe(state.values.latest)
            state.settings = settings
            (state.watch, state.failure) = (nil, nil)
            state.hasToldInitialSync = false
        }
        openFile()
        let present = values
        let keys = Set(former.keys).union(present.keys).filter { former[$0] != present[$0] }
        tell(.account, keys.sorted())
    }

    /// What comes along: what this device had of its own before something was joined, and what was written when the folder had been
    /// left already. From one account to another nothing does.
    private static func carried(
        from state: State,
        to settings: KeyValueSettings,
        isLeft: Bool
    ) -> KeyValueState {
        guard settings.container != nil else { return KeyValueState() }
        if state.settings.container == nil { return state.values }
        return isLeft ? state.unsaved : KeyValueState()
    }

    /// The file of this device's own store, of before something was joined; nil for none.
    func ownFile(_ settings: KeyValueSettings) -> KeyValueFile.Waiting? {
        do { return try KeyValueFile.own(before: settings) } catch {
            // The account's values are there without it, and it is looked for again when they are opened next.
            Self.warn("\(Self.sentence(error)) What was stored before a folder was joined is not read.")
            return nil
        }
    }

    /// What comes along and gives way to what is there; nil for nothing.
    ///
    /// - Parameter own: Is in it, too.
    func carried(with own: KeyValueFile.Waiting?) -> KeyValueState? {
        var carried = state.withLock { $0.carried }
        if let own { carried.merge(own.values) }
        return own == nil && carried == KeyValueState() ? nil : carried.early
    }

    // MARK: Folders

    /// The folder has gone from where it was, or its volume has.
    func loseFolder() {
        state.withLock { $0.watch = nil }
        lookForPlace()
        if state.withLock({ $0.watch == nil }) { tryAgainLater() }
    }

    /// Looks where the values are by now: their folder may be somewhere else, there again, away, or left.
    func lookForPlace() {
        let (known, isAccountDue) = state.withLock { ($0.settings, $0.isAccountDue) }
        let now: KeyValueSettings
        do { now = try locate() } catch {
            // Until it can be told, it is where it was.
            if known == .unknown { fail(error, "What is stored is not read yet.") }
            if isAccountDue { tryAgainLater() }
            return
        }
        state.withLock { $0.isAccountDue = false }
        guard now != known else { return }
        if known != .unknown, now.container != known.container {
            // Whether another account is there, or none, is told by who looks for that.
            let isLeft = now.container != nil && known.container != nil
            if isLeft || isAccountDue { change(to: now, isLeft: isLeft && !isAccountDue) }
            return
        }
        guard known == .unknown || now.container != nil else { return }
        state.withLock { ($0.settings, $0.watch) = (now, nil) }
        openFile(tells: true)
    }

    /// Has what cannot be done now be tried again in a while. A process that ends meanwhile is not kept from it.
    func tryAgainLater() {
        let isDue = state.withLock { state in
            defer { state.isRetryDue = true }
            return state.isRetryDue
        }
        guard !isDue else { return }
        queue.asyncAfter(deadline: .now() + retryDelay) { [weak self] in self?.tryAgain() }
    }

    private func tryAgain() {
        state.withLock { $0.isRetryDue = false }
        lookForPlace()
        let now = state.withLock { $0 }
        // Why that cannot be told yet was said.
        guard now.settings != .unknown else { return }
        if !now.isRead || now.watch == nil && isFolderThere {
            openFile(tells: true)
        } else if now.failure != nil {
            _ = save()
        }
        // What it is in may be about to go, too.
        let isLost = now.settings.container != nil && state.withLock { $0.watch == nil }
        if now.settings.isAway || isLost { tryAgainLater() }
    }

    /// Who removes it with all that is in it may mean it: it is made again with the next write, and not before.
    private var isFolderThere: Bool {
        guard let folder = state.withLock({ $0.settings.folder }) else { return false }
        // What cannot be looked at is not there yet.
        return (try? FileStamp.ifPresent(at: folder)) ?? nil != nil
    }
}
