internal import FileSystem
internal import Foundation

/// How a version is written down. What may change later (resolved, discardable, removed) is in notes.
extension KeptVersion {
    private static let format: UInt8 = 1
    /// Longer names are cut: they are for people to read.
    private static let textByteCountMax = 1024
    private static let conflictFlag: UInt8 = 1
    private static let discardableFlag: UInt8 = 2

    /// A new version.
    ///
    /// - Parameter root: The document itself; its name is empty.
    init(id: VersionID, item: FileMark, origin: VersionOrigin, root: ManifestEntry) throws {
        var writer = ByteWriter()
        writer.integer(Self.format)
        writer.raw(id.bytes)
        writer.raw(item.bytes)
        writer.raw(VersionID(origin.device).bytes)
        writer.integer(origin.date.nanoseconds)
        writer.integer(origin.reason.number)
        let flags =
            (origin.isConflict ? Self.conflictFlag : 0) | (origin.isDiscardable ? Self.discardableFlag : 0)
        writer.integer(flags)
        writer.text(Self.cut(origin.deviceName))
        writer.text(Self.cut(origin.reason.process))
        writer.text(Self.cut(origin.displayName))
        root.encode(into: &writer)
        try self.init(writer.bytes[...])
    }

    /// - Parameters:
    ///   - record: What was written down; looked at whole by `parts`, here as far as a list needs it.
    ///   - item: The document where it is known: to make ten thousand marks takes longer than to read the rest.
    init(_ record: ArraySlice<UInt8>, of item: FileMark? = nil) throws {
        let head = try record.withUnsafeBytes { try Head($0) }
        let isConflict = head.flags & Self.conflictFlag != 0
        self.init(
            record,
            head,
            of: try item ?? Self.item(in: record),
            isResolved: !isConflict,
            isDiscardable: head.flags & Self.discardableFlag != 0
        )
    }

    /// The document that a record is of.
    static func item(in record: ArraySlice<UInt8>) throws(MalformedBytes) -> FileMark {
        guard let item = FileMark(bytes: record.dropFirst(17).prefix(16)) else {
            throw MalformedBytes(what: "mark")
        }
        return item
    }

    init(
        _ record: ArraySlice<UInt8>,
        _ head: Head,
        of item: FileMark,
        isResolved: Bool,
        isDiscardable: Bool
    ) {
        self.item = item
        self.record = record
        id = head.id
        date = Date(nanoseconds: head.date)
        modificationDate = Date(timeIntervalSince1970: Double(head.seconds) + Double(head.nanoseconds) / 1e9)
        byteCount = head.byteCount
        kind =
            switch head.kind {
            case .file: .regular
            case .folder: .directory
            case .link: .symbolicLink
            }
        isConflict = head.flags & Self.conflictFlag != 0
        self.isResolved = isResolved
        self.isDiscardable = isDiscardable
    }

    /// What a list shows: nothing that is counted, as ten thousand of them are read.
    struct Head {
        var id: VersionID
        var date: Int64
        var flags: UInt8
        var kind: ManifestEntry.Kind
        var seconds: Int64
        var nanoseconds: UInt32
        var byteCount: UInt64

