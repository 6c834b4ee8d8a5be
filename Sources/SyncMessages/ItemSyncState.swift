/// How an item of a container stands on this device and at the hub.
package struct ItemSyncState: Codable, Hashable, Sendable {
    /// What of its contents is here.
    package enum Contents: String, Codable, Sendable {
        /// Nothing: a placeholder stands for it.
        case missing
        /// All of an older state.
        case stale
        /// All of the newest one that is known here.
        case current
    }

    /// How far something has come.
    package struct Share: Codable, Hashable, Sendable {
        package var doneByteCount: UInt64
        package var totalByteCount: UInt64
        /// How many of the objects that travel have come, of how many that are known of; nil where that is not counted.
        package var objects: ObjectCount?

        package init(_ done: UInt64, of total: UInt64) { (doneByteCount, totalByteCount) = (done, total) }

        /// 0 to 1.
        package var fraction: Double {
            totalByteCount == 0 ? 0 : min(1, Double(doneByteCount) / Double(totalByteCount))
        }
    }

    /// How many objects have come.
    package struct ObjectCount: Codable, Hashable, Sendable {
        package var done: Int
        package var total: Int

        package init(_ done: Int, of total: Int) { (self.done, self.total) = (done, total) }
    }

    /// From the root, under its own name, be it a placeholder or not.
    package var path: String
    /// Whether it has gone, here and at the hub, and nothing has come to its path. Nil for no, and from a process that does not say.
    package var isNowhere: Bool?
    package var isFolder = false
    package var contents = Contents.current
    /// Somebody has asked for its contents.
    package var isDownloadRequested = false
    /// Its contents are on their way here; nil for not.
    package var download: Share?
    package var downloadFailure: SyncRefusal?
    /// Whether the hub has what is here.
    package var isUploaded = true
    package var isUploading = false
    package var uploadFailure: SyncRefusal?
    /// How much of its contents the hub has got, while they are on their way there; nil for not.
    package var upload: Share?
    /// Of its contents; nil for a folder.
    package var byteCount: UInt64?
    /// Whether it is the same here and at the hub, as far as is known, and could be put in place.
    package var isSettled = true
    /// Whether versions of it lost a conflict which nobody has settled.
    package var hasConflicts = false
    /// Who has paused it; nil for not paused.
    package var pause: SyncPause?
    /// Of a folder in a list: the worst that is the matter with what is in it, at any depth; nil for nothing.
    package var inside: ItemConcern?

    package init(path: String) { self.path = path }
}

extension ItemSyncState {
    /// What a person has to know of it, the most pressing first.
    package enum Standing: Hashable, Sendable {
        /// It is here, as it is at the hub.
        case settled
        case paused
        case conflict
        case error(SyncRefusal)
        /// With how much of it is here; nil for what is not known yet.
        case downloading(Double?)
        /// With how much of it the hub has; nil for what is not known yet.
        case uploading(Double?)
        /// Its contents are at the hub only.
        case remote
        /// It differs from what the hub has, and that changes by itself later.
        case waiting
    }

    /// Of a folder: or, if that is worse, how what is in it stands.
    package var standing: Standing {
        isWorseInside ? inside.map { Standing(inside: $0) } ?? ownStanding : ownStanding
    }

    /// Whether it stands as it does for what is in it.
    package var isWorseInside: Bool {
        guard let inside else { return false }
        return ownStanding.concern.map { $0 < inside } ?? true
    }

    /// How it stands itself, whatever is in it.
    package var ownStanding: Standing {
        if hasConflicts { return .conflict }
        if pause != nil { return .paused }
        for failure in [uploadFailure, downloadFailure].compactMap({ $0 }) where failure.code != .unreachable
        {
            return .error(failure)
        }
        if let download { return .downloading(download.totalByteCount == 0 ? nil : download.fraction) }
        if isUploading { return .uploading(upload?.fraction) }
        if contents == .missing { return .remote }
        return isSettled ? .settled : .waiting
    }
}

/// Who has paused an item, and when.
package struct SyncPause: Codable, Hashable, Sendable {
    /// By this machine's clock, in seconds since 1970.
    package var sinceSeconds: Double
    /// A program's name, for people.
    package var by: String

    package init(sinceSeconds: Double, by: String) { (self.sinceSeconds, self.by) = (sinceSeconds, by) }
}

/// What becomes of what was done here to an item while it was paused.
package enum SyncResumption: String, Codable, Sendable {
    /// It goes on as if the device had been away: merged, or in conflict, with what others have done.
    case preserveLocal
    /// It goes to the hub, unless others have changed the item; then it stays paused.
    case failOnConflict
    /// What the hub has comes in its place. It is kept as a version.
    case dropLocal
}

/// Why something that was asked for is not done, with the remedy.
package struct SyncRefusal: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Codable, Sendable {
        /// It is in no folder that is kept in step.
        case notInContainer
        /// Nothing of this name is here.
        case absent
        /// What is here is not at the hub yet, or not as it is.
        case notUploaded
        /// Somebody who has it open objects, or it was just changed.
        case inUse
        /// The hub does not answer.
        case unreachable
        /// The hub has no room for it.
        case quota
        /// Somebody else has changed it meanwhile.
        case overtaken
        /// What the item is on the way to cannot be done now.
        case busy
        /// The disk or the hub refused.
        case failed
        /// Whoever asked has called it off.
        case cancelled
    }

    package var code: Code
    /// In sentences for a person, with the remedy.
    package var description: String
    /// What the hub does that is the reason; nil where it does nothing.
    package var hubDeed: HubDeed.Kind?
    /// What helps, in sentences; nil where the description says it, or it passes by itself.
    package var remedy: String?

    package init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}
