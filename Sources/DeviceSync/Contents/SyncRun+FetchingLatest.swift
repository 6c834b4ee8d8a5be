internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Sync
internal import SyncMessages
internal import Vault

// What the hub has of one document, for who asks for it.
//
//     asked ──(contents are here)──▶ the hub says how far its log goes ──(that is read)──▶ in place, or beside it ──▶ told
extension SyncRun {
    /// Has what the hub has of a document come here: what it has now, and not what was heard of that until now.
    ///
    /// - Parameter done: Told once, on the container's queue, how it has ended.
    /// - Returns: What ends the waiting without an answer.
    func fetchLatest(
        _ path: String,
        done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void
    ) throws -> @Sendable () -> Void {
        // It may have been saved or renamed a moment ago.
        try lookAround(path)
        guard let item = try documents(at: path).first, item == self.item(at: path) else {
            throw SyncRefusal(.failed, "“\(path)” is a folder. Name a document.")
        }
        guard lineState == .up else { throw unreachable }
        if table[item]?.isDataless == true {
            guard engine.tree[item] != nil else { throw absentAtHub(item) }
            // A version is one of something that is here.
            return try download(path, thenFetchingLatest(path, done))
        }
        askHead { run, head in
            switch head {
            case .success(let position):
                run.waits.append(
                    ItemWait(item: item, end: .heard(position), done: run.fetchingHeard(item, done))
                )
                run.endWaits()
            case .failure(let refusal): done(.failure(refusal))
            }
        }
        return {}
    }

    /// Asks the hub how far its log goes, beside all else.
    ///
    /// - Parameter done: Told on the container's queue.
    private func askHead(_ done: @escaping @Sendable (SyncRun, Result<LogPosition, SyncRefusal>) -> Void) {
        let (box, known) = (Confined(Weak(self)), desk.head.position)
        DispatchQueue(label: "sheaf.latest", qos: .userInitiated).async { [hub, queue] in
            let head = Result { try hub.log(after: known, waitSeconds: 0).head.position }
                .mapError { SyncRefusal(.unreachable, "The hub has not said what it has: \($0)") }
            queue.async {
                guard let run = box.value.value else { return }
                done(run, run.isStopped ? .failure(run.endRefusal) : head)
            }
        }
    }

    /// Who waits for contents to come here, and goes on to what the hub has by then.
    private func thenFetchingLatest(
        _ path: String,
        _ done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void
    ) -> DownloadWaiter {
        let goOn = goingOn(done) { _ = try $0.fetchLatest(path, done: done) }
        return DownloadWaiter(progress: { _ in }) { goOn($0.map { .failure($0) } ?? .success(nil)) }
    }

    /// Who waits for the log to be read, and goes on to what it says of an item.
    private func fetchingHeard(
        _ item: ItemID,
        _ done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void
    ) -> @Sendable (Result<VersionID?, SyncRefusal>) -> Void {
        goingOn(done) { try $0.fetchHeard(item, done) }
    }

    /// Goes on with something where what was waited for has ended well.
    private func goingOn(
        _ done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void,
        _ body: @escaping @Sendable (SyncRun) throws -> Void
    ) -> @Sendable (Result<VersionID?, SyncRefusal>) -> Void {
        { [queue, box = Confined(Weak(self))] result in
            if case .failure = result { return done(result) }
            // Those who wait are told in the middle of something.
            queue.async {
                guard let run = box.value.value else { return }
                guard !run.isStopped else { return done(.failure(run.endRefusal)) }
                do { try body(run) } catch { done(.failure(.failed(error))) }
            }
        }
    }

    /// Has what the log says of an item come here, now that it is read.
    private func fetchHeard(
        _ item: ItemID,
        _ done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void
    ) throws {
        guard lineState == .up else { throw unreachable }
        guard table[item]?.isDataless != true else {
            // It has been evicted meanwhile.
            _ = try fetchLatest(path(of: item), done: done)
            return
        }
        guard paused[item] != nil else {
            tryAgain(item)
            waits.append(ItemWait(item: item, end: .latest(nil), done: done))
            return endWaits()
        }
        guard let state = engine.tree[item] else { throw absentAtHub(item) }
        guard let theirs = state.content, theirs != engine.disk[item]?.content else {
            return done(.success(nil))
        }
        // The hub may have it by now.
        failedContents[theirs] = nil
        waits.append(ItemWait(item: item, end: .latest(theirs), done: done))
        if try contents.has(theirs) { return endWaits() }
        line?.queue(downloads: [HubLine.Fetch(name: theirs, item: item)])
    }

