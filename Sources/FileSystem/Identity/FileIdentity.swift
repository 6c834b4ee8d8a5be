/// What makes an item this item, wherever it is moved and however it is saved.
///
/// The mark travels with moves, with our saves and with copies; inode, volume and birth time tell the original
/// from its copies, and stand alone where an item cannot be marked. No number of it depends on what is mounted
/// where, so that all of it outlasts a restart of the machine.
package struct FileIdentity: Hashable, Sendable {
    /// When an inode came to be.
    package struct Birth: Hashable, Sendable {
        package var seconds: Int64
        package var nanoseconds: UInt32

        package init(seconds: Int64, nanoseconds: UInt32) {
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }
    }

    /// Nil where an item bears none and none could be given.
    package var mark: FileMark?
    /// The volume's own number, from statfs(2).
    package var volume: UInt64
    package var inode: UInt64
    /// Nil where the volume keeps none.
    package var birth: Birth?
    package var kind: FileStamp.Kind

    /// What it is known by for ever: its mark, and its volume and inode where it bears none.
    package var names: [[UInt8]] {
        [mark.map { Array($0.bytes) }, Array("\(volume)-\(inode)".utf8)].compactMap { $0 }
    }

    package init(mark: FileMark?, volume: UInt64, inode: UInt64, birth: Birth?, kind: FileStamp.Kind) {
        self.mark = mark
        self.volume = volume
        self.inode = inode
        self.birth = birth
        self.kind = kind
    }

    /// How an item that was found compares with the one that is looked for.
    package enum Likeness: Hashable, Sendable {
        /// The very inode, with the mark it had.
        case same
        /// The very inode; its mark was removed or rewritten.
        case sameInode
        /// The mark on another inode: saved anew, or a copy.
        case sameMark
        /// Another inode without a mark: what replaced the item, or something else. Only its place can tell.
        case unmarked
        /// Something with a mark of its own, or of another kind.
        case other

        /// Whether the item is told by itself, not by its place.
        package var isCertain: Bool { self == .same || self == .sameInode || self == .sameMark }
    }

    /// Compares an item that was found with this one, which is looked for.
    package func likeness(of found: FileIdentity) -> Likeness {
        guard kind == found.kind else { return .other }
        if volume == found.volume, inode == found.inode, birth == found.birth {
            // Without birth times an inode's number may have been given again; a mark of its own tells.
            if mark == found.mark { return .same }
            return birth == nil && found.mark != nil ? .other : .sameInode
        }
        guard let theirs = found.mark else { return .unmarked }
        return theirs == mark ? .sameMark : .other
    }
}
