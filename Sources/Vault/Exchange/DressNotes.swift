package import FileSystem
internal import Foundation

/// What a document and its members are to be taken for bearing when they are kept, where the disk does not say it.
///
/// A volume may not let an item bear all that it is to bear that is put there: permissions on FAT, parts of a second, attributes
/// that there is no room for. What is found there later is taken for what was to be there, as long as it is what the volume made
/// of it: nobody has changed it, and nobody else is to lose it.
package struct DressNotes: Hashable, Sendable {
    private struct Note: Hashable, Sendable {
        var wanted: MemberDress
        /// What a volume has made of it; nil where it does not matter what is found.
        var borne: MemberDress?
    }

    /// By the bytes of where a member is in its document: "/" for that, "/Pages/1" for what is in it.
    private var notes: [[UInt8]: Note] = [:]

    package init() {}

    /// Of a document that bears something, whatever is found.
    package init(bearing dress: MemberDress) { note(dress, at: Array(Self.top.utf8)) }

    /// Whether the disk says all.
    package var isEmpty: Bool { notes.isEmpty }

    /// Notes what a member bears instead of what it was to bear.
    ///
    /// - Parameter borne: Nil where it bears all of it.
    mutating func note(_ wanted: MemberDress, _ borne: MemberDress?, at path: String) {
        guard var borne else { return }
        var wanted = wanted
        // By what an item is known is no part of what it is; nor is the date of a document itself.
        (wanted.attributes[FileMark.attributeName], borne.attributes[FileMark.attributeName]) = (nil, nil)
        if path == Self.top {
            borne.modificationSeconds = wanted.modificationSeconds
            borne.modificationNanoseconds = wanted.modificationNanoseconds
        }
        if borne != wanted { notes[Array(path.utf8)] = Note(wanted: wanted, borne: borne) }
    }

    /// Notes what a member bears, whatever is found.
    ///
    /// - Parameter path: Its bytes.
    mutating func note(_ dress: MemberDress, at path: [UInt8]) { notes[path] = Note(wanted: dress) }

    /// What a member is to be taken for bearing that was found to bear something.
    func dress(_ found: MemberDress, at path: String) -> MemberDress {
        guard !notes.isEmpty, let note = notes[Array(path.utf8)] else { return found }
        let wanted = note.wanted
        guard let borne = note.borne else { return wanted }
        var dress = found
        if found.permissions == borne.permissions { dress.permissions = wanted.permissions }
        if (found.modificationSeconds, found.modificationNanoseconds)
            == (borne.modificationSeconds, borne.modificationNanoseconds)
        {
            dress.modificationSeconds = wanted.modificationSeconds
            dress.modificationNanoseconds = wanted.modificationNanoseconds
        }
        for (name, value) in wanted.attributes
        where borne.attributes[name] == nil && found.attributes[name] == nil {
            dress.attributes[name] = value
        }
        return dress
    }

    /// Where a document itself is in it.
    static let top = "/"

    /// Where a member of a folder is.
    static func path(of name: String, in folder: String) -> String {
        folder == top ? top + name : folder + "/" + name
    }
}

// To be kept as long as the document stays where it was put.
extension DressNotes {
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        for (path, note) in notes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            writer.sized(path)
            Self.encode(note.wanted, into: &writer)
            writer.integer(UInt8(note.borne == nil ? 0 : 1))
            if let borne = note.borne { Self.encode(borne, into: &writer) }
        }
        return writer.bytes
    }

    /// Reads what `bytes` gave; nil for anything else.
    package init?(bytes: [UInt8]) {
        let notes = bytes.withUnsafeBytes { bytes -> [[UInt8]: Note]? in
            // Whatever is wrong with them: they are not what was written down.
            var reader = ByteReader(bytes)
            return try? Self.notes(&reader)
        }
        guard let notes else { return nil }
        self.notes = notes
    }

    private static let pathByteCountMax = 1 << 20

    private static func notes(_ reader: inout ByteReader) throws(MalformedBytes) -> [[UInt8]: Note] {
        var notes: [[UInt8]: Note] = [:]
        while reader.remainingCount > 0 {
            let path = Array(try reader.sized(countMax: pathByteCountMax))
            let wanted = try dress(&reader)
            let isBorne = try reader.integer(UInt8.self) == 1
            notes[path] = Note(wanted: wanted, borne: isBorne ? try dress(&reader) : nil)
        }
        return notes
    }

    private static func encode(_ dress: MemberDress, into writer: inout ByteWriter) {
        writer.integer(dress.permissions)
        writer.integer(dress.modificationSeconds)
        writer.integer(dress.modificationNanoseconds)
        writer.integer(UInt32(dress.attributes.count))
        for (name, value) in dress.attributes.sorted(by: { $0.key < $1.key }) {
            writer.sized(Array(name.utf8))
            writer.sized(value)
        }
    }

    private static func dress(_ reader: inout ByteReader) throws(MalformedBytes) -> MemberDress {
        var dress = MemberDress(
            permissions: try reader.integer(),
            modificationSeconds: try reader.integer(),
            modificationNanoseconds: try reader.integer(),
            attributes: [:]
        )
        for _ in 0..<(try reader.integer(UInt32.self)) {
            let name = try reader.sized(countMax: ManifestEntry.nameByteCountMax)
            guard let name = String(validating: name, as: UTF8.self) else {
                throw MalformedBytes(what: "a text that is not UTF-8")
            }
            dress.attributes[name] = Data(try reader.sized(countMax: ManifestEntry.attributesByteCountMax))
        }
        return dress
    }
}
