internal import Foundation

/// Who may do what with an item beside its owner, its group and everybody, as the extended attribute has it: acl(5).
///
/// A head of four bytes says which form it is. Each entry is eight bytes: whom it is about, what he may, and of named ones
/// the user's or group's number, the lowest byte first.
struct AccessList: Equatable {
    static let attributeName = "system.posix_acl_access"
    /// The list of a folder that what is made in it begins with.
    static let defaultAttributeName = "system.posix_acl_default"

    private static let form: [UInt8] = [2, 0, 0, 0]
    private static let entryByteCount = 8

    /// Whom an entry is about, of those that there is one of at most.
    private enum Kind: UInt8 {
        case ownGroup = 0x04
        case mask = 0x10
        case others = 0x20
    }

    private var bytes: [UInt8]

    /// Takes the attribute's value; nil for one of another form.
    init?(_ value: Data) {
        bytes = [UInt8](value)
        guard bytes.starts(with: Self.form), (bytes.count - Self.form.count) % Self.entryByteCount == 0 else {
            return nil
        }
    }

    /// The attribute's value.
    var value: Data { Data(bytes) }

    /// Whether it bounds what named users and all groups may.
    ///
    /// The group's bits of the item's permissions are that bound then, and not what its own group may.
    var hasMask: Bool { place(of: .mask) != nil }

    /// Lets the item's own group do no more than everybody may.
    mutating func lowerOwnGroup() {
        guard let group = place(of: .ownGroup) else { return }
        // Without an entry for everybody there is nothing that everybody may.
        let everybody = place(of: .others).map { bytes[$0] } ?? 0
        bytes[group] &= everybody
    }

    /// Where it says what those of a kind may.
    private func place(of kind: Kind) -> Int? {
        stride(from: Self.form.count, to: bytes.count, by: Self.entryByteCount)
            .first { bytes[$0] == kind.rawValue && bytes[$0 + 1] == 0 }
            .map { $0 + 2 }
    }
}
