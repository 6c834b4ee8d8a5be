package import FileSystem
package import Foundation

/// Which version: sixteen random bytes, given once.
package struct VersionID: Hashable, Sendable, CustomStringConvertible {
    /// The sixteen bytes.
    package let uuid: UUID

    package init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// One that no version has. People name versions by the first digits: all are random.
    static func fresh() -> VersionID {
        let halves = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
        return VersionID(UUID(uuid: unsafeBitCast(halves, to: uuid_t.self)))
    }

    /// Nil unless there are sixteen bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.uuid = UUID(uuid: uuid)
    }

    /// Takes sixteen bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        uuid = UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    package var bytes: [UInt8] { withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) } }
    package var description: String { bytes.hexadecimal }
}

/// Why a version was kept.
package enum VersionReason: Hashable, Sendable {
    /// A document saved itself.
    case autosave
    /// The user asked for it, or an app did.
    case explicit
    /// An older version was about to take its place.
    case beforeRestore
    /// A program that coordinates nothing wrote, or is about to be overwritten; its name, if it is known.
    case outsideWriter(process: String)
    /// It lost a conflict with another version.
    case conflict

    var number: UInt8 {
        switch self {
        case .autosave: 1
        case .explicit: 2
        case .beforeRestore: 3
        case .outsideWriter: 4
        case .conflict: 5
        }
    }

    var process: String {
        if case .outsideWriter(let process) = self { process } else { "" }
    }

    init?(number: UInt8, process: String) {
        switch number {
        case 1: self = .autosave
        case 2: self = .explicit
        case 3: self = .beforeRestore
        case 4: self = .outsideWriter(process: process)
        case 5: self = .conflict
        default: return nil
        }
    }
}

/// What whoever keeps a version says about it.
package struct VersionOrigin: Hashable, Sendable {
    /// The device that the state was made on: sixteen bytes of its own.
    package var device: UUID
    /// What its user calls it.
    package var deviceName: String
    package var reason: VersionReason
    /// When it is kept.
    package var date: Date
    /// What to call it to its user; the document's name as a rule.
    package var displayName: String
    /// Whether it is a state that lost a conflict which nobody has resolved yet.
    package var isConflict: Bool
    /// Whether thinning may remove it.
    package var isDiscardable: Bool

    package init(
        device: UUID,
        deviceName: String,
        reason: VersionReason,
        date: Date,
        displayName: String,
        isConflict: Bool = false,
        isDiscardable: Bool = true
    ) {
        self.device = device
        self.deviceName = deviceName
        self.reason = reason
        self.date = date
        self.displayName = displayName
        self.isConflict = isConflict
        self.isDiscardable = isDiscardable
    }
}

/// One kept state of a document.
///
/// What a list shows is read at once, names and the rest when they are asked for.
package struct KeptVersion: Hashable, Sendable {
    package let id: VersionID
    /// The document, by its mark: it stays the same through renames and moves.
    package let item: FileMark
    /// When it was kept.
    package let date: Date
    /// When the document was modified last, as its volume said.
    package let modificationDate: Date
    /// How many bytes its files have in all.
    package let byteCount: UInt64
    package let kind: FileStamp.Kind
    /// Whether it lost a conflict.
    package let isConflict: Bool
    /// Whether somebody has settled the conflict; true for what never was in one.
    package internal(set) var isResolved: Bool
    /// Whether thinning may remove it.
    package internal(set) var isDiscardable: Bool
    /// All of it, as it is written down.
    let record: ArraySlice<UInt8>

    /// Whether thinning must not touch it.
    package var isProtected: Bool { !isDiscardable || (isConflict && !isResolved) }
}
