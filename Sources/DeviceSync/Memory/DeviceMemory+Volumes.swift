internal import SQLite
internal import Sync

// The folders at which other volumes begin: none of nearly all.
extension DeviceMemory {
    func volumes() throws -> [ItemID: FolderTable.Volume] {
        var volumes: [ItemID: FolderTable.Volume] = [:]
        try forEach("SELECT item, volume FROM volumes") { item, reader in
            volumes[item] = FolderTable.Volume(
                beneath: try reader.integer(),
                isMarked: try reader.integer(UInt8.self) == 1,
                // Versions before this one did not note it.
                top: TopFolder(noted: reader.rest())
            )
        }
        return volumes
    }

    /// - Parameter volumes: By folder; nil where none begins any more.
    func put(volumes: [ItemID: FolderTable.Volume?]) throws {
        for (item, volume) in volumes.sorted(by: { $0.key < $1.key }) {
            let encode: ((inout StateWriter) -> Void)? = volume.map { volume in
                { writer in
                    writer.integer(volume.beneath)
                    writer.integer(UInt8(volume.isMarked ? 1 : 0))
                    writer.raw(volume.top.bytes ?? [])
                }
            }
            try put("volumes", item, encode)
        }
    }
}
