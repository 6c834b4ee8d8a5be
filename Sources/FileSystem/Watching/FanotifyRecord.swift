internal import CLinux
internal import Foundation

/// A folder or file as the kernel names it in events, and name_to_handle_at(2) does.
struct WatchedInode: Hashable, Sendable {
    /// The volume's own number, from statfs(2).
    let volume: UInt64
    let handle: InodeHandle
}

/// One event of a fanotify queue, fanotify(7), taken apart.
struct FanotifyRecord: Hashable, Sendable {
    /// A name in a folder; "." for the folder itself.
    struct Place: Hashable, Sendable {
        let folder: WatchedInode
        let name: String
    }

    /// What happened; several things, where the kernel has put events of one process, name and item together.
    var mask: UInt64
    /// Who did it; 0 where that cannot be told here.
    var processID: Int32
    /// Where; nil for a rename, and when events were lost.
    var place: Place?
    /// From where an item was renamed, if that folder is marked.
    var source: Place?
    /// To where an item was renamed, if that folder is marked.
    var target: Place?
    /// What it happened to.
    var item: WatchedInode?

    func has(_ bit: Int32) -> Bool { mask & UInt64(UInt32(bitPattern: bit)) != 0 }

    /// Events were lost; the record says nothing else.
    static let overflow = FanotifyRecord(mask: UInt64(FAN_Q_OVERFLOW), processID: 0)

    /// Takes apart what one read of a queue gave.
    ///
    /// What is not in the form that we know counts as lost events.
    static func records(in bytes: UnsafeRawBufferPointer) -> [FanotifyRecord] {
        var records: [FanotifyRecord] = []
        var rest = bytes[...]
        let headByteCount = MemoryLayout<fanotify_event_metadata>.size
        while rest.count >= headByteCount {
            let head = UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: fanotify_event_metadata.self)
            let (headLength, length) = (Int(head.metadata_len), Int(head.event_len))
            guard head.vers == FANOTIFY_METADATA_VERSION, headLength >= headByteCount, length >= headLength,
                length <= rest.count
            else { return records + [overflow] }
            var record = FanotifyRecord(mask: head.mask, processID: head.pid)
            record.take(rest.dropFirst(headLength).prefix(length - headLength))
            records.append(record)
            rest = rest.dropFirst(length)
        }
        return records
    }

    /// Offsets in a piece of information about an item: its kind and length, the volume, and the handle with
    /// its own length and type; then a name.
    private enum Offset {
        static let length = 2
        static let volume = 4
        static let handleByteCount = 12
        static let handleType = 16
        static let handle = 20
    }

    private mutating func take(_ pieces: Slice<UnsafeRawBufferPointer>) {
        var rest = pieces
        while rest.count >= Offset.handle {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let length = Int(piece.loadUnaligned(fromByteOffset: Offset.length, as: UInt16.self))
            guard length >= Offset.handle, length <= piece.count else { return }
            takePiece(UnsafeRawBufferPointer(rebasing: piece[..<length]))
            rest = rest.dropFirst(length)
        }
    }

    private mutating func takePiece(_ piece: UnsafeRawBufferPointer) {
        let byteCount = Int(piece.loadUnaligned(fromByteOffset: Offset.handleByteCount, as: UInt32.self))
        guard byteCount <= piece.count - Offset.handle else { return }
        let end = Offset.handle + byteCount
        let inode = WatchedInode(
            volume: piece.loadUnaligned(fromByteOffset: Offset.volume, as: UInt64.self),
            handle: InodeHandle(
                type: piece.loadUnaligned(fromByteOffset: Offset.handleType, as: Int32.self),
                bytes: Data(piece[Offset.handle..<end])
            )
        )
        let name = String(decoding: piece[end...].prefix { $0 != 0 }, as: UTF8.self)
        switch Int32(piece[0]) {
        case FAN_EVENT_INFO_TYPE_FID: item = inode
        case FAN_EVENT_INFO_TYPE_DFID_NAME: place = Place(folder: inode, name: name)
        case FAN_EVENT_INFO_TYPE_OLD_DFID_NAME: source = Place(folder: inode, name: name)
        case FAN_EVENT_INFO_TYPE_NEW_DFID_NAME: target = Place(folder: inode, name: name)
        default: break
        }
    }
}
