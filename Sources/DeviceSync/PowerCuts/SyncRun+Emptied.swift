internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages
internal import Vault

// A file that has been emptied goes to all devices, as any edit. What it held before stays to be had, as a version, on each of
// them that had it: one from which it was evicted has nothing to keep. What is blank at the first start after a power cut is
// no edit (`SyncRun+PowerCuts.swift`). In the same way what was newer stays to be had where a folder is put back from a backup.
extension SyncRun {
    /// Keeps what an item held as a version of it, if nothing is in it any more, or if it was found otherwise in a folder that was
    /// put back: what is older there counts as edited.
    ///
    /// - Parameters:
    ///   - former: What it held.
    ///   - kind: What it is now; nil for what it is known to be.
    ///   - isFound: Whether what it holds now was found in it, and has not come from others.
    /// - Returns: Why the disk did not let that be kept; nil when it was, or need not or cannot be.
    func keepFormer(
        _ former: ContentName?,
        of item: ItemID,
        nowOf kind: FileStamp.Kind? = nil,
        isFound: Bool
    ) -> DiskRefusal? {
        guard versions.isOn, let former, let seen = table[item], !seen.isDataless,
            let path = table.path(of: item, in: place.folder)
        else { return nil }
        do {
            let contents = try ContentStore.contents(former)
            guard contents.kind != .symbolicLink,
                try isFound && isDoubted(item) || isEmptied(kind ?? seen.trace.kind, path, contents)
            else {
                return nil
            }
            // A log that is emptied every day is not to be kept for ever; of what was newer there may be no other copy.
            _ = try keepAsVersion(former, of: item, isDiscardable: !isDoubted(item))
        } catch let error as VaultError where error.code == .damaged && isAtHub(former, of: item) {
            // Lent, and emptied in place: the hub still has it, and nothing could be sent before it answers.
            if lineState == .up { line?.queue(fetches: [HubLine.Fetch(name: former, item: item)]) }
            return DiskRefusal(
                "What it held before is got from the hub first, to be kept as a version.",
                helps: "It goes on by itself when the hub answers."
            )
        } catch {
            let why = "What it held before is not kept here: \(error)"
            report(.failed(path: self.path(of: item), why: why))
            if DiskRefusal.cause(of: error) != .other { return DiskRefusal(error) }
        }
        return nil
    }

    private func isDoubted(_ item: ItemID) -> Bool { doubt?.items.contains(item) == true }

    private func isEmptied(
        _ kind: FileStamp.Kind,
        _ path: FilePath,
        _ former: DocumentContents
    ) throws -> Bool {
        // A link that has taken a file's name is not looked through.
        guard kind == .regular, former.kind == .regular, former.byteCount > 0 else { return false }
        return try Self.isBlank(path)
    }

    private func isAtHub(_ content: ContentName, of item: ItemID) -> Bool {
        engine.tree[item]?.content == content || engine.lastAgreed(item)?.content == content
    }

    private static let blockByteCount = 64 << 10

    /// Whether nothing but zeros is in a file. The first other byte ends the look.
    static func isBlank(_ path: FilePath) throws -> Bool {
        let file = try StorageFolder(containing: path).open(path.name)
        var offset = 0
        while true {
            let bytes = try file.read(at: offset, byteCount: blockByteCount)
            guard bytes.allSatisfy({ $0 == 0 }) else { return false }
            guard bytes.count == blockByteCount else { return true }
            offset += bytes.count
        }
    }
}
