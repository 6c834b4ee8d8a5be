internal import FileSystem
internal import Foundation
internal import Sync

/// What tells that an item on the disk is as it was when it was looked at last, without reading it.
///
/// There is one for each item, so it takes no more room than it needs.
struct ItemTrace: Hashable, Sendable {
    var inode: UInt64
    var byteCount: Int64
    /// Nanoseconds since 1970.
    var modified: Int64
    /// Of any kind of change.
    var changed: Int64
    /// Linux numbers devices in thirty-two bits.
    private var shortDevice: UInt32
    private var shortPermissions: UInt16
    var kind: FileStamp.Kind

    var device: UInt64 { UInt64(shortDevice) }
    /// Twelve bits.
    var permissions: UInt32 { UInt32(shortPermissions) }

    init(_ status: MemberStatus) {
        self.init(
            status.stamp,
            changed: status.changeSeconds &* 1_000_000_000 &+ status.changeNanoseconds
        )
    }

    /// Of something that was put in place, and is there no more.
    init(takenAway stamp: FileStamp) { self.init(stamp, changed: 0) }

    private init(_ stamp: FileStamp, changed: Int64) {
        self.init(
            device: stamp.device,
            inode: stamp.inode,
            kind: stamp.kind,
            byteCount: stamp.byteCount,
            permissions: stamp.permissions,
            modified: stamp.modificationSeconds &* 1_000_000_000 &+ stamp.modificationNanoseconds,
            changed: changed
        )
    }

    init(
        device: UInt64,
        inode: UInt64,
        kind: FileStamp.Kind,
        byteCount: Int64,
        permissions: UInt32,
        modified: Int64,
        changed: Int64
    ) {
        (self.inode, self.kind, self.byteCount) = (inode, kind, byteCount)
        shortDevice = UInt32(truncatingIfNeeded: device)
        shortPermissions = UInt16(truncatingIfNeeded: permissions)
        (self.modified, self.changed) = (modified, changed)
    }

    /// Inode and device, as if these were an item's bits.
    var key: ItemID { ItemID(device, inode) }

    /// Whether it is as large and as old, whatever its number.
    func looks(like other: ItemTrace) -> Bool {
        kind == other.kind && byteCount == other.byteCount && modified == other.modified
    }

    /// Whether it is the very item, whatever became of it.
    func isSameItem(as other: ItemTrace) -> Bool {
        inode == other.inode && shortDevice == other.shortDevice && kind == other.kind
    }
}

/// An item of a container as it is on the disk.
struct FolderItem: Hashable, Sendable, Placed {
    var state: ItemState
    /// Of the item, or of the placeholder that stands for it.
    var trace: ItemTrace
    /// Whether a placeholder stands for it: its contents are not here.
    var isDataless = false

    /// Whether it is a folder, or its contents are known.
    var isRead: Bool { state.kind == .folder || state.hasContent }

    var listedPlace: ItemPlace? { state.place }
    var listedKey: ItemID? { trace.key }
    static var hasKeys: Bool { true }
}

extension ItemID {
    /// An item is called by the mark that it bears.
    init(_ mark: FileMark) { self.init(mark.high, mark.low) }

    /// The mark that the item bears on every device.
    var mark: FileMark { FileMark(high, low) }
}
