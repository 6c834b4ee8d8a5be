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

        package init(_ done: UInt64, of total: UInt64) { (doneByteCount, totalByteCount) = (done, total) }

        /// 0 to 1.
        package var fraction: Double {
            totalByteCount == 0 ? 0 : min(1, Double(doneByteCount) / Double(totalByteCount))
        }
    }

    /// From the root, under its own name, be it a placeholder or not.
    package var path: String
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
    /// Of its contents; nil for a folder.
    package var byteCount: UInt64?

    package init(path: String) { self.path = path }
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

    package init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}
