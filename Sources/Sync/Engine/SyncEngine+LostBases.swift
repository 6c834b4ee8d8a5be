// What two edits come from is a former state, and nobody keeps those for ever: a hub lets go of them in time, and a device of what a
// large file was before somebody wrote into it. Two that come from such are merged as if nothing told what they come from: what
// cannot be merged so is in conflict, and both are kept. To wait for it would be to wait for ever.
extension SyncEngine {
    /// The hub does not have contents that were asked for. What the log still needs some device may send anew: that is waited for.
    mutating func noteLost(_ content: ContentName) {
        let isBase = waitingItems(for: content).contains { self.isBase(content, of: $0) }
        guard isBase, !isInLog(content) else { return }
        lostBases.insert(content)
        fetching.remove(content)
        wake(.content(content))
    }

    /// What a merge begins with; nil for: nobody knows what both come from.
    func knownBase(_ content: ContentName?) -> ContentName? {
        guard let content, lostBases.contains(content), !contents.contains(content, .here) else {
            return content
        }
        return nil
    }

    /// Whether disk and log both have other contents of an item than those that they come from.
    private func isBase(_ content: ContentName, of item: ItemID) -> Bool {
        guard let ours = disk[item], let theirs = tree[item], let agreed = lastAgreed(item) else {
            return false
        }
        return base(of: item, agreed).content == content && ours.content != content
            && !theirs.contents.contains(content)
    }

    /// Whether any item of the log has contents, or has them as what lost a conflict.
    private func isInLog(_ content: ContentName) -> Bool {
        var isThere = false
        tree.forEach { _, state in
            if !isThere { isThere = state.contents.contains(content) }
        }
        return isThere
    }
}
