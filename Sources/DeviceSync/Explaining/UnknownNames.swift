internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages

// Names that lead to no item. That nothing is there is said only where it is known.
extension SyncRun {
    /// The package that has something at a place: what is in it is kept in step with it.
    func packageHolding(_ path: String) -> ItemID? {
        let item = lastItem(towards: path)
        guard let known = table[item], known.state.kind == .document, known.trace.kind == .directory,
            isSomething(at: path)
        else { return nil }
        return item
    }

    /// The item whose placeholder has a name: who lists a folder knows no other one of it.
    func evictedItem(withPlaceholderAt path: String) -> ItemID? {
        var names = path.pathNames
        guard let last = names.popLast(), let name = Placeholder.itemName(of: last),
            let item = item(at: (names + [name]).joined(separator: "/")), table[item]?.isDataless == true
        else { return nil }
        return item
    }

    /// Explains what is at a place below the folder that leads to no item.
    func explanation(ofUnknown path: String) -> Explanation {
        let cause = causeOfUnknown(path)
        return Explanation(
            path: path,
            isSettled: false,
            change: SyncEngine.Change.none.rawValue,
            [cause],
            next: cause.remedy ?? Self.byItself
        )
    }

    private func causeOfUnknown(_ path: String) -> Explanation.Cause {
        if let found = leftOut(at: path) {
            return Explanation.Cause(.leftOut, found.text, remedy: found.remedy)
        }
        let folder = lastItem(towards: path)
        if unlistedFolder(above: folder) != nil, let obstacle = obstacle(to: folder) { return obstacle }
        do {
            if try FolderScan.status(at: place.folder.appending(path)) != nil,
                let cause = try causeOfUnseen(path, in: folder)
            {
                return cause
            }
        } catch {
            if let cause = causeOfUnreadable(error) { return cause }
        }
        let text = "Nothing of this name is here or at the hub."
        return Explanation.Cause(.absent, text, remedy: "Check the name.")
    }

    /// Why something that is there leads to no item; nil for what has just this name on a volume that knows no capitals.
    ///
    /// - Throws: What keeps its folder from being looked at.
    private func causeOfUnseen(
        _ path: String,
        in folder: ItemID
    ) throws(SystemError) -> Explanation.Cause? {
        let isExcluded = SyncExclusion.isExcluded(place.folder.appending(path), below: place.folder)
        if isExcluded { return exclusion }
        if isStopped { return endCause }
        // What has just been made no event may have told of yet.
        if dirtyFolders.contains(folder) { return Explanation.Cause(.justChanged, Self.justChanged) }
        guard stateOfUnseen(at: path) != nil, try isListed(path) else { return nil }
        return Explanation.Cause(.justChanged, Self.justChanged)
    }

    /// Why nobody can say whether anything is at a place: its disk fails, or nobody may look. Nil for a name that none can have.
    private func causeOfUnreadable(_ error: SystemError) -> Explanation.Cause? {
        guard error.isFault || [EACCES, EPERM].contains(error.errno) else { return nil }
        let why = DiskRefusal(error)
        let text = "It cannot be looked at, so nobody can say whether anything is there: \(why)"
        return Explanation.Cause(.cannotRead, text, remedy: why.remedy ?? Self.makeReadable)
    }

    /// The item nearest to a place of those that it is in.
    private func lastItem(towards path: String) -> ItemID {
        var names = path.pathNames
        while !names.isEmpty {
            names.removeLast()
            if let item = item(at: names.joined(separator: "/")) { return item }
        }
        return .root
    }

    func isSomething(at path: String) -> Bool {
        // What cannot be looked at is not known.
        (try? FolderScan.status(at: place.folder.appending(path))) != nil
    }

    /// Whether a folder lists a name. A volume that knows no capitals has something at others as well.
    ///
    /// - Throws: What keeps it from being listed.
    private func isListed(_ path: String) throws(SystemError) -> Bool {
        let there = place.folder.appending(path)
        return try FolderScan.names(in: there.parent).contains { $0.isSameInBytes(there.name) }
    }
}
