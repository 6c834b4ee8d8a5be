internal import FileSystem
internal import Foundation

/// How a version is written down. What may change later (resolved, discardable, removed) is in notes.
extension KeptVersion {
    private static let format: UInt8 = 1
    /// Longer names are cut: they are for people to read.
    private static let textByteCountMax = 1024

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.integer(Self.format)
        writer.raw(id.bytes)
        writer.raw(item.bytes)
        writer.raw(VersionID(origin.device).bytes)
        writer.integer(origin.date.nanoseconds)
        writer.integer(origin.reason.number)
        writer.integer(UInt8((origin.isConflict ? 1 : 0) | (origin.isDiscardable ? 2 : 0)))
        writer.text(Self.cut(origin.deviceName))
        writer.text(Self.cut(origin.reason.process))
        writer.text(Self.cut(origin.displayName))
        root.encode(into: &writer)
        return writer.bytes
    }

    init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        guard try reader.integer(UInt8.self) == Self.format else { throw MalformedBytes(what: "format") }
        guard let id = VersionID(bytes: try reader.raw(16)),
            let item = FileMark(bytes: Data(try reader.raw(16))),
            let device = VersionID(bytes: try reader.raw(16))
        else { throw MalformedBytes(what: "identifier") }
        let date = Date(nanoseconds: try reader.integer())
        let reasonNumber = try reader.integer(UInt8.self)
        let flags = try reader.integer(UInt8.self)
        let deviceName = try reader.text()
        let process = try reader.text()
        let displayName = try reader.text()
        guard flags <= 3, let reason = VersionReason(number: reasonNumber, process: process) else {
            throw MalformedBytes(what: "flags")
        }
        let origin = VersionOrigin(
            device: device.uuid,
            deviceName: deviceName,
            reason: reason,
            date: date,
            displayName: displayName,
            isConflict: flags & 1 != 0,
            isDiscardable: flags & 2 != 0
        )
        let root = try ManifestEntry(from: &reader, isRoot: true)
        try reader.finish()
        self.init(id: id, item: item, origin: origin, root: root)
    }

    init(id: VersionID, item: FileMark, origin: VersionOrigin, root: ManifestEntry) {
        self.id = id
        self.item = item
        self.origin = origin
        self.root = root
        modificationDate = Date(
            timeIntervalSince1970: Double(root.dress.modificationSeconds)
                + Double(root.dress.modificationNanoseconds) / 1e9
        )
        byteCount = root.byteCount
        kind =
            switch root.kind {
            case .file: .regular
            case .folder: .directory
            case .link: .symbolicLink
            }
        isResolved = !origin.isConflict
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
