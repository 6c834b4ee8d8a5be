internal import Sealing
internal import Sync

// What was removed here and stays, as another device has edited it: whoever removed it is told, and it is explained.
extension SyncRun {
    /// Says so in the log, once for each.
    func tellSurvivors() {
        for survivor in engine.takeSurvivors() {
            let path = path(of: survivor.item)
            report(.survived(path: path, by: authorName(at: survivor.position), isFolder: survivor.isFolder))
            news.insert(survivor.item)
        }
    }

    /// Of an item that was removed here and stays, until it is edited or removed again; nil for any other.
    func survivalText(of item: ItemID) -> String? {
        guard let position = engine.survival(of: item) else { return nil }
        let who = authorName(at: position)
        return engine.tree[item]?.kind == .folder
            ? "It was removed here, and \(who) has put something into it: it stays, with that."
            : "It was removed here and edited on \(who): the edit stays."
    }

    /// Who has made an entry of the log, as people call it.
    private func authorName(at position: LogPosition) -> String {
        guard let author = author(at: position) else { return "another device" }
        return desk.devices.present.first { $0.id == author }.map { "“\($0.name)”" } ?? "another device"
    }
}
