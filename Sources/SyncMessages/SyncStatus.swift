/// How things stand with a container.
package struct SyncStatus: Hashable, Sendable, Codable {
    package enum Line: String, Hashable, Sendable, Codable { case up, down, stopped }

    package var line: Line
    /// Why the line is not up.
    package var lineFailure: String?
    /// What somebody has to do for it to be up again; nil where it goes on by itself, or nothing goes on.
    package var lineRemedy: String?
    package var itemCount: Int
    /// How many items are not here as they are at the hub.
    package var unsettledCount: Int
    /// Whether all that is here is at the hub, and the other way round, as far as is known.
    package var isSettled: Bool
    /// What cannot be done, item by item: its path, and why.
    package var stuck: [String: String]
    /// What helps against it, by path, where anything is to be done. Nil from a process that does not say.
    package var remedies: [String: String]?
    /// Changes so large that a person is asked first.
    package var brakes: [Brake] = []
    /// From when on a person is asked; nil from a process that does not say.
    package var brakeLimits: BrakeLimits?
    /// The last large change that has gone on, for 30 days; nil for none.
    package var largeChange: LargeChange?
    /// Whether another device has shut this one out.
    package var isShutOut = false
    /// What the hub has done that an honest one does not, or that its being put back came to, the newest last; what is put
    /// right by now too, for a while. Nil from a process that tells of none.
    package var hubDeeds: [HubDeed]?

    /// What there is to know of names, though nothing is wrong on this device: the first of them.
    package var notes: [Note] = []
    /// How many there are in all.
    package var noteCount = 0

    /// Something to know of a name.
    package struct Note: Hashable, Sendable, Codable {
        /// From the folder.
        package var path: String
        /// In sentences for a person.
        package var text: String
        /// Whether what bears the name is not kept in step; else it is, and other systems cannot have the name.
        package var isLeftOut: Bool

        package init(path: String, text: String, isLeftOut: Bool) {
            (self.path, self.text, self.isLeftOut) = (path, text, isLeftOut)
        }
    }

    /// A change that waits for a person.
    package struct Brake: Hashable, Sendable, Codable {
        /// Whether it was made here and would go to all others; else it was made elsewhere.
        package var isLeaving: Bool
        /// So many items would be removed or have their contents replaced.
        package var waitingCount: Int
        /// Of so many.
        package var itemCount: Int
        /// So many more have been already, before it was seen how many there would be.
        package var doneCount = 0
        /// The entry of the log after which it came.
        package var restorePoint: UInt64 = 0

        package init(isLeaving: Bool, waitingCount: Int, itemCount: Int) {
            (self.isLeaving, self.waitingCount, self.itemCount) = (isLeaving, waitingCount, itemCount)
        }
    }

    /// A large change that has gone on, and that one can go back from.
    package struct LargeChange: Hashable, Sendable, Codable {
        /// So many items were removed or replaced.
        package var itemCount: Int
        /// The entry of the log after which it came.
        package var restorePoint: UInt64

        package init(itemCount: Int, restorePoint: UInt64) {
            (self.itemCount, self.restorePoint) = (itemCount, restorePoint)
        }
    }

    package init(
        line: Line,
        lineFailure: String?,
        itemCount: Int,
        unsettledCount: Int,
        isSettled: Bool,
        stuck: [String: String]
    ) {
        (self.line, self.lineFailure, self.itemCount) = (line, lineFailure, itemCount)
        (self.unsettledCount, self.isSettled, self.stuck) = (unsettledCount, isSettled, stuck)
    }
}

/// How one folder stands.
package struct FolderStatus: Codable, Hashable, Sendable {
    package var folder: String
    package var hub: String
    package var status: SyncStatus

    package init(folder: String, hub: String, status: SyncStatus) {
        (self.folder, self.hub, self.status) = (folder, hub, status)
    }
}

/// Why nothing is kept in step, or nobody says how.
package enum SyncServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    case nothingJoined
    /// Nobody is there to ask.
    case notRunning
    /// Somebody begins, and cannot be asked yet.
    case beginning
    /// Somebody is, and has not answered in time.
    case busy
    /// Somebody was, and has ended the conversation without an answer.
    case ended

    /// Whether nobody is there who could be asked, or not yet.
    package var isNobodyListening: Bool { self == .notRunning || self == .beginning }

    package var description: String {
        switch self {
        case .nothingJoined:
            "No folder of this device is kept in step. Begin with: sheaf join FOLDER --hub ADDRESS"
        case .notRunning: "Nothing is kept in step now. Start it with: sheaf up"
        case .beginning:
            "sheaf up has just begun, and looks at all that is in its folders first. Ask again in a moment."
        case .busy: "sheaf up runs, and has too much to do to answer now. Ask again in a moment."
        case .ended:
            "sheaf up has ended the conversation without an answer: it may be about to end, or of another version. Ask again."
        }
    }
}
