public import Foundation

/// Why an item of a container is as it is on this device and at the hub: a chain of causes, and the one next step.
///
/// `FileManager.explainUbiquitousItem(at:)` gives it. A `JSONEncoder` whose dates are `.iso8601` makes of it what
/// `sheaf explain --json` prints. Its sentences are English, for people, and may be worded otherwise in another version:
/// programs go by `kind`, `standing` and numbers.
///
/// - Source: ours.
public struct SyncExplanation: Codable, Hashable, Sendable {
    /// Who has done something with the item since this device and the hub had the same.
    public struct Change: RawRepresentable, Codable, Hashable, Sendable {
        /// Its text in JSON.
        public let rawValue: String
        /// Takes the text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nobody.
        public static let none = Self(rawValue: "none")
        /// Somebody on this device.
        public static let here = Self(rawValue: "here")
        /// Somebody on another device.
        public static let elsewhere = Self(rawValue: "elsewhere")
        /// Both.
        public static let both = Self(rawValue: "both")
    }

    /// One thing that an item waits for, or what it is.
    public struct Cause: Codable, Hashable, Sendable {
        /// What it comes to.
        public let kind: Kind
        /// In a sentence, which names the items and programs that it is about.
        public let text: String
        /// When it began, by this device's clock; nil where nobody has noted it.
        public let since: Date?
        /// What helps against it, in a sentence; nil where it passes by itself, or nothing is wrong.
        public let remedy: String?
    }

    /// How far contents on their way have come.
    public struct Transfer: Codable, Hashable, Sendable {
        /// Bytes that have come.
        public let doneByteCount: UInt64
        /// Of so many.
        public let totalByteCount: UInt64
        /// Of the objects that travel, so many have come; nil where they are not counted.
        public let doneObjectCount: Int?
        /// Of so many that are known of.
        public let totalObjectCount: Int?

        /// 0 to 1.
        public var fraction: Double {
            totalByteCount == 0 ? 0 : min(1, Double(doneByteCount) / Double(totalByteCount))
        }
    }

    /// How a device that shares the container has the item, as far as this one knows.
    public struct Device: Codable, Hashable, Sendable {
        /// What its owner calls it.
        public let name: String
        /// Whether it is the one that is asked.
        public let isThis: Bool
        /// How it has the item.
        public let standing: Standing
        /// When it asked the hub last, by the hub's clock and word.
        public let asked: Date?
    }

    /// Something that the hub does which an honest one does not, or that it was put back to a backup.
    public struct HubDeed: Codable, Hashable, Sendable {
        /// altered, exchanged, replayed, leftOut, forked, or rolledBack.
        public let kind: String
        /// The entry of the log that it is about, or after which it begins; nil for contents.
        public let entry: UInt64?
        /// The item that waits for contents, below the folder; nil for what is about the log.
        public let path: String?
        /// When this device has noticed it.
        public let since: Date
        /// Since when it is put right; nil while it is not.
        public let putRight: Date?
        /// What the hub has done.
        public let text: String
        /// What helps.
        public let next: String
    }

    /// Below the container's folder, names parted by `/`.
    public let path: String
    /// Whether the item is the same here and at the hub. What is evicted, paused or in conflict may be.
    public let isSettled: Bool
    /// Who has changed it.
    public let change: Change
    /// Each is what the one before waits for.
    public let causes: [Cause]
    /// The one thing to do, or what happens by itself.
    public let next: String
    /// What there is to know beside that, and is in the way of nothing here.
    public let notes: [String]
    /// What the hub does that the item waits for; nil where it does nothing.
    public let hubDeed: HubDeed?
    /// How much of its contents the hub has got, while they are on their way there.
    public let upload: Transfer?
    /// How much of its contents has come, while they are on their way here.
    public let download: Transfer?
    /// How each device that shares the container has it, as far as the hub tells; none while it is not known.
    public let devices: [Device]
    /// The same in sentences; none where there is no other device.
    public let whereabouts: [String]
}

extension SyncExplanation.Cause {
    /// What a cause comes to. There may be others in another version: leave room for them.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// Its text in JSON.
        public let rawValue: String
        /// Takes the text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It is the same here and at the hub.
        public static let settled = Self(rawValue: "settled")
        /// Something has just happened to it, which is about to be looked at.
        public static let justChanged = Self(rawValue: "justChanged")
        /// It is about to be looked at.
        public static let due = Self(rawValue: "due")

