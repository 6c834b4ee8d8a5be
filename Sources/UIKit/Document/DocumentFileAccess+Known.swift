internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Locks

// What the document knows of the item: as it last read or wrote it.
extension DocumentFileAccess {
    /// Larger files are not kept in memory a second time; a merge has no base then.
    static let baseByteCountMax = 8 * 1024 * 1024

    /// Takes contents for what the document has read.
    func know(_ contents: Any) {
        keepBase(contents as? Data)
        let tree = (contents as? FileWrapper).map(Transferred.init)
        knownTree.withLock { $0 = tree }
    }

    /// Lets what is not read yet of a package be read at its new place. Any thread.
    func noteMoved(to url: URL) {
        guard let tree = knownTree.withLock({ $0 })?.value, let path = FilePath(url),
            // Absent or unreadable: the next look, or the next save, tells.
            let stamp = try? stampIfPresent(of: url)
        else { return }
        tree.noteMoved(to: Self.target(of: path), foundAs: stamp)
    }

    /// What was last read or written: `Data`, where it is not too large, or the package as it was then, whatever the
    /// app has done to its tree since; nil where that is not known.
    var knownContents: Any? { base.withLock { $0 } ?? knownTree.withLock { $0 }?.value.asSaved }

    /// Whether a file holds the very bytes that were last read or written, where these are known. Any thread.
    func isBase(at url: URL, stamped stamp: FileStamp) -> Bool {
        guard let base = base.withLock({ $0 }), stamp.kind == .regular, stamp.byteCount == Int64(base.count),
            let path = FilePath(url)
        else { return false }
        // What cannot be read, or changes meanwhile, is not known to be the same.
        return (try? FileReading.contents(of: path, expecting: stamp)) == base
    }

    func keepBase(_ data: Data?) {
        base.withLock { $0 = data.flatMap { $0.count <= Self.baseByteCountMax ? $0 : nil } }
    }

    /// Whether a member of the package differs from what was read or written last.
    ///
    /// - Cost: one lstat(2) for each member that the change names, as long as they are what is known: an own
    ///   save looks at no other. Else one for every member there is.
    func membersChanged(_ change: OutsideHint, at url: URL) -> Bool {
        guard let tree = knownTree.withLock({ $0 })?.value else { return false }
        let item = FilePath(url).map(Self.target(of:))
        if !change.isWhole, let item, change.members.allSatisfy({ tree.isKnown($0, of: item) }) {
            return false
        }
        // What the app has changed in it is no news; also what it changes just now, of which the second look knows.
        let place = item?.url(isDirectory: true) ?? url
        return (1...2).allSatisfy { _ in !(tree.asSaved ?? tree).matchesContents(of: place) }
    }

    /// What has to be looked at before a save that is to find others' work: the members that it takes the place of,
    /// or all where the app does not change the tree that it was given.
    var hintBeforeSaving: OutsideHint {
        guard let tree = knownTree.withLock({ $0 })?.value else { return OutsideHint() }
        let members = tree.differingMembers
        return OutsideHint(members: members, isWhole: members.isEmpty)
    }

    func forget() {
        keepBase(nil)
        knownTree.withLock { $0 = nil }
    }
}
