/// What an item's state is kept in: one piece of memory, as there are hundreds of thousands. Behind the header come the name, the
/// content and the conflicts, each of these with its length in front.
///
/// Nothing of it changes once it is made.
final class StateRecord: ManagedBuffer<StateRecord.Header, UInt8> {
    struct Header {
        let parent: ItemID
        let nameByteCount: UInt32
        /// 0 for no content: a name of contents has one byte at least.
        let contentByteCount: UInt32
        let conflictCount: UInt32
        let kind: ItemState.Kind

        var byteCount: Int { Int(nameByteCount) + Int(contentByteCount) }
    }

    static func make(
        _ kind: ItemState.Kind,
        _ place: ItemPlace,
        _ content: ContentName?,
        _ conflicts: Set<ContentName>
    ) -> StateRecord {
        let header = Header(
            parent: place.parent,
            nameByteCount: UInt32(place.name.utf8.count),
            contentByteCount: UInt32(content?.stored.count ?? 0),
            conflictCount: UInt32(conflicts.count),
            kind: kind
        )
        let lengthByteCount = MemoryLayout<UInt32>.size
        let byteCount = conflicts.reduce(header.byteCount) { $0 + lengthByteCount + $1.stored.count }
        let record = unsafeDowncast(
            Self.create(minimumCapacity: byteCount) { _ in header },
            to: StateRecord.self
        )
        record.withUnsafeMutablePointerToElements { bytes in
            var end = UnsafeMutableRawPointer(bytes)
            func put(_ part: UnsafeRawBufferPointer) {
                if let start = part.baseAddress { end.copyMemory(from: start, byteCount: part.count) }
                end += part.count
            }
            var name = place.name
            name.withUTF8 { put(UnsafeRawBufferPointer($0)) }
            content?.stored.withUnsafeBytes(put)
            // Of one order: equal states have equal bytes.
            for conflict in conflicts.isEmpty ? [] : conflicts.sorted() {
                withUnsafeBytes(of: UInt32(conflict.stored.count), put)
                conflict.stored.withUnsafeBytes(put)
            }
        }
        return record
    }

    var kind: ItemState.Kind { withUnsafeMutablePointerToHeader { $0.pointee.kind } }

    var parent: ItemID { withUnsafeMutablePointerToHeader { $0.pointee.parent } }

    var name: String { withName { String(decoding: $0, as: UTF8.self) } }

    var content: ContentName? { withContent { $0.map { ContentName(stored: $0) } } }

    var hasConflicts: Bool { withUnsafeMutablePointerToHeader { $0.pointee.conflictCount > 0 } }

    /// Shows the name's bytes.
    func withName<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeMutablePointers { header, bytes in
            body(UnsafeRawBufferPointer(start: bytes, count: Int(header.pointee.nameByteCount)))
        }
    }

    /// Shows what is stored of the content's name; nil for none.
    func withContent<Result>(_ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        withUnsafeMutablePointers { header, bytes in
            let count = Int(header.pointee.contentByteCount)
            guard count > 0 else { return body(nil) }
            return body(
                UnsafeRawBufferPointer(start: bytes + Int(header.pointee.nameByteCount), count: count)
            )
        }
    }

    /// Shows what is stored of the names of conflicts, in their order.
    func forEachConflict(_ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeMutablePointers { header, bytes in
            var at = UnsafeRawPointer(bytes) + header.pointee.byteCount
            for _ in 0..<header.pointee.conflictCount {
                let count = Int(at.loadUnaligned(as: UInt32.self))
                at += MemoryLayout<UInt32>.size
                body(UnsafeRawBufferPointer(start: at, count: count))
                at += count
            }
        }
    }

    /// Whether another says the very same, byte for byte.
    func isIdentical(to other: StateRecord) -> Bool {
        self === other
            || kind == other.kind && parent == other.parent && hasName(of: other) && hasContents(of: other)
    }

    func hasName(of other: StateRecord) -> Bool {
        withName { name in other.withName { name.isEqual(to: $0) } }
    }

    func hasContent(of other: StateRecord) -> Bool {
        withContent { content in
            other.withContent { otherContent in
                switch (content, otherContent) {
                case (nil, nil): true
                case (let content?, let otherContent?): content.isEqual(to: otherContent)
                default: false
                }
            }
        }
    }

    /// Whether content and conflicts are the same.
    func hasContents(of other: StateRecord) -> Bool {
        guard hasContent(of: other), hasConflicts == other.hasConflicts else { return false }
        guard hasConflicts else { return true }
        return conflicts == other.conflicts
    }

    var conflicts: Set<ContentName> {
        var conflicts: Set<ContentName> = []
        forEachConflict { conflicts.insert(ContentName(stored: $0)) }
        return conflicts
    }
}