        /// Its contents are on their way to the hub.
        public static let sending = Self(rawValue: "sending")
        /// Its contents are on their way here.
        public static let getting = Self(rawValue: "getting")
        /// The hub has been told of a change and has not answered yet.
        public static let committing = Self(rawValue: "committing")
        /// Another device was faster: its entries are to be read first.
        public static let readingLog = Self(rawValue: "readingLog")
        /// It is being made what the hub says.
        public static let placing = Self(rawValue: "placing")
        /// What was changed here and elsewhere is being made one.
        public static let merging = Self(rawValue: "merging")

        /// Another item has its name.
        public static let nameTaken = Self(rawValue: "nameTaken")
        /// The hub is to know first that another item has left its name.
        public static let nameLeft = Self(rawValue: "nameLeft")
        /// It was made on another device, too: the two are about to become one.
        public static let uniting = Self(rawValue: "uniting")
        /// Its folder is not there yet.
        public static let folderMissing = Self(rawValue: "folderMissing")
        /// It is to go into a folder that is in it here.
        public static let loop = Self(rawValue: "loop")
        /// It goes when what is in it has gone.
        public static let members = Self(rawValue: "members")

        /// It is part of so large a change that a person is to say whether it is meant.
        public static let braked = Self(rawValue: "braked")
        /// Somebody has paused it.
        public static let paused = Self(rawValue: "paused")
        /// Versions of it lost a conflict that nobody has settled.
        public static let conflict = Self(rawValue: "conflict")

        /// There is no line to the hub.
        public static let offline = Self(rawValue: "offline")
        /// Another device has shut this one out.
        public static let shutOut = Self(rawValue: "shutOut")
        /// The hub has no room for it.
        public static let hubFull = Self(rawValue: "hubFull")
        /// The hub has lost its contents.
        public static let contentsLost = Self(rawValue: "contentsLost")
        /// Its contents cannot be sent.
        public static let cannotSend = Self(rawValue: "cannotSend")
        /// Its contents cannot be had.
        public static let cannotGet = Self(rawValue: "cannotGet")

        /// Others on this device use it.
        public static let inUse = Self(rawValue: "inUse")
        /// A program is writing it.
        public static let beingWritten = Self(rawValue: "beingWritten")
        /// The container's folder, or a volume that it is on, is not where it was.
        public static let notMounted = Self(rawValue: "notMounted")
        /// The disk refuses it, or something is in its place.
        public static let cannotPlace = Self(rawValue: "cannotPlace")
        /// It cannot be read here, or looked at.
        public static let cannotRead = Self(rawValue: "cannotRead")
        /// What this device has to remember cannot be written.
        public static let cannotRemember = Self(rawValue: "cannotRemember")
        /// The container cannot be kept in step at all.
        public static let cannotBegin = Self(rawValue: "cannotBegin")
        /// A power cut seems to have emptied it, and what it held is waited for.
        public static let emptied = Self(rawValue: "emptied")

        /// Its contents are at the hub and not on this device.
        public static let evicted = Self(rawValue: "evicted")
        /// Something is the matter with what is in the folder.
        public static let inside = Self(rawValue: "inside")
        /// Nothing of this name is here or at the hub.
        public static let absent = Self(rawValue: "absent")
        /// It cannot be on other devices, or is excluded from sync on this one.
        public static let leftOut = Self(rawValue: "leftOut")
    }
}

extension SyncExplanation.Device {
    /// How a device has an item. Of other devices than this one only `made`, `read`, `behind` and `unknown` are said.
    public struct Standing: RawRepresentable, Codable, Hashable, Sendable {
        /// Its text in JSON.
        public let rawValue: String
        /// Takes the text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It has what the hub has.
        public static let current = Self(rawValue: "current")
        /// It has all but the contents.
        public static let placeholder = Self(rawValue: "placeholder")
        /// It has changed it, and the hub has not got that.
        public static let changed = Self(rawValue: "changed")
        /// It has made what the hub has.
        public static let made = Self(rawValue: "made")
        /// It has read of what the hub has, by the hub's word.
        public static let read = Self(rawValue: "read")
        /// It has not read of it, or not put it in place.
        public static let behind = Self(rawValue: "behind")
        /// Nobody says.
        public static let unknown = Self(rawValue: "unknown")
    }
}