    /// Tries at once what could not be done with an item until now, and is tried now and then.
    private func tryAgain(_ item: ItemID) {
        if stuck[item] != nil { retryStuck() }
        for case .getting(let content) in engine.reasons(for: item) where failedContents[content] != nil {
            failedContents[content] = nil
            line?.queue(fetches: [HubLine.Fetch(name: content, item: item)])
        }
    }

    /// Why the hub has nothing of an item.
    private func absentAtHub(_ item: ItemID) -> SyncRefusal {
        let name = "“\(path(of: item))”"
        return SyncRefusal(
            .absent,
            engine.lastAgreed(item) == nil && table[item] != nil
                ? "\(name) has not been sent to the hub yet."
                : "\(name) was removed on another device: the hub has nothing of it any more."
        )
    }

    // MARK: How it ends

    /// What keeps an item from becoming what the hub has until somebody does something about it, or something is otherwise that nobody
    /// tells of.
    private static let hindrances: Set<Explanation.Cause.Kind> = [
        .braked, .paused, .hubFull, .contentsLost, .cannotSend, .cannotGet, .cannotPlace, .cannotRead,
        .cannotRemember,
        .emptied, .notMounted, .leftOut,
    ]

    /// Whether the log has been read to an entry, or will not be for now; nil for not yet.
    func endOfReading(to position: LogPosition, for item: ItemID) -> Result<VersionID?, SyncRefusal>? {
        if engine.tree.position >= position { return .success(nil) }
        // What is not written down is not taken in.
        guard let obstacle = obstacle(to: item), obstacle.kind == .cannotRemember else { return nil }
        return .failure(SyncRefusal(.failed, obstacle.text))
    }

    /// Whether an item that is not paused is here as the hub has it, or will not be for now; nil for not yet.
    func endOfComing(_ item: ItemID) -> Result<VersionID?, SyncRefusal>? {
        if [.none, .here].contains(engine.change(of: item)), table[item]?.isDataless != true {
            return engine.tree[item] == nil ? .failure(absentAtHub(item)) : .success(nil)
        }
        let chain = explain(item).chain
        guard let hindrance = chain.first(where: { Self.hindrances.contains($0.kind) }) else { return nil }
        var refusal = SyncRefusal(
            .failed,
            "“\(path(of: item))” is not here as the hub has it: \(hindrance.text)"
        )
        refusal.hubDeed = awaitedContents(of: item).lazy.compactMap { self.failedContents[$0]?.hubDeed }.first
        return .failure(refusal)
    }

    /// Whether contents that the hub has of a paused item are here as a version, or will not be; nil for not yet.
    func endOfComing(_ content: ContentName, for item: ItemID) -> Result<VersionID?, SyncRefusal>? {
        // What the vault cannot tell now it may tell later.
        if (try? contents.has(content)) == true {
            return Result { try keepAsVersion(content, of: item, isDiscardable: false) }
                .mapError { .failed($0) }
        }
        return failedContents[content].map { .failure($0) }
    }

    /// Keeps contents that the container's vault has as a version of an item.
    func keepAsVersion(_ content: ContentName, of item: ItemID, isDiscardable: Bool) throws -> VersionID? {
        guard let path = table.shownPath(of: item, in: place.folder) else {
            throw SyncRefusal(.absent, "“\(self.path(of: item))” is not there.")
        }
        return try withOwnFolder(for: .remote) { folder in
            let copy = folder.appending(path.name)
            try contents.restore(content, to: copy)
            let isDirectory = try ContentStore.contents(content).kind == .directory
            return try versions.keep(
                contents: copy.url(isDirectory: isDirectory),
                asVersionOf: path.url(isDirectory: isDirectory),
                isDiscardable: isDiscardable
            )
        }
    }
}
