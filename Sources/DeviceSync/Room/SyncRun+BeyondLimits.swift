internal import FileSystem
internal import Sealing
internal import Sync
internal import Vault

// What no record has room for keeps its own item here, and nothing else: it goes once there is less of it.
extension SyncRun {
    /// Holds back what is committed of an item that no record has room for.
    ///
    /// - Returns: Whether it is held back.
    func holdsBack(beyondLimit commit: Commit) -> Bool {
        let item = commit.item
        guard let excess = commit.state.flatMap({ RecordExcess(of: $0) }) else {
            if !toldExcesses.isEmpty { toldExcesses[item] = nil }
            return false
        }
        let why = Self.refusal(excess, isLink: commit.state?.content.map(Self.isLink) ?? false)
        stuck[item] = (.commit(commit), why)
        news.insert(item)
        // What is tried again and again is said once.
        if toldExcesses.updateValue(why.description, forKey: item) != why.description {
            report(.failed(path: path(of: item), why: "\(why) \(why.remedy ?? "")"))
        }
        return true
    }

    /// Has the engine make commits anew that are held back, and whose items have become others, here or at the hub: what is at
    /// the hub comes only once nobody waits for an answer to what is here.
    func letGoOfHeldBack(by changes: [Event]) {
        guard !stuck.isEmpty else { return }
        for change in changes {
            switch change {
            case .diskChanged(let item, _): letGoOfHeldBack(item)
            case .logRead(let entries): for entry in entries { letGoOfHeldBack(entry.commit.item) }
            default: break
            }
        }
    }

    private func letGoOfHeldBack(_ item: ItemID) {
        guard case .commit(let commit)? = stuck[item]?.effect, !isExcluded(item) else { return }
        stuck[item] = nil
        events.append(.commitWithheld(commit.id, lacking: []))
    }

    private static func isLink(_ content: ContentName) -> Bool {
        // What no vault has written down is no link.
        (try? ContentStore.contents(content))?.kind == .symbolicLink
    }

    private static func refusal(_ excess: RecordExcess, isLink: Bool) -> DiskRefusal {
        let (count, most) = (excess.count, excess.countMax)
        return switch excess.subject {
        case .name:
            DiskRefusal(
                "Its name has \(count) bytes, and what is told of an item has room for \(most).",
                helps: "Give it a shorter name; then it goes on by itself."
            )
        case .contents where isLink:
            // A byte is two digits there.
            DiskRefusal(
                "What the link says takes \(count / 2) bytes, and what is told of an item has room for \(most / 2).",
                helps: "Have it say something shorter; then it goes on by itself."
            )
        case .contents:
            DiskRefusal(
                "Its extended attributes take \(count / 2) bytes, and what is told of an item has room for \(most / 2).",
                helps: "Give it fewer or smaller extended attributes; then it goes on by itself."
            )
        case .conflict:
            DiskRefusal(
                """
                The extended attributes of a version in conflict with it take \(count / 2) bytes, and what is told of an item has \
                room for \(most / 2).
                """,
                helps: "Settle its conflicts (sheaf versions); then it goes on by itself."
            )
        case .conflictCount:
            DiskRefusal(
                "\(count) versions are in conflict with it, and what is told of an item has room for \(most).",
                helps: "Settle its conflicts (sheaf versions); then it goes on by itself."
            )
        case .all:
            DiskRefusal(
                """
                What is told of it, with its extended attributes and those of versions in conflict with it, \
                takes \(count) bytes, and there is room for \(most).
                """,
                helps:
                    "Settle its conflicts (sheaf versions), or give it fewer extended attributes; then it goes on by itself."
            )
        }
    }
}
