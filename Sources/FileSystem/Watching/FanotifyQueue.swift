internal import CLinux
package import Dispatch
internal import Foundation
internal import Locks

/// Watches any number of folders through a fanotify queue, which tells who did what: for processes with
/// `CAP_SYS_ADMIN`, on Linux 5.17 or later.
///
/// Each watched folder is marked by itself. One mark on the whole volume would do for all of them, but every
/// process of the machine would pay for it at everything that it does there, and so would we: measured on
/// Linux 6.18 with a memory volume (`watch-marks` of sheaf-bench), making, renaming and removing a file took 12 µs
/// with folders marked or nothing, and 28 µs with the volume marked; the process that listened was woken 34,000 times by 20,000
/// files that were of no concern to it, and took 0.15 s of processor time. A build in another folder would run
/// the queue over, and each time all that is watched would have to be looked at. Marks on folders cost nothing
/// while nothing happens in these, need as much memory as inotify's watches, and with the privilege there
/// is no limit to their number.
package final class FanotifyQueue: EventSource {
    // The kernel orders the calls on one descriptor.
    private let reader: EventReader
    private let marks: Locked<Marks>

    private struct Marks {
        var numbers: [WatchedInode: Int] = [:]
        var places: [Int: (inode: WatchedInode, path: FilePath)] = [:]
        var count = 0
    }

    private static let bufferByteCount = 16 * 1024
    /// As many as the kernel keeps (fs.fanotify.max_queued_events, its default): what waited together is
    /// translated together.
    private static let recordsPerBatchMax = 16_384

    private static let namesMask = mask(
        FAN_CREATE,
        FAN_DELETE,
        FAN_RENAME,
        FAN_DELETE_SELF,
        FAN_MOVE_SELF,
        FAN_ONDIR
    )
    private static let fullMask = namesMask | mask(FAN_CLOSE_WRITE, FAN_ATTRIB, FAN_EVENT_ON_CHILD)

    private static let writesMask = mask(FAN_MODIFY, FAN_EVENT_ON_CHILD)

    private static func mask(_ bits: Int32...) -> UInt64 {
        bits.reduce(0) { $0 | UInt64(UInt32(bitPattern: $1)) }
    }

    /// Opens a queue that watches nothing yet.
    ///
    /// - Parameters:
    ///   - path: What is going to be watched, for the error.
    ///   - queue: Where `handler` is called. A serial queue keeps the order of events.
    ///   - handler: Gets what happened. It may call anything.
    /// - Throws: `EPERM` without the privilege, `EINVAL` or `ENOSYS` on an older kernel, `EMFILE` when too
    ///   many queues are open.
    package init(
        for path: FilePath,
        on queue: DispatchQueue,
        handler: @escaping EventReceiver
    ) throws(SystemError) {
        let marks = Locked(Marks())
        let listening = Locked(Listening())
        self.marks = marks
        reader = EventReader(try SystemCalls.fanotify_init(for: path), on: queue) { fanotify in
            let events = listening.withLock { Self.pendingEvents(fanotify, marks, &$0) }
            if !events.isEmpty { handler(events) }
        }
    }

    /// - Throws: `ENOTDIR` for what is no folder; `EXDEV`, `ENODEV` or `EOPNOTSUPP` on a volume that cannot be
    ///   watched so. An inotify queue may be able to.
    package func watch(
        _ path: FilePath,
        namesOnly: Bool,
        tellsWrites: Bool = false
    ) throws(SystemError) -> WatchID {
        let folder = try SystemCalls.openat(.working, path.string, CInt(CDOC_O_PATH) | O_DIRECTORY)
        let inode = try Self.inode(of: folder)
        // Before the mark: its first event is told, too.
        let (number, isNew) = marks.withLock { marks in
            if let number = marks.numbers[inode] { return (number, false) }
            marks.count += 1
            marks.numbers[inode] = marks.count
            marks.places[marks.count] = (inode, path)
            return (marks.count, true)
        }
        do {
            let mask = (namesOnly ? Self.namesMask : Self.fullMask) | (tellsWrites ? Self.writesMask : 0)
            try reader.withDescriptor { fanotify throws(SystemError) in
                try SystemCalls.fanotify_mark(fanotify, folder, mask: mask)
            }
        } catch {
            if isNew { forget(number) }
            throw error
        }
        return WatchID(means: .fanotify, number: number)
    }

    package func end(_ watch: WatchID) {
        guard let (inode, path) = forget(watch.number) else { return }
        // The mark of a folder that cannot be reached any more stays until the folder or the queue goes: what
        // it tells is about no watch, and dropped.
        guard let folder = try? Self.reach(inode, at: path) else { return }
        reader.withDescriptor {
            SystemCalls.fanotify_unmark($0, folder, mask: Self.fullMask | Self.writesMask)
        }
    }

    /// Ends all.
    package func cancel() { reader.cancel() }

    @discardableResult
    private func forget(_ number: Int) -> (inode: WatchedInode, path: FilePath)? {
        marks.withLock { marks in
            guard let place = marks.places.removeValue(forKey: number) else { return nil }
            marks.numbers[place.inode] = nil
            return place
        }
    }

    // MARK: Folders

    private static func inode(of folder: borrowing FileDescriptor) throws(SystemError) -> WatchedInode {
        guard let handle = try SystemCalls.handle(of: folder) else {
            throw SystemError(call: "name_to_handle_at", errno: EOPNOTSUPP, path: folder.path)
        }
        return WatchedInode(volume: try SystemCalls.volume(of: folder), handle: handle)
    }

    /// A folder where it was, or wherever it has gone on its volume.
    private static func reach(
        _ inode: WatchedInode,
        at path: FilePath
    ) throws(SystemError) -> FileDescriptor {
        // Another folder there, or none, is what the handle is for.
        if let folder = try? SystemCalls.openat(.working, path.string, CInt(CDOC_O_PATH) | O_DIRECTORY),
            (try? Self.inode(of: folder)) == inode
        {
            return folder
        }
        return try SystemCalls.openByHandle(inode.handle, onVolumeOf: try Folder.open(path.parent))
    }

    // MARK: Events

    /// What is kept from one batch to the next, on the handler's queue.
    private struct Listening {
        var names = WriterNames()
        var translation = FanotifyTranslation()
    }

    private static func pendingEvents(
        _ queue: borrowing FileDescriptor,
        _ marks: Locked<Marks>,
        _ listening: inout Listening
    ) -> [(watch: WatchID?, event: WatchEvent)] {
        var writers: [Int32: WriterProcess] = [:]
        let records = pendingRecords(queue) { record in
            let process = record.processID
            guard process > 0, writers[process]?.name == nil else { return }
            writers[process] = listening.names.writer(process, at: now)
        }
        return marks.withLock { marks in
            let told = listening.translation.events(
                of: records,
                isWatched: { marks.numbers[$0] != nil },
                writer: { writers[$0] }
            )
            return told.compactMap { folder, event in
                guard let folder else { return (nil, event) }
                return marks.numbers[folder].map { (WatchID(means: .fanotify, number: $0), event) }
            }
        }
    }

    /// - Parameter heard: Told each record at once, as whoever it is about may end any moment.
    private static func pendingRecords(
        _ queue: borrowing FileDescriptor,
        heard: (FanotifyRecord) -> Void
    ) -> [FanotifyRecord] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferByteCount, alignment: 8)
        defer { buffer.deallocate() }
        var records: [FanotifyRecord] = []
        while records.count < recordsPerBatchMax {
            do {
                let byteCount = try SystemCalls.read(queue, into: buffer)
                guard byteCount > 0 else { break }
                let found = FanotifyRecord.records(in: UnsafeRawBufferPointer(rebasing: buffer[..<byteCount]))
                found.forEach(heard)
                records += found
            } catch {
                // Nothing more there; anything else means that events were lost.
                if error.errno != EAGAIN { records.append(.overflow) }
                break
            }
        }
        return records
    }

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