        init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
            var reader = ByteReader(bytes)
            guard try reader.integer(UInt8.self) == KeptVersion.format else {
                throw MalformedBytes(what: "format")
            }
            id = VersionID(try reader.raw(16))
            // The document's mark, and the device.
            _ = try reader.raw(32)
            date = try reader.integer()
            _ = try reader.raw(1)
            flags = try reader.integer()
            for _ in 1...3 { _ = try reader.raw(Int(try reader.integer(UInt16.self))) }
            guard let kind = ManifestEntry.Kind(rawValue: try reader.integer()) else {
                throw MalformedBytes(what: "kind")
            }
            self.kind = kind
            _ = try reader.raw(3)
            seconds = try reader.integer()
            nanoseconds = try reader.integer()
            byteCount = try reader.integer()
        }
    }

    /// Who kept it and why, and the document itself.
    ///
    /// - Throws: When it is not what this program wrote.
    func parts() throws -> (origin: VersionOrigin, root: ManifestEntry) {
        try record.withUnsafeBytes { try parts($0) }
    }

    private func parts(
        _ bytes: UnsafeRawBufferPointer
    ) throws(MalformedBytes) -> (origin: VersionOrigin, root: ManifestEntry) {
        var reader = ByteReader(bytes)
        _ = try reader.raw(33)
        let device = VersionID(try reader.raw(16)).uuid
        _ = try reader.raw(8)
        let reasonNumber = try reader.integer(UInt8.self)
        let flags = try reader.integer(UInt8.self)
        let deviceName = try reader.text()
        let process = try reader.text()
        let displayName = try reader.text()
        guard flags <= Self.conflictFlag | Self.discardableFlag,
            let reason = VersionReason(number: reasonNumber, process: process)
        else { throw MalformedBytes(what: "flags") }
        let root = try ManifestEntry(from: &reader, isRoot: true)
        try reader.finish()
        let origin = VersionOrigin(
            device: device,
            deviceName: deviceName,
            reason: reason,
            date: date,
            displayName: displayName,
            isConflict: isConflict,
            isDiscardable: isDiscardable
        )
        return (origin, root)
    }

    /// Who kept it and why.
    ///
    /// - Throws: `VaultError` with code `damaged` when the index is; verifying finds that, and a repair mends it.
    package func origin() throws -> VersionOrigin {
        try whole().origin
    }

    /// The document itself; its name is empty.
    func root() throws -> ManifestEntry {
        try whole().root
    }

    /// All that was in the document.
    ///
    /// - Throws: `VaultError` with code `damaged`.
    package func contents() throws -> DocumentContents { DocumentContents(try root()) }

    /// Whether the document was the same: its bytes, names and attributes, its own time let be.
    ///
    /// - Throws: `VaultError` with code `damaged`.
    package func isSameState(as other: KeptVersion) throws -> Bool {
        try root().isSameState(as: other.root())
    }

    /// What a version that lost a conflict and the document's own state both come from: the newest state kept before it that
    /// is another. A save may have kept the same state as one to be replaced, before it found that others wrote it.
    ///
    /// - Parameter versions: Those of its document, the oldest first.
    /// - Returns: Nil where none was kept, and for what lost against another device: what was saved here meanwhile may have been saved
    ///   since the two had the same, and would count as what the other one has taken back.
    /// - Throws: `VaultError` with code `damaged`.
    package func ancestor(among versions: [KeptVersion]) throws -> KeptVersion? {
        guard try origin().reason != .conflict else { return nil }
        return try versions.prefix { $0.id != id }.last { former in
            try !former.isConflict && !former.isSameState(as: self)
        }
    }

    private func whole() throws -> (origin: VersionOrigin, root: ManifestEntry) {
        do { return try parts() } catch is MalformedBytes {
            let detail = "The version \(id) is not what was written down. Verify the vault and repair it."
            throw VaultError(code: .damaged, path: FilePath("index.sqlite"), detail: detail)
        }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > textByteCountMax else { return text }
        var short = text
        while short.utf8.count > textByteCountMax { short.removeLast() }
        return short
    }
}

/// What became of versions after they were kept.
struct VersionNote: Hashable, Sendable {
    enum Change: UInt8, Sendable {
        /// Nothing can undo this.
        case removed = 1
        /// Nor this.
        case resolved = 2
        /// The latest of these two holds.
        case discardable = 3
        case undiscardable = 4
    }

    var change: Change
    var date: Date
    var versions: [VersionID]

    /// The most versions in one note; more take several.
    static let versionCountMax = 10_000
    private static let format: UInt8 = 1

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.integer(Self.format)
        writer.integer(change.rawValue)
        writer.integer(date.nanoseconds)
        writer.integer(UInt32(versions.count))
        for version in versions { writer.raw(version.bytes) }
        return writer.bytes
    }

    init(change: Change, date: Date, versions: [VersionID]) {
        self.change = change
        self.date = date
        self.versions = versions
    }

    init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        guard try reader.integer(UInt8.self) == Self.format,
            let change = Change(rawValue: try reader.integer())
        else { throw MalformedBytes(what: "format") }
        self.change = change
        date = Date(nanoseconds: try reader.integer())
        let count = Int(try reader.integer(UInt32.self))
        guard count <= Self.versionCountMax else { throw MalformedBytes(what: "count") }
        versions = []
        for _ in 0..<count {
            guard let id = VersionID(bytes: try reader.raw(16)) else { throw MalformedBytes(what: "version") }
            versions.append(id)
        }
        try reader.finish()
    }
}

extension Date {
    /// Since 1970; dates beyond the years 1678 to 2262 are taken for the last that fits.
    var nanoseconds: Int64 {
        let whole = timeIntervalSince1970.rounded(.down)
        guard whole > -9_223_372_036, whole < 9_223_372_036 else { return whole < 0 ? .min : .max }
        return Int64(whole) * 1_000_000_000 + Int64((timeIntervalSince1970 - whole) * 1e9)
    }

    init(nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(timeIntervalSince1970: Double(seconds) + Double(rest) / 1e9)
    }
}
