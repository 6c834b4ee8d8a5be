internal import FileSystem
internal import Foundation

/// Something in a container's folder that is left alone, as it cannot be on other devices.
struct LeftOut: Hashable, Sendable {
    enum Reason: Hashable, Sendable {
        case notUnicode
        /// Saves use such names, and what has one is gone in a moment; this one was given by somebody else.
        case reserved
        /// A socket, a pipe or a device.
        case special
        /// A save's, or ours: nobody is to hear of it.
        case passing
        /// What stands for contents that are not here, and is no item's: a copy of one that is there still, or one of another
        /// container.
        case strayPlaceholder
        /// Into which the check of a volume puts what it finds there: root's, at the top of the volume.
        case lostAndFound
    }

    /// With signs in the place of what is not UTF-8.
    let name: String
    let reason: Reason

    /// Why a member of a folder is left alone; nil for what is kept in step.
    static func reason(for member: FolderMember) -> Reason? {
        reason(forMemberNamed: member.name, member.status.stamp.kind)
    }

    /// As of a member, by its name and what it is.
    static func reason(forMemberNamed name: String, _ kind: FileStamp.Kind) -> Reason? {
        if kind == .other { return .special }
        guard let rest = name.following(prefix),
            // An item that stands aside for a moment.
            !rest.utf8.starts(with: "aside-".utf8)
        else { return nil }
        return isPassing(rest) ? .passing : .reserved
    }

    /// What is left alone of a folder's members that somebody may want to know of, in the order of their names.
    static func all(of members: [FolderMember], unnamed: [String]) -> [LeftOut] {
        let named = members.compactMap { member in
            reason(for: member).flatMap { $0 == .passing ? nil : LeftOut(name: member.name, reason: $0) }
        }
        return (named + unnamed.map { LeftOut(name: $0, reason: .notUnicode) }).sorted { $0.name < $1.name }
    }

    private static let prefix = ".sheaf-"

    /// Whether saves and this engine make names that go on so: `Arrivals`, `Removal`, `SaveSite`, and apps' key-value stores.
    private static func isPassing(_ rest: String) -> Bool {
        if ["arriving-", "removed-", "gone-", "keyvalues-"].contains(where: {
            rest.utf8.starts(with: $0.utf8)
        }) {
            return true
        }
        let hash = rest.utf8.prefix { Character(UnicodeScalar($0)).isHexDigit }
        return hash.count == 16 && rest.utf8.dropFirst(hash.count).first == UInt8(ascii: "-")
    }

    /// Why, in a sentence.
    var text: String {
        switch reason {
        case .notUnicode: "Its name is not UTF-8, so no other device can be told it: it stays here alone."
        case .reserved:
            "Names that begin with “.sheaf-” are what saves use for themselves: it stays here alone."
        case .special, .passing: "It is a socket, a pipe or a device, which has no contents to send."
        case .lostAndFound: "What a check of this volume has found goes into it: it stays here alone."
        case .strayPlaceholder:
            """
            It stands for a file whose contents are not on this device, as a copy of what does so already, or moved here from \
            another container: nothing can fill it, and no other device has it.
            """
        }
    }

    /// What helps.
    var remedy: String {
        switch reason {
        case .notUnicode, .reserved: "Give it another name; then it is kept in step."
        case .special, .passing, .lostAndFound: "Nothing is to be done."
        case .strayPlaceholder:
            """
            Have the file that it was copied from come with sheaf download, and copy that; then remove this one. What is of another \
            container belongs there: moved back, it is the file again.
            """
        }
    }
}
