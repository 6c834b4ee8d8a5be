internal import CLinux

/// Turns what a fanotify queue tells into the events that an inotify queue would have told. Pure.
///
/// The kernel puts an event together with one that still waits, of the same process, name, item and kind: with
/// a rename only another of the same two names. So the order can be lost, and where it can matter, a name is
/// told once more at the end, for whoever hears of it to look what is there.
///
/// 1. A name's events of one item come as made, written into, closed, other attributes, gone.
/// 2. Two renames get neighbouring cookies when they exchange two items, and only then.
/// 3. A name that two renames of one batch have in common is told once more.
struct FanotifyTranslation {
    /// What a batch comes to, in order; an overflow is about no watch.
    typealias Told = (folder: WatchedInode?, event: WatchEvent)

    /// Cookies begin where inotify's do not come: it counts all renames since the machine was started.
    private var cookie: UInt32 = 1 << 31
    private var lastRename: FanotifyRecord?

    /// - Parameters:
    ///   - records: All that waited in the queue, in order.
    ///   - isWatched: Whether an item is a folder with a watch.
    ///   - writer: Who has a number.
    mutating func events(
        of records: [FanotifyRecord],
        isWatched: (WatchedInode) -> Bool,
        writer: (Int32) -> WriterProcess?
    ) -> [Told] {
        var told: [Told] = []
        var renamed: [FanotifyRecord.Place: Int] = [:]
        for record in records {
            if record.has(FAN_Q_OVERFLOW) {
                told.append((nil, WatchEvent(kind: .overflowed)))
            } else if record.has(FAN_RENAME) {
                told += rename(record, writer(record.processID))
                for place in Set([record.source, record.target].compactMap { $0 }) {
                    renamed[place, default: 0] += 1
                }
            } else {
                told += Self.plain(record, writer(record.processID), isWatched)
            }
        }
        for (place, count) in renamed where count > 1 {
            told.append((place.folder, WatchEvent(kind: .attributesChanged, name: place.name)))
        }
        return told
    }

    private mutating func rename(_ record: FanotifyRecord, _ writer: WriterProcess?) -> [Told] {
        let isExchange =
            lastRename.map {
                $0.source == record.target && $0.target == record.source && $0.item != record.item
            } ?? false
        cookie &+= isExchange ? 1 : 2
        lastRename = record
        func half(_ place: FanotifyRecord.Place?, _ kind: WatchEvent.Kind) -> Told? {
            place.map { place in
                let isDirectory = record.has(FAN_ONDIR)
                return (
                    place.folder,
                    WatchEvent(kind: kind, name: place.name, isDirectory: isDirectory, writer: writer)
                )
            }
        }
        return [
            half(record.source, .movedFrom(cookie: cookie)), half(record.target, .movedTo(cookie: cookie)),
        ].compactMap { $0 }
    }

    private static let kinds: [(Int32, WatchEvent.Kind)] = [
        (FAN_CREATE, .created), (FAN_MODIFY, .modified), (FAN_CLOSE_WRITE, .changed),
        (FAN_ATTRIB, .attributesChanged), (FAN_DELETE, .deleted), (FAN_MOVE_SELF, .selfMoved),
        (FAN_DELETE_SELF, .selfDeleted),
    ]

    private static func plain(
        _ record: FanotifyRecord,
        _ writer: WriterProcess?,
        _ isWatched: (WatchedInode) -> Bool
    ) -> [Told] {
        guard let place = record.place else { return [] }
        let isSelf = place.name == "."
        var told: [Told] = kinds.filter { record.has($0.0) }.map { _, kind in
            let isDirectory = !isSelf && record.has(FAN_ONDIR)
            let name = isSelf ? nil : place.name
            return (
                place.folder, WatchEvent(kind: kind, name: name, isDirectory: isDirectory, writer: writer)
            )
        }
        // Of a folder that is watched in a folder that is watched, the kernel tells the outer one only.
        if !isSelf, record.has(FAN_ATTRIB), let item = record.item, isWatched(item) {
            told.append((item, WatchEvent(kind: .attributesChanged, writer: writer)))
        }
        return told
    }
}
