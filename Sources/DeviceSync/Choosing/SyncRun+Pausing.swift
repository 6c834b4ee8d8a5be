internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages
internal import Vault

// Items that somebody has paused. Which these are outlives the process.

/// Somebody waits for what becomes of one item.
struct ItemWait: Sendable {
    /// What is waited for.
    enum End: Sendable {
        /// What is here of a paused item is at the hub.
        case offered
        /// The log has been read to this entry.
        case heard(LogPosition)
        /// What the hub has is here; of a paused item as a version.
        case latest(ContentName?)
    }

    var item: ItemID
    var end: End
    /// Told once, on the container's queue, how it has ended.
    var done: @Sendable (Result<VersionID?, SyncRefusal>) -> Void
}

extension SyncRun {
    // MARK: Pausing

    func pause(_ path: String, by who: String) throws {
        try lookAround(path)
        let items = try documents(at: path).filter { paused[$0] == nil }
        if let busy = items.first(where: { !engine.mayBePaused($0) }) {
            throw SyncRefusal(.busy, "“\(self.path(of: busy))” is just being brought up to date. Try again.")
        }
        let pause = SyncPause(sinceSeconds: contents.now.timeIntervalSince1970, by: who)
        try memory.remember(pauses: items.reduce(into: [:]) { $0.updateValue(pause, forKey: $1) })
        for item in items {
            paused[item] = pause
            news.insert(item)
        }
        take([.paused(Set(items))])
    }

    /// - Parameter done: Told once, how it has ended.
    func resume(
        _ path: String,
        _ resumption: SyncResumption,
        done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void
    ) throws {
        if resumption == .failOnConflict, let item = item(at: path) {
            // Who has it sent has saved it.
            for member in table.subtree(of: item) where paused[member] != nil {
                endWriting(member, isWhole: true)
            }
        }
        try lookAround(path)
        let items = try documents(at: path).filter { paused[$0] != nil } + pausedAndRemoved(in: path)
        switch resumption {
        case .preserveLocal:
            try resume(items, dropsLocal: false)
        case .dropLocal:
            for item in items { try checkThatLocalMayGo(item) }
            for item in items { try keepLocal(item) }
            try resume(items, dropsLocal: true)
        case .failOnConflict:
            // One after another: the first that others have changed ends it.
            guard let item = items.first else { break }
            return offer(item) { [queue, box = Confined(Weak(self))] result in
                guard case .success = result else { return done(result) }
                queue.async {
                    guard let run = box.value.value else { return }
                    guard !run.isStopped else { return done(.failure(run.endRefusal)) }
                    do {
                        try run.resume([item], dropsLocal: false)
                        try run.resume(path, resumption, done: done)
                    } catch { done(.failure(.failed(error))) }
                }
            }
        }
        done(.success(nil))
    }

    /// Paused items that are in a folder at the hub and nowhere here any more.
    private func pausedAndRemoved(in path: String) -> [ItemID] {
        guard let folder = item(at: path) else { return [] }
        return paused.keys.filter { item in
            guard item != folder, table[item] == nil else { return false }
            var (at, depth) = (item, 0)
            while let parent = engine.tree[at]?.place.parent, depth < 4096 {
                if parent == folder { return true }
                (at, depth) = (parent, depth + 1)
            }
            return false
        }
        .sorted()
    }

    private func resume(_ items: [ItemID], dropsLocal: Bool) throws {
        try rememberResumed(items, dropsLocal: dropsLocal)
        for item in items {
            paused[item] = nil
            news.insert(item)
        }
        take(items.map { .resumed($0, dropsLocal: dropsLocal) })
        tellFollowers()
    }

    /// Writes down that items are resumed before anything is done that follows from it. Where what is here is dropped, also that
    /// disk and log agreed on that: should this process die in between, it would count as an edit else, and go to the others.
    func rememberResumed(_ items: [ItemID], dropsLocal: Bool) throws {
        let dropped = dropsLocal ? items.filter(engine.mayDropLocal) : []
        try memory.remember(
            pauses: items.reduce(into: [:]) { $0.updateValue(nil, forKey: $1) },
            agreed: dropped.reduce(into: [:]) { notes, item in
                notes[item] = AgreedItems.Note(
                    engine.disk[item],
                    seen: table.writtenState(of: item),
                    logged: engine.tree[item]
                )
            }
        )
    }

    private func checkThatLocalMayGo(_ item: ItemID) throws {
        let name = "“\(path(of: item))”"
        guard lineState == .up else { throw unreachable }
        guard engine.tree[item] != nil else {
            throw SyncRefusal(.notUploaded, "\(name) is nowhere but here, so it stays.")
        }
        guard unkept[item] == nil, writing.waiting[item] == nil, engine.mayBePaused(item),
            !engine.isCommitting(item)
        else {
            throw SyncRefusal(.busy, "\(name) is being read or sent just now. Try again.")
        }
    }

