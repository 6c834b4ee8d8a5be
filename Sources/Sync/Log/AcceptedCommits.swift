/// What a hub has said that it has taken into its log, until the log as it is read has shown it. Pure.
///
/// The hub is not trusted: where the log goes on past the entry that it has named, with something else there, it has said what is
/// not so. It may have been put back in between, which its log does not show to who had not read so far.
package struct AcceptedCommits: Sendable {
    /// Where each is to come.
    private var awaited: [Commit.ID: LogPosition] = [:]
    /// The same, by place: of two that are to come at the same one, one does not.
    private var due: [LogPosition: Set<Commit.ID>] = [:]
    /// Commits that have been read, as an answer may come later than what it is about: the newest, and those before them.
    private var shown: (new: Set<Commit.ID>, old: Set<Commit.ID>) = ([], [])

    /// So many are remembered at least. No more are under way at a time.
    package static let shownCountMin = 4096

    /// The last entry that has been read.
    private var head: LogPosition

    /// - Parameter head: The last entry that has been read.
    package init(readTo head: LogPosition) { self.head = head }

    /// The last place where something is to come; nil for none.
    package var last: LogPosition? { due.keys.max() }

    /// The hub says that it has taken a commit.
    ///
    /// - Parameter position: As which entry.
    /// - Returns: False where something else has been read there.
    package mutating func accept(_ id: Commit.ID, at position: LogPosition) -> Bool {
        if shown.new.contains(id) || shown.old.contains(id) { return true }
        guard position > head else { return false }
        forget(id)
        awaited[id] = position
        due[position, default: []].insert(id)
        return true
    }

    /// The next entry has been read.
    ///
    /// - Parameter isOwn: Whether it is of this device's making.
    /// - Returns: What was to come there, and is not what has.
    package mutating func read(_ id: Commit.ID, at position: LogPosition, isOwn: Bool) -> [Commit.ID] {
        head = position
        if isOwn {
            forget(id)
            if shown.new.count >= Self.shownCountMin { shown = ([], shown.new) }
            shown.new.insert(id)
        }
        let missing = due.removeValue(forKey: position) ?? []
        for id in missing { awaited[id] = nil }
        return missing.sorted { ($0.session, $0.number) < ($1.session, $1.number) }
    }

    /// Waits no more for what was to come after an entry: the log ends with that.
    ///
    /// - Returns: What was, and where.
    package mutating func giveUp(after end: LogPosition) -> [(id: Commit.ID, position: LogPosition)] {
        let missing = awaited.filter { $0.value > end }.map { (id: $0.key, position: $0.value) }
        for (id, _) in missing { forget(id) }
        return missing.sorted { ($0.position, $0.id.number) < ($1.position, $1.id.number) }
    }

    /// What is read begins anew after an earlier entry: the hub was put back.
    package mutating func goBack(to position: LogPosition) { self = AcceptedCommits(readTo: position) }

    private mutating func forget(_ id: Commit.ID) {
        guard let position = awaited.removeValue(forKey: id) else { return }
        due[position]?.remove(id)
        if due[position]?.isEmpty == true { due[position] = nil }
    }
}
