internal import Sync
internal import SyncMessages

// What a full hub does not even take a record of waits here, each item by itself, and all else goes on. So does that of which
// something on the way does not let the record through.
extension SyncRun {
    /// A full hub is asked again each so many times.
    static let fullHubAttempts = 6

    /// Whether a full hub is to be asked again with this attempt.
    var isFullHubDue: Bool { attemptCount % Self.fullHubAttempts == 0 }

    /// Of all contents for which the hub had no room, those of which it lacks the fewest bytes: they are asked about alone, and the
    /// others are sent when these are there.
    var smallestWithoutHubRoom: ContentName? {
        contentsWithoutHubRoom
            .map { (byteCount: line?.neededByteCount(of: $0) ?? 0, name: $0) }
            .min { ($0.byteCount, $0.name) < ($1.byteCount, $1.name) }?.name
    }

    /// All contents that wait for room at the hub; what has been replaced meanwhile only where nothing else does: the hub would keep it
    /// for weeks.
    private var contentsWithoutHubRoom: [ContentName] {
        let engine = engine
        let all = failedContents.filter { $0.value.code == .quota && excludedItem(sending: $0.key) == nil }
            .keys
        let live = all.filter { name in
            engine.waitingItems(for: name).contains { item in
                engine.disk[item]?.contents.contains(name) == true
                    || engine.comingContents(of: item).contains(name)
            }
        }
        return live.isEmpty ? Array(all) : live
    }

    /// The hub has room for some contents for which it had none: what else waits for that is sent.
    func sendWhatWaitedForRoom() {
        let names = contentsWithoutHubRoom.filter { engine.isSending($0) }
        line?.queue(uploads: names.sorted().map { ContentStore.Upload($0) })
    }

    /// The hub has taken none of those commits, for want of room, or has not even seen them.
    func holdBack(_ commits: [Commit], _ why: SyncRefusal) {
        if why.code == .quota { hubRoomRefusalCount += 1 }
        // Of those of a line that has been down since the engine has made others.
        let engine = engine
        let waiting = commits.filter { engine.isCommitting($0) }
        guard let first = waiting.first else { return }
        // What is tried again and again is said once.
        if toldHubRefusal != why {
            toldHubRefusal = why
            report(.failed(path: path(of: first.item), why: why.description))
        }
        for commit in waiting { stuck[commit.item] = (.commit(commit), DiskRefusal(ofRecord: why)) }
        news.formUnion(waiting.map(\.item))
        tellFollowers()
    }

    /// What the log has of this run's commits the hub had room for.
    func noteRoom(for heard: [LogDesk.Heard]) {
        guard toldHubRefusal != nil else { return }
        if heard.contains(where: { $0.entry.commit.id.session == session }) { toldHubRefusal = nil }
    }

    /// What waits because the hub has no room for a record of it.
    var hubRefusals: [ItemID: (effect: Effect, why: DiskRefusal)] {
        stuck.filter { $0.value.why.cause == .hubFull }
    }

    /// What waited for room at the hub, or to be let through, waits for the line, and is offered anew with it.
    func endHubRefusals() {
        stuck = stuck.filter { ![.hubFull, .onTheWay].contains($0.value.why.cause) }
    }
}
