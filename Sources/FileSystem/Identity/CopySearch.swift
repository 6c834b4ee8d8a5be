package import Foundation
internal import Glibc

/// Looks for the copies that a move to another volume has made of items that are gone since.
///
/// Such a move, mv(1)'s for one, copies an item with its dates and then removes it. A copy is what came to another
/// volume just now with the same kind, size and date; of a file also the same bytes, which are still there to compare
/// with as long as the item is held. Any thread; blocks on the disk.
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

    /// How long before its original went a copy may have come. Moves of many items remove these when all are copied.
    package static let secondsMax: Int64 = 60

    private let lost: [Lost]
    private let bounds: IdentitySearch.Bounds
    private let earliestSeconds: Int64

    /// - Parameters:
    ///   - bounds: Nobody waits for it but news of other changes, and a move across volumes takes its time too.
    ///   - now: When the items went.
    package init(
        for lost: [Lost],
        within bounds: IdentitySearch.Bounds = .init(memberCountMax: 20_000, millisecondsMax: 1000),
        at now: Date = .now
    ) {
        // What still has a name is not gone, and what cannot be asked cannot be compared.
        self.lost = lost.filter { $0.handle.place == nil && $0.handle.stamp != nil }
        self.bounds = bounds
        earliestSeconds = Int64(now.timeIntervalSince1970) - Self.secondsMax
    }

    /// Finds copies.
    ///
    /// - Parameters:
    ///   - folders: Where to look first, not at what is in folders in them.
    ///   - roots: Where to look then, folder by folder with all below, in this order.
    /// - Returns: Where each item is now that was found, by its hold.
    package func find(in folders: [FilePath], thenBelow roots: [FilePath]) -> [ObjectIdentifier: FilePath] {
        var found: [ObjectIdentifier: FilePath] = [:]
        guard !lost.isEmpty else { return found }
        let devices = Set(lost.flatMap(\.stamps).map(\.device))
        let kinds = Set(lost.flatMap(\.stamps).map(\.kind))
        var walk = FolderWalk(within: bounds)
        let places = folders.map { ($0, isDeep: false) } + roots.map { ($0, isDeep: true) }
        for (root, isDeep) in places where !walk.isExhausted {
            // A root that is not there, or closed to us, is left out; what stays on its volume is renamed.
            guard let device = try? FileStamp(of: root).device, devices != [device] else { continue }
            walk.walk(root, isDeep: isDeep) { place, _, kind in
                guard kind.map(kinds.contains) ?? true,
                    // Gone since it was listed, or closed to us: not one that can be given.
                    let status = try? SystemCalls.fstatat(.working, place.string),
                    status.changeSeconds >= earliestSeconds
                else { return true }
                for item in lost where found[ObjectIdentifier(item.handle)] == nil {
                    if Self.isCopy(status, at: place, of: item) {
                        found[ObjectIdentifier(item.handle)] = place
                    }
                }
                return found.count < lost.count
            }
            if found.count == lost.count { break }
        }
        return found
    }

    private static func isCopy(_ status: FileStatus, at place: FilePath, of item: Lost) -> Bool {
        let found = status.stamp
        var stamps = item.stamps
        // What was written last may not have been looked at. A directory changes while it is emptied.
        if found.kind == .regular, let last = item.handle.stamp { stamps = [last] }
        let isLike = stamps.contains { wanted in
            wanted.kind == found.kind && wanted.device != found.device
                && hasDate(found, of: wanted, isNamesake: place.name == item.name)
                && (found.kind == .directory || found.byteCount == wanted.byteCount)
        }
        guard isLike else { return false }
        return switch found.kind {
        case .regular: hasBytes(of: item.handle, at: place)
        case .directory: true
        case .symbolicLink, .other: false
        }
    }

    /// Some volumes keep dates by two seconds, which of a directory says too little without its name.
    private static func hasDate(_ found: FileStamp, of wanted: FileStamp, isNamesake: Bool) -> Bool {
        guard found.modificationNanoseconds == 0 else {
            return found.modificationSeconds == wanted.modificationSeconds
                && found.modificationNanoseconds == wanted.modificationNanoseconds
        }
        return (isNamesake || found.kind == .regular)
            && abs(found.modificationSeconds - wanted.modificationSeconds) <= 2
    }

    /// What cannot be read is no copy that a document could follow to.
    private static func hasBytes(of handle: ItemHandle, at place: FilePath) -> Bool {
        guard let old = try? handle.open(),
            let new = try? SystemCalls.openat(.working, place.string, O_RDONLY)
        else { return false }
        let count = 1 << 18
        return withUnsafeTemporaryAllocation(byteCount: 2 * count, alignment: 16) { buffer in
            while true {
                let (first, second) = (
                    UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]),
                    UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                )
                guard let oldCount = try? read(old, into: first), let newCount = try? read(new, into: second),
                    oldCount == newCount, first.prefix(oldCount).elementsEqual(second.prefix(newCount))
                else { return false }
                if oldCount == 0 { return true }
            }
        }
    }

    /// Reads until the buffer is full or the file ends.
    private static func read(
        _ file: borrowing FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = try SystemCalls.read(file, into: .init(rebasing: buffer[filled...]))
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }
}
