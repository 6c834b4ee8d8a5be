internal import CFileTrace
internal import Foundation

/// What a process has done to the files of its volume, in the order in which it happened, and what it promised between.
struct HubTrace {
    enum Event {
        /// A new file or folder gets a name.
        case make(UInt64, isFolder: Bool, DiskName)
        case change(UInt64, FileChange)
        /// What has been done to a file or a folder lasts.
        case sync(UInt64)
        case remove(DiskName)
        case rename(DiskName, to: DiskName)
        case promise(HubStory.Promise)
    }

    /// A record was cut off, or is none.
    struct Malformed: Error {}

    let events: [Event]

    init(at path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var (events, at): ([Event], Int) = ([], 0)
        while at < bytes.count {
            let size = MemoryLayout<CFileTrace.change>.size
            guard bytes.count - at >= size else { throw Malformed() }
            let head = bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: at, as: CFileTrace.change.self)
            }
            at += size
            let nameByteCount = Int(head.name_byte_count)
            let writtenByteCount = head.kind == change_write.rawValue ? Int(head.byte_count) : 0
            guard bytes.count - at >= nameByteCount + writtenByteCount else { throw Malformed() }
            let names = bytes[at..<at + nameByteCount].split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            at += nameByteCount
            events.append(try Self.event(head, names, Data(bytes[at..<at + writtenByteCount])))
            at += writtenByteCount
        }
        self.events = events
    }

    private static func event(
        _ head: CFileTrace.change,
        _ names: [String],
        _ bytes: Data
    ) throws -> Event {
        let (file, offset, byteCount) = (UInt64(head.file), Int(head.offset), Int(head.byte_count))
        func name(_ index: Int, in folder: UInt) throws -> DiskName {
            guard names.indices.contains(index) else { throw Malformed() }
            return DiskName(folder: UInt64(folder), name: names[index])
        }
        switch change_kind(head.kind) {
        case change_make_file: return .make(file, isFolder: false, try name(0, in: head.folder))
        case change_make_folder: return .make(file, isFolder: true, try name(0, in: head.folder))
        case change_write: return .change(file, .write(at: offset, bytes))
        case change_truncate: return .change(file, .truncate(byteCount))
        case change_allocate: return .change(file, .grow(toAtLeast: offset + byteCount))
        case change_punch: return .change(file, .zero(offset..<offset + byteCount))
        case change_sync: return .sync(file)
        case change_unlink: return .remove(try name(0, in: head.folder))
        case change_rename:
            return .rename(try name(0, in: head.folder), to: try name(1, in: head.target_folder))
        case change_note:
            guard let line = names.first, let promise = HubStory.Promise(line: line) else {
                throw Malformed()
            }
            return .promise(promise)
        default: throw Malformed()
        }
    }
}
