package import FileSystem
package import Foundation

/// A document's contents, with all that is below them: equal in all vaults with one key when the contents are.
///
/// Where the document is, what it is called and when it was modified last are not in it.
package struct DocumentContents: Hashable, Sendable {
    let entry: ManifestEntry

    /// Bytes that say more than any document's contents are nobody's.
    package static let byteCountMax = ManifestEntry.attributesByteCountMax

    init(_ entry: ManifestEntry) {
        var entry = entry
        entry.dress.modificationSeconds = 0
        entry.dress.modificationNanoseconds = 0
        self.entry = entry
    }

    /// Reads what `bytes` gave; nil for anything else.
    package init?(bytes: [UInt8]) {
        guard bytes.count <= Self.byteCountMax else { return nil }
        let entry = bytes.withUnsafeBytes { bytes -> ManifestEntry? in
            var reader = ByteReader(bytes)
            // Whatever is wrong with them: they are not what was written down.
            guard let entry = try? ManifestEntry(from: &reader, isRoot: true), (try? reader.finish()) != nil
            else { return nil }
            return entry
        }
        guard let entry else { return nil }
        self.init(entry)
        guard self.bytes == bytes else { return nil }
    }

    /// To be kept or sent: a hundred bytes or so, whatever the document holds.
    package var bytes: [UInt8] { entry.encoded }

    /// Whether it is a file, a package or a link.
    package var kind: FileStamp.Kind {
        switch entry.kind {
        case .file: .regular
        case .folder: .directory
        case .link: .symbolicLink
        }
    }

    /// The permission bits of the document itself.
    package var permissions: UInt32 { entry.dress.permissions }

    /// How many bytes its files have in all.
    package var byteCount: UInt64 { entry.byteCount }

    /// Whether a document that was put somewhere with these contents bears attributes as it was to.
    ///
    /// - Parameters:
    ///   - attributes: The user's that it was found to bear, without its mark.
    ///   - notes: What the disk does not say; asked for where it matters.
    package func bears(_ attributes: [String: Data], notes: () throws -> DressNotes) rethrows -> Bool {
        // No others are put anywhere.
        let wanted = entry.dress.attributes.filter { $0.key.hasPrefix("user.") }
        guard attributes != wanted else { return true }
        var found = entry.dress
        found.attributes = attributes
        return try notes().dress(found, at: DressNotes.top).attributes == wanted
    }

    /// Whether both are the same but for what the document itself bears: its permissions and attributes.
    package func isAlike(to other: DocumentContents) -> Bool {
        var bare = entry
        bare.dress = other.entry.dress
        return bare == other.entry
    }
}

/// An object's bytes as they are stored, where somebody has them for the moment.
package struct ShownObject {
    /// Whether they are pressed together by zstd.
    package let isPressed: Bool
    package let plainByteCount: Int
    package let bytes: UnsafeRawBufferPointer

    package init(isPressed: Bool, plainByteCount: Int, bytes: UnsafeRawBufferPointer) {
        (self.isPressed, self.plainByteCount, self.bytes) = (isPressed, plainByteCount, bytes)
    }
}

/// What a vault stores, by its name.
package struct VaultObject: Hashable, Sendable {
    package let name: ObjectName
    package let kind: ObjectKind

    package init(_ name: ObjectName, _ kind: ObjectKind) { (self.name, self.kind) = (name, kind) }
}
