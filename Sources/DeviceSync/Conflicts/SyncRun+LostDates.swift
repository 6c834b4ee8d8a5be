internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sealing
internal import Sync

// How old contents are that have lost a conflict, and on which device they were made: the same on every device. The one on which
// they have lost knows it from its disk, and tells it with the commit that says so; its version has it from then on.
extension SyncRun {
    /// On which device contents were made that have lost a conflict, nil for this one or where nobody knows; and when, in
    /// nanoseconds since 1970, nil where nobody knows.
    func making(of content: ContentName, of item: ItemID) throws -> (maker: VersionMaker?, modified: Int64?) {
        if let said = try makingInLog(of: content, of: item) {
            return (maker(said.author), said.modified)
        }
        if let seen = table[item], seen.state.content == content { return (nil, seen.trace.modified) }
        return (nil, conflicts.shownBefore[content])
    }

    /// What the log says: the first of the item's latest entries that have these contents, all of which do, is by who has made
    /// them.
    private func makingInLog(
        of content: ContentName,
        of item: ItemID
    ) throws -> (author: DeviceID, modified: Int64?)? {
        var found: (author: DeviceID, modified: Int64?)?
        var position = engine.tree.revision(of: item)
        while position > 0, let entry = try entry(at: position), let state = entry.commit.state,
            entry.commit.item == item, state.contents.contains(content)
        {
            let modified = state.content == content ? entry.modified : entry.lost[content]
            found = (entry.commit.id.device, modified ?? found?.modified)
            guard entry.commit.base < position else { break }
            position = entry.commit.base
        }
        return found
    }

    private func entry(at position: LogPosition) throws -> DatedCommit? {
        if let new = newlyHeard.last(where: { $0.entry.position == position }) {
            return (new.entry.commit, new.modified, new.lost)
        }
        return try memory.datedCommit(at: position)
    }

    /// A device that shares the container, or did, as versions name who has saved them; nil for this one, and for one that is not
    /// known.
    private func maker(_ device: DeviceID) -> VersionMaker? {
        guard device != desk.identity.id, let member = desk.devices.members[device] else { return nil }
        return VersionMaker(id: ContentStore.uuid(of: device), name: member.identity.name)
    }

    /// When contents were last modified that have lost a conflict, as their versions here say.
    func modificationDates(ofLost lost: Set<ContentName>, of item: ItemID) -> [ContentName: Int64] {
        var dates: [ContentName: Int64] = [:]
        for content in lost { dates[content] = modificationDate(ofLost: content, of: item) }
        return dates
    }

    func modificationDate(ofLost content: ContentName, of item: ItemID) -> Int64? {
        guard versions.isOn, let id = conflicts.shown[item]?[content] else { return nil }
        let url = (table.path(of: item, in: place.folder) ?? place.folder).url(isDirectory: false)
        // What cannot be read is not said.
        guard let date = (try? versions.modificationDate(of: id, at: url)) ?? nil else { return nil }
        return FileTime(date).nanosecondsSince1970
    }
}
