/// Something that a hub does which an honest one does not, or that happens to one that is put back to a backup: what a device
/// has noticed by the log or by contents that it was given. Nothing of it has come into the folder.
package struct HubDeed: Codable, Hashable, Sendable {
    /// What it comes to, for scripts.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// An entry, or a part of contents, is not what a device has sent.
        case altered
        /// What a device has sent stands in the place of something else.
        case exchanged
        /// Something old was put in again.
        case replayed
        /// Something is missing of what there has to be.
        case leftOut
        /// There are two logs, or there were.
        case forked
        /// The hub has lost its last entries, as one does that is put back to a backup.
        case rolledBack
    }

    package var kind: Kind
    /// The entry of the log that it is about, or after which it begins; nil for contents.
    package var entry: UInt64?
    /// The item that waits for contents, below the folder; nil for what is about the log.
    package var path: String?
    /// When this device has noticed it, in seconds since 1970.
    package var sinceSeconds: Double
    /// Since when it is put right, in seconds since 1970; nil while it is not.
    package var putRightSeconds: Double?
    /// What the hub has done, for a person.
    package var text: String
    /// What helps.
    package var next: String

    package init(
        _ kind: Kind,
        entry: UInt64? = nil,
        path: String? = nil,
        sinceSeconds: Double,
        text: String,
        next: String
    ) {
        (self.kind, self.entry, self.path) = (kind, entry, path)
        (self.sinceSeconds, self.text, self.next) = (sinceSeconds, text, next)
    }

    /// Whether it is the same as another, whenever it was noticed.
    package func isSame(as other: HubDeed) -> Bool {
        kind == other.kind && entry == other.entry && path == other.path
    }
}
