internal import CLinux
internal import Foundation

/// What happened to a watched folder or file.
package struct WatchEvent: Hashable, Sendable {
    /// What a watch reports.
    package enum Kind: Hashable, Sendable {
        /// A member is new: made, linked or opened for the first time. Its bytes may still be coming.
        case created
        /// A file has been written into, or cut off, by somebody who has it open. Told only to those who ask for it; not of
        /// what is written into memory that a file is mapped to.
        case modified
        /// A file that was open for writing has been closed.
        case changed
        /// A member has been renamed away. The other half bears the same cookie, if this watch sees it.
        case movedFrom(cookie: UInt32)
        /// A member has been renamed to this name.
        case movedTo(cookie: UInt32)
        /// A member has been removed.
        case deleted
        /// Permissions, owner, times, links or extended attributes are others.
        case attributesChanged
        /// The watched item itself has been renamed; the watch goes with it.
        case selfMoved
        /// The watched item itself is gone, or its volume. Nothing more will come.
        case selfDeleted
        /// So much happened that some of it was lost: look at everything.
        case overflowed
    }

    package var kind: Kind
    /// The member it is about; nil for the watched item itself.
    package var name: String?
    /// Whether the member is a folder.
    package var isDirectory: Bool
    /// Who did it, where the kernel tells.
    package var writer: WriterProcess?

    package init(kind: Kind, name: String? = nil, isDirectory: Bool = false, writer: WriterProcess? = nil) {
        self.kind = kind
        self.name = name
        self.isDirectory = isDirectory
        self.writer = writer
    }
}

extension WatchEvent {
    /// What is asked of the kernel.
    static let mask = [
        IN_CREATE, IN_CLOSE_WRITE, IN_MOVED_FROM, IN_MOVED_TO, IN_DELETE, IN_ATTRIB, IN_DELETE_SELF,
        IN_MOVE_SELF,
    ].reduce(UInt32(0)) { $0 | UInt32($1) }

    /// What is asked of the kernel beside that for those who want to hear of each write.
    static let writesMask = UInt32(IN_MODIFY)

    /// What is asked of the kernel about a folder of which only the names matter.
    static let namesMask = [IN_CREATE, IN_MOVED_FROM, IN_MOVED_TO, IN_DELETE, IN_DELETE_SELF, IN_MOVE_SELF]
        .reduce(UInt32(0)) { $0 | UInt32($1) }

    private static let kinds: [(Int32, @Sendable (UInt32) -> Kind)] = [
        (IN_Q_OVERFLOW, { _ in .overflowed }), (IN_CREATE, { _ in .created }),
        (IN_MODIFY, { _ in .modified }),
        (IN_CLOSE_WRITE, { _ in .changed }), (IN_MOVED_FROM, { .movedFrom(cookie: $0) }),
        (IN_MOVED_TO, { .movedTo(cookie: $0) }), (IN_DELETE, { _ in .deleted }),
        (IN_ATTRIB, { _ in .attributesChanged }), (IN_MOVE_SELF, { _ in .selfMoved }),
        (IN_DELETE_SELF, { _ in .selfDeleted }), (IN_UNMOUNT, { _ in .selfDeleted }),
    ]

    /// Takes apart what one read of an inotify queue gave, inotify(7).
    ///
    /// An event of a kind that was not asked for is left out. Each comes with the kernel's number of its
    /// watch, -1 for an overflow.
    static func events(in bytes: UnsafeRawBufferPointer) -> [(watch: CInt, event: WatchEvent)] {
        var events: [(watch: CInt, event: WatchEvent)] = []
        var offset = 0
        let headByteCount = MemoryLayout<inotify_event>.size
        while offset + headByteCount <= bytes.count {
            let head = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let name = bytes[(offset + headByteCount)...].prefix(Int(head.len)).prefix { $0 != 0 }
            offset += headByteCount + Int(head.len)
            guard let kind = kinds.first(where: { head.mask & UInt32($0.0) != 0 })?.1 else { continue }
            let text = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
            let isDirectory = head.mask & UInt32(IN_ISDIR) != 0
            let event = WatchEvent(kind: kind(head.cookie), name: text, isDirectory: isDirectory)
            events.append((head.wd, event))
        }
        return events
    }
}