    /// Keeps what is here as a version before it goes.
    private func keepLocal(_ item: ItemID) throws {
        guard let known = table[item], !known.isDataless, known.state.content != nil,
            known.state.content != engine.tree[item]?.content,
            let path = table.path(of: item, in: place.folder)
        else { return }
        let url = path.url(isDirectory: known.trace.kind == .directory)
        _ = try versions.keep(contents: url, asVersionOf: url, isDiscardable: false)
    }

    var unreachable: SyncRefusal {
        SyncRefusal(.unreachable, "There is no line to the hub: \(lineReason)")
    }

    /// Takes in which items are paused, at the start, as the engine has.
    func recallPauses() throws {
        paused = try memory.pauses()
        // Items that are nowhere any more.
        let gone = paused.keys.filter { table[$0] == nil && engine.tree[$0] == nil }
        try memory.remember(pauses: gone.reduce(into: [:]) { $0.updateValue(nil, forKey: $1) })
        for item in gone { paused[item] = nil }
        // One that comes back, out of the trash say, is as any other.
        take(gone.map { .resumed($0, dropsLocal: false) })
    }

    // MARK: Waiting for one item

    /// Has what is here of a paused document go to the hub.
    ///
    /// - Returns: What ends the waiting without an answer.
    func offer(
        _ path: String,
        done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void
    ) throws -> @Sendable () -> Void {
        // Who asks for it has saved it.
        if let item = item(at: path) { endWriting(item, isWhole: true) }
        try lookAround(path)
        let item = try pausedDocument(path)
        offer(item, done: done)
        return {}
    }

    private func pausedDocument(_ path: String) throws -> ItemID {
        guard let item = try documents(at: path).first, item == self.item(at: path) else {
            throw SyncRefusal(.failed, "“\(path)” is a folder. Name a document.")
        }
        guard paused[item] != nil else {
            throw SyncRefusal(.failed, "“\(path)” is not paused: it goes to the hub by itself.")
        }
        return item
    }

    private func offer(_ item: ItemID, done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void) {
        // What the engine knows is what was here before.
        if let refusal = refusalAsUnread(item) { return done(.failure(refusal)) }
        guard engine.disk[item] != engine.tree[item] else { return done(.success(nil)) }
        guard lineState == .up else { return done(.failure(unreachable)) }
        guard !engine.isOvertaken(item) else { return done(.failure(overtaken(item))) }
        // What was in the way before may not be any more.
        if let content = engine.disk[item]?.content { failedContents[content] = nil }
        waits.append(ItemWait(item: item, end: .offered, done: done))
        take([.offered(item)])
    }

    /// Why nobody can say that what the engine knows of an item is what is here; nil where it is.
    private func refusalAsUnread(_ item: ItemID) -> SyncRefusal? {
        let name = "“\(path(of: item))”"
        if let obstacle = obstacle(to: item) {
            let isForNow = obstacle.kind == .beingWritten || obstacle.kind == .inUse
            return SyncRefusal(
                isForNow ? .busy : .failed,
                "Nothing of \(name) was sent. \(obstacle.text)"
            )
        }
        guard isLookedAt(item) else {
            return SyncRefusal(.busy, "\(name) is just being read: nothing was sent. Try again.")
        }
        return nil
    }

    private func overtaken(_ item: ItemID) -> SyncRefusal {
        SyncRefusal(.overtaken, "“\(path(of: item))” was changed elsewhere, too: nothing was sent.")
    }

    /// Tells those who wait what has become of their items.
    func endWaits() {
        guard !waits.isEmpty else { return }
        var ended: [(ItemWait, Result<VersionID?, SyncRefusal>)] = []
        waits.removeAll { wait in
            guard let result = end(of: wait) else { return false }
            ended.append((wait, result))
            return true
        }
        for (wait, result) in ended {
            if case .offered = wait.end, case .failure = result { take([.withdrawn(wait.item)]) }
            wait.done(result)
        }
    }

    /// How a waiting has ended; nil for not yet.
    private func end(of wait: ItemWait) -> Result<VersionID?, SyncRefusal>? {
        let item = wait.item
        switch wait.end {
        case .offered:
            if !engine.isLetThrough(item) { return .success(nil) }
            if engine.isOvertaken(item) { return .failure(overtaken(item)) }
            if let failure = engine.disk[item]?.content.flatMap({ failedContents[$0] }) {
                return .failure(failure)
            }
            if stuck[item] != nil, let obstacle = obstacle(to: item) {
                return .failure(SyncRefusal(.failed, "“\(path(of: item))”: \(obstacle.text)"))
            }
        case .heard(let position):
            if let result = endOfReading(to: position, for: item) { return result }
        case .latest(nil):
            if let result = endOfComing(item) { return result }
        case .latest(let content?):
            if let result = endOfComing(content, for: item) { return result }
        }
        return lineState == .up ? nil : .failure(unreachable)
    }
}

extension SyncRefusal {
    /// What an error says to who has asked.
    static func failed(_ error: any Error) -> SyncRefusal {
        error as? SyncRefusal ?? SyncRefusal(.failed, "\(error)")
    }
}
