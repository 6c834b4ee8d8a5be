internal import CFileTrace
internal import Foundation

/// A name in a folder, by the folder's inode.
package struct DiskName: Hashable, Sendable {
    package let folder: UInt64
    package let name: String
}

/// What a process has done to the files of its volume, in the order in which it happened, and what it noted between.
package struct DiskTrace: Sendable {
    package enum Event: Sendable {
        /// A new file, folder or link gets a name.
        case make(UInt64, DiskNode.Kind, DiskName)
        /// A file gets one more name.
        case link(UInt64, DiskName)
        case change(UInt64, FileChange)
        /// What has been done to a file or a folder lasts.
        case sync(UInt64)
        /// All that has been done lasts.
        case syncAll
        case remove(DiskName)
        case rename(DiskName, to: DiskName)
        /// Two names change places.
        case exchange(DiskName, DiskName)
        case note(String)
    }

    /// An event, and what is otherwise about files and folders after it.
    package struct Record: Sendable {
        package var event: Event
        package var statuses: [UInt64: DiskNode.Status] = [:]
    }

    /// A record was cut off, or is none.
    package struct Malformed: Error {
        package init() {}
    }

    package let records: [Record]

    package init(at path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var (records, at): ([Record], Int) = ([], 0)
        while at < bytes.count {
            let size = MemoryLayout<CFileTrace.change>.size
            guard bytes.count - at >= size else { throw Malformed() }
            let head = bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: at, as: CFileTrace.change.self)
            }
            at += size
            let nameByteCount = Int(head.name_byte_count)
            let hasBytes = head.kind == change_write.rawValue || head.kind == change_attribute.rawValue
            let writtenByteCount = hasBytes ? Int(head.byte_count) : 0
            guard bytes.count - at >= nameByteCount + writtenByteCount else { throw Malformed() }
            let names = bytes[at..<at + nameByteCount].split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            at += nameByteCount
            let event = try Self.event(head, names, Data(bytes[at..<at + writtenByteCount]))
            records.append(Record(event: event, statuses: Self.statuses(head)))
            at += writtenByteCount
        }
        self.records = records
    }

    private static func statuses(_ head: CFileTrace.change) -> [UInt64: DiskNode.Status] {
        var statuses: [UInt64: DiskNode.Status] = [:]
        for (node, status) in [
            (head.file, head.file_status), (head.folder, head.folder_status),
            (head.target_folder, head.target_status), (head.other, head.other_status),
        ] where node != 0 && status.changed != 0 {
            statuses[UInt64(node)] = DiskNode.Status(
                permissions: UInt16(truncatingIfNeeded: status.mode & 0o7777),
                modified: Int64(status.modified),
                changed: Int64(status.changed)
            )
        }
        return statuses
    }

    private static func event(
        _ head: CFileTrace.change,
        _ names: [String],
        _ bytes: Data
    ) throws -> Event {
        let (file, offset, byteCount) = (UInt64(head.file), Int(head.offset), Int(head.byte_count))
        func text(_ index: Int) throws -> String {
            guard names.indices.contains(index) else { throw Malformed() }
            return names[index]
        }
        func name(_ index: Int, in folder: UInt) throws -> DiskName {
            DiskName(folder: UInt64(folder), name: try text(index))
        }
        switch change_kind(head.kind) {
        case change_make_file: return .make(file, .file, try name(0, in: head.folder))
        case change_make_folder: return .make(file, .folder, try name(0, in: head.folder))
        case change_make_link: return .make(file, .link(try text(1)), try name(0, in: head.folder))
        case change_link: return .link(file, try name(0, in: head.folder))
        case change_write: return .change(file, .write(at: offset, bytes))
        case change_truncate: return .change(file, .truncate(byteCount))
        case change_allocate: return .change(file, .grow(toAtLeast: offset + byteCount))
        case change_punch: return .change(file, .zero(offset..<offset + byteCount))
        case change_attribute: return .change(file, .attribute(try text(0), bytes))
        case change_no_attribute: return .change(file, .attribute(try text(0), nil))
        case change_status: return .change(file, .status)
        case change_sync: return .sync(file)
        case change_sync_all: return .syncAll
        case change_unlink: return .remove(try name(0, in: head.folder))
        case change_rename:
            return .rename(try name(0, in: head.folder), to: try name(1, in: head.target_folder))
        case change_exchange:
            return .exchange(try name(0, in: head.folder), try name(1, in: head.target_folder))
        case change_note: return .note(try text(0))
        default: throw Malformed()
        }
    }
}
