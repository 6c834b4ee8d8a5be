internal import DeviceSync
internal import DocumentFoundation
internal import FileSystem
internal import Foundation

// Devices, and the hub, that are put back to what they were once.
//
// What a device had not sent yet is gone with its disk, and what the hub alone had is gone with the hub's: nobody can give that
// back. So when one of them is put back, what all others have is looked at; what the hub has, as a device reads it. All that one
// of them has is to be there in the end.
extension StoryScene {
    /// What a device had once, and the edits in that.
    struct DeviceBackup {
        let backup: WorldDevice.Backup
        let marks: Set<String>
        /// What `record.restCount` was.
        let restCount: Int
    }

    func backUp(_ index: Int) async {
        // A disk that is full or fails is seen to first.
        guard !isTroubled(index) else { return }
        await closeAll(on: index)
        let device = devices[index]
        let isStarted = device.isStarted
        // It stands still, so that what is in the copy is known to the last byte.
        device.stop()
        do {
            let marks = try marks(on: device)
            let restCount = record.restCount
            backups[index] = DeviceBackup(backup: try device.backUp(), marks: marks, restCount: restCount)
            tell("\(WorldDeed.backUp(on: index))")
        } catch {
            noteFailure("\(WorldDeed.backUp(on: index)): \(error)")
        }
        if isStarted { device.startAgain() }
    }

    func restore(_ index: Int) async {
        guard let former = backups[index] else { return }
        await heal(index)
        await closeAll(on: index)
        let device = devices[index]
        device.stop()
        do {
            let gone = try marks(on: device).subtracting(former.marks)
            // While it stands still: as soon as it is back it gets and sends, and what others have is on its way.
            let others = devices.indices.filter { $0 != index }.map { devices[$0] }
            let lost = try await unheld(gone, by: others)
            let hidden = try await unheld(gone, by: others, inVersions: false).subtracting(lost)
            try device.restore(former.backup)
            restoreCount += 1
            record.noteForgetting(since: former.restCount, also: documentsTyped, hidden: hidden)
            evaporated.formUnion(lost)
            let loss = lost.isEmpty ? "" : ", and what it alone had is gone with its disk: \(lost.sorted())"
            tell("\(WorldDeed.restore(on: index))\(loss)")
        } catch {
            noteFailure("\(WorldDeed.restore(on: index)): \(error)")
        }
    }

    func restoreHub() async {
        // What only the hub has is lost with what it has lost.
        guard evicted.isEmpty, world.isHubBackedUp else { return }
        do {
            // What devices have sent they have, unless one of them was put back.
            let sent = try await restoreCount > 0 ? marksAtHub() : []
            // Before: a hub that is back gets at once what devices have.
            let lost = try await unheld(sent, by: devices, isHubPutBack: true)
            world.restoreHub()
            hubRestoreCount += 1
            record.noteForgetting(since: hubBackupRestCount, also: documentsTyped, isHub: true)
            evaporated.formUnion(lost)
            tell("\(WorldDeed.restoreHub)")
        } catch {
            noteFailure("\(WorldDeed.restoreHub): \(error)")
        }
    }

    /// The documents that somebody has edited and not saved.
    private var documentsTyped: Set<Int> { Set(typed.values.joined().compactMap(StoryMarks.document)) }

    /// Those of some edits that people want, and that neither some devices have nor the hub, be it the one that is or the one that
    /// is put back to its backup.
    ///
    /// - Parameter inVersions: Whether who has one in a version has it, be that of no conflict.
    private func unheld(
        _ marks: Set<String>,
        by holders: [WorldDevice],
        isHubPutBack: Bool = false,
        inVersions: Bool = true
    ) async throws -> Set<String> {
        var rest = marks.intersection(acknowledged).subtracting(discarded)
        for device in holders where !rest.isEmpty {
            rest.subtract(try self.marks(on: device, inVersions: inVersions))
        }
        guard !rest.isEmpty else { return [] }
        return try await rest.subtracting(marksAtHub(isPutBack: isHubPutBack, inVersions: inVersions))
    }

    private func marksAtHub(isPutBack: Bool = false, inVersions: Bool = true) async throws -> Set<String> {
        let reader = try await isPutBack ? world.readerOfHubBackup() : world.readerOfHub()
        defer { reader.stop() }
        return try marks(on: reader, inVersions: inVersions)
    }

    /// The edits that the hub had at a moment, by its documents and what is in conflict with each.
    func marksOfItems(at moment: HubInMemory.Backup) async throws -> [(mark: FileMark?, marks: Set<String>)] {
        let reader = try await world.reader(of: moment)
        defer { reader.stop() }
        let folder = try StoryFolder(reader.folder)
        return try Self.paths(in: reader).compactMap { path in
            let held = folder.item(at: path)
            let isPackage = reader.place.isPackage((path as NSString).lastPathComponent)
            guard held.items[[]] != .folder || isPackage else { return nil }
            let url = reader.folder.appendingPathComponent(path)
            return (mark(at: url), try held.marks.union(keptMarks(of: path, on: reader)))
        }
    }

    /// The edits that are on a device, in its documents and their versions.
    ///
    /// - Parameter inVersions: Whether versions count that have lost no conflict, or one that is settled.
    func marks(on device: WorldDevice, inVersions: Bool = true) throws -> Set<String> {
        let folder = try StoryFolder(device.folder)
        return try folder.paths.reduce(into: folder.marks) {
            $0.formUnion(try keptMarks(of: $1, on: device, inVersions: inVersions))
        }
    }

    /// The edits that are in versions of what is at a path.
    private func keptMarks(
        of path: String,
        on device: WorldDevice,
        inVersions: Bool = true
    ) throws -> Set<String> {
        do {
            let all = try versions(of: device.folder.appendingPathComponent(path), on: device)
            return try all.filter { inVersions || $0.isConflict && !$0.isResolved }.reduce(into: []) {
                $0.formUnion(try StoryFolder(item: $1.url).marks)
            }
        } catch let error as CocoaError where error.code.isAbsence {
            // Gone meanwhile, as the device goes on.
            return []
        }
    }
}
