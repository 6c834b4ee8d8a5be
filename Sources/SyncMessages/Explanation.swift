/// Why one item is as it is, and what comes next: a chain of causes, the nearest first.
package struct Explanation: Codable, Hashable, Sendable {
    /// Below the container's folder.
    package var path: String
    /// Whether it is the same here and at the hub.
    package var isSettled: Bool
    package var change: String
    /// Each what the one before waits for.
    package var chain: [Cause]
    /// The one thing to do, or what happens by itself.
    package var next: String
    /// What there is to know beside that, and is in the way of nothing here.
    package var notes: [String] = []
    /// What the hub does that the item waits for; nil where it does nothing.
    package var hubDeed: HubDeed?
    /// How much of its contents the hub has got, while they are on their way there.
    package var upload: ItemSyncState.Share?
    /// How much of its contents has come, while they are on their way here.
    package var download: ItemSyncState.Share?
    /// How each device that shares the container has what the hub has of it.
    package var devices: [DeviceStanding] = []
    /// On which devices it is, in sentences; none where there is no other device.
    package var whereabouts: [String] = []

    package init(path: String, isSettled: Bool, change: String, _ chain: [Cause], next: String) {
        (self.path, self.isSettled, self.change) = (path, isSettled, change)
        (self.chain, self.next) = (chain, next)
    }

    /// The causes in sentences.
    package var causes: [String] { chain.map(\.text) }

    /// One thing that an item waits for, or what it is.
    package struct Cause: Codable, Hashable, Sendable {
        package var kind: Kind
        /// In a sentence.
        package var text: String
        /// When that began, in seconds since 1970; nil where nobody has noted it.
        package var sinceSeconds: Double?
        /// What helps against it; nil where it passes by itself, or nothing is wrong.
        package var remedy: String?

        package init(_ kind: Kind, _ text: String, sinceSeconds: Double? = nil, remedy: String? = nil) {
            (self.kind, self.text) = (kind, text)
            (self.sinceSeconds, self.remedy) = (sinceSeconds, remedy)
        }

        /// What it comes to, for programs.
        package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
            // Nothing is wrong, or it is not known yet.
            case settled, justChanged, due
            // What is under way.
            case sending, getting, committing, readingLog, placing, merging
            // What waits for other items.
            case nameTaken, nameLeft, uniting, folderMissing, loop, members
            // What waits for a person.
            case braked, paused, conflict
            // What the hub does, or there is no line to it.
            case offline, shutOut, hubFull, contentsLost, cannotSend, cannotGet
            // What is in the way on this device.
            case inUse, beingWritten, cannotPlace, cannotRead, cannotRemember, cannotBegin, emptied,
                notMounted
            // What is at the hub alone, is in a folder, or is nowhere.
            case evicted, inside, absent, leftOut
        }
    }
}

/// How a device has an item, as far as this one knows.
package struct DeviceStanding: Codable, Hashable, Sendable {
    package enum Standing: String, Codable, Sendable {
        /// It has it. Only said of this device.
        case current
        /// Its contents are not here, the rest of it is. Only said of this device.
        case placeholder
        /// It has been changed here, and the hub has not got that. Only said of this device.
        case changed
        /// It has made this state of it.
        case made
        /// It has read of it, by the hub's word.
        case read
        /// It has not: this one not put it in place, another one not read of it, by the hub's word.
        case behind
        /// Nobody says.
        case unknown
    }

    package var name: String
    package var isThis: Bool
    package var standing: Standing
    /// When it asked the hub last, by the hub's clock and word, in seconds since 1970.
    package var askedSeconds: Double?

    package init(name: String, isThis: Bool, _ standing: Standing) {
        (self.name, self.isThis, self.standing) = (name, isThis, standing)
    }
}
