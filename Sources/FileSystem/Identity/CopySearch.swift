package import Foundation

/// Looks for the copies that a move to another volume has made of items that are gone since.
///
/// Such a move copies an item and then removes it, be it mv(1), which keeps the dates, or cp(1) and rm(1), which do not. A
/// copy is what came to another volume just now with the same kind and size; of a file also with the same bytes, which
/// are still there to compare with as long as the item is held; of a directory with the same date. Any thread; blocks on the
/// disk.
///
/// The date tells a file's copy from everything else. A file of another date has to have something in it, and is taken for
/// the copy where it has the item's name, or where it came right before the item went and there is no other (`CopyChoice`).
package struct CopySearch: Sendable {
    /// An item that is gone.
    package struct Lost: Sendable {
        /// What it was called.
        package let name: String
        /// How it looked; of a directory, also before what was in it began to go.
        package let stamps: [FileStamp]
        package let handle: ItemHandle

        package init(name: String, stamps: [FileStamp], handle: ItemHandle) {
            (self.name, self.stamps, self.handle) = (name, stamps, handle)
        }
    }

    /// How long before its original went a copy may have come, or the last one that was copied with it. Moves of many
    /// items remove these when all are copied.
    package static let secondsMax = 60.0

    /// How long before its original went a copy may have come that has neither its date nor its name: a file with
    /// the same few bytes turns up every now and then, and cp(1) is followed by rm(1) at once.
    package static let strangerSecondsMax = 10.0

    private let lost: [Lost]
    private let kinds: Set<FileStamp.Kind>
    private let bounds: IdentitySearch.Bounds
    let secondsMax: Double
    let strangerSecondsMax: Double
    /// What was there before has come too early, in seconds since 1970.
    let earliest: Double

    /// - Parameters:
    ///   - bounds: Nobody waits for it but news of these items, and a move across volumes takes its time too. Most names
    ///     are only listed: where folders have not changed, nothing in them is looked at but what bears an item's name.
    ///   - secondsMax: How long before `now` a copy may have come.
    ///   - strangerSecondsMax: How long before its original went one that has another date and another name.
    ///   - now: When the items went.
    package init(
        for lost: [Lost],
        within bounds: IdentitySearch.Bounds = .init(memberCountMax: 200_000, millisecondsMax: 1000),
        secondsMax: Double = Self.secondsMax,
        strangerSecondsMax: Double = Self.strangerSecondsMax,
        at now: Date = .now
    ) {
        // What still has a name is not gone, and what cannot be asked cannot be compared.
        self.lost = lost.compactMap { item in
            guard item.handle.place == nil, let last = item.handle.stamp else { return nil }
            guard last.kind == .regular else { return item }
            // What was written last may not have been looked at; and where a volume notes the removal as a change, the date
            // that was seen is the one that a copy can have.
            let stamps = [last] + item.stamps.filter { $0.byteCount == last.byteCount }
            return Lost(name: item.name, stamps: stamps, handle: item.handle)
        }
        kinds = Set(lost.flatMap(\.stamps).map(\.kind)).intersection([.regular, .directory])
        self.bounds = bounds
        (self.secondsMax, self.strangerSecondsMax) = (secondsMax, strangerSecondsMax)
        earliest = now.timeIntervalSince1970 - secondsMax
    }

    /// Finds copies.
    ///
    /// - Parameters:
    ///   - folders: Where to look first, not at what is in folders in them.
    ///   - roots: Where to look then, folder by folder with all below, what is near before what is far.
    ///   - isKnown: Whether what is at a place is somebody's already, and so no copy unless its date says so.
    /// - Returns: Where each item is now that was found, by its hold.
    package func find(
        in folders: [FilePath],
        thenBelow roots: [FilePath],
        isKnown: (FilePath) -> Bool = { _ in false }
    ) -> [ObjectIdentifier: FilePath] {
        guard !lost.isEmpty else { return [:] }
        var choice = CopyChoice(amongItemsNamed: lost.map(\.name))
        let news = FolderWalk.News(
            since: FileTime(Date(timeIntervalSince1970: earliest)),
            names: Set(lost.map(\.name))
        )
        var walk = FolderWalk(within: bounds, for: news)
        let tops = Set(roots)
        for (places, isDeep) in [(folders, false), (roots, true)] where !choice.isSettled {
            walk.walk(places.filter(isElsewhere), isDeep: isDeep) { place, _, kind in
                look(at: place, kind, below: tops, isKnown, &choice)
                return !choice.isSettled
            }
        }
        let found = zip(lost, choice.places).compactMap { item, place in
            place.map { (ObjectIdentifier(item.handle), $0) }
        }
        return Dictionary(found) { first, _ in first }
    }

    /// Whether items that are lost can have gone to a folder's volume: what stays on its own is renamed.
    private func isElsewhere(_ folder: FilePath) -> Bool {
        // One that is not there, or closed to us, is left out.
        guard let device = try? FileStamp(of: folder, followsSymbolicLink: true).device else { return false }
        return lost.contains { $0.stamps.contains { $0.device != device } }
    }

    private func look(
        at place: FilePath,
        _ kind: FileStamp.Kind?,
        below tops: Set<FilePath>,
        _ isKnown: (FilePath) -> Bool,
        _ choice: inout CopyChoice
    ) {
        guard kind.map(kinds.contains) ?? true,
            // Gone since it was listed, or closed to us: not one that can be given.
            let status = try? SystemCalls.fstatat(.working, place.string)
        else { return }
        let inode = CopyChoice.Inode(status.stamp)
        let alike = lost.indices.filter { choice.mayTake(inode, $0) && isAlike(status.stamp, lost[$0]) }
        func isCopy(_ index: Int, isDated: Bool) -> Bool {
            cameLately(status, at: place, for: lost[index], isDated: isDated, below: tops)
                && (status.stamp.kind == .directory || Self.hasBytes(of: lost[index].handle, at: place))
        }
        let dated = alike.filter {
            hasDate(status.stamp, at: place, of: lost[$0]) && isCopy($0, isDated: true)
        }
        guard dated.isEmpty else { return choice.take(place, inode, datedAs: dated) }
        guard status.stamp.kind == .regular, status.stamp.byteCount > 0 else { return }
        for index in alike where isCopy(index, isDated: false) && !isKnown(place) {
            choice.take(place, inode, undatedOf: index)
        }
    }

    /// Whether kind and size are the item's, and the volume is not.
    private func isAlike(_ found: FileStamp, _ item: Lost) -> Bool {
        item.stamps.contains { wanted in
            wanted.kind == found.kind && wanted.device != found.device
                && (found.kind == .directory || found.byteCount == wanted.byteCount)
        }
    }

    /// Some volumes keep dates by two seconds, which of a directory says too little without its name.
    private func hasDate(_ found: FileStamp, at place: FilePath, of item: Lost) -> Bool {
        item.stamps.contains { wanted in
            guard found.modificationNanoseconds == 0 else {
                return found.modificationSeconds == wanted.modificationSeconds
                    && found.modificationNanoseconds == wanted.modificationNanoseconds
            }
            return (place.name == item.name || found.kind == .regular)
                && abs(found.modificationSeconds - wanted.modificationSeconds) <= 2
        }
    }
}
