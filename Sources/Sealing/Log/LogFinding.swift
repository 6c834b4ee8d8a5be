package import HubProtocol
package import Sync

/// What is wrong with a log as a hub shows it.
package enum LogFinding: Hashable, Sendable, CustomStringConvertible {
    /// The hub's log ends before what this device has read of it: it was put back to what it was once, or has left out
    /// its last entries. All up to `last` is as it was, as far as this device remembers; what it holds of what came after
    /// it can commit again.
    case rolledBack(last: LogHead)
    /// The hub shows another log than the one that this device has read. They may be the same up to
    /// `last`, which is for the device to find out: it reads on from there, or from an earlier place.
    case forked(last: LogHead)
    /// An entry is not what a device of the container commits. The hub has altered it, or somebody has put it there whom the hub
    /// lets commit: it takes entries of any device of the account, and cannot read them.
    case tampered(LogPosition, SealingError)
    /// An entry's record is what a device has committed, but as another entry, of which the position says where it was met.
    case exchanged(LogPosition, with: LogPosition)
    /// An entry was made on an earlier one of its item than is the last: an old one was put in again.
    case replayed(LogPosition)
    /// An entry is sealed under a key that was announced and has not come here. Nothing is wrong with the log: the device
    /// fetches its keys, has the reader use them, and reads on.
    case keysMissing(LogPosition)
    /// Entries are missing after this position: those that follow, or all, though the hub says that there are some, or one on
    /// which the next was made.
    case truncated(after: LogPosition)
    /// The hub had said of a commit that it has taken it as this entry, and the log has something else there, or ends before. No page
    /// shows it by itself.
    case unkept(LogPosition)
    /// The log ends before a newer key is announced which this device holds, and so before somebody was shut out: what is
    /// sealed as of there is for him, too. No page shows it by itself.
    case revocationForgotten(last: LogHead)

    /// What it is, and what that means, in a sentence or two.
    package var description: String {
        switch self {
        case .rolledBack(let last):
            "The hub was put back to entry \(last.position) of its log: it has lost what came after that."
        case .forked(let last):
            """
            The hub shows another log than it showed before, from after entry \(last.position) on: as if there were two, or \
            others had gone on after it was put back to an earlier state.
            """
        case .tampered(let position, let error) where error.code == .versionUnknown:
            """
            A later version of Sheaf has made entry \(position) of the log, or the hub has altered it, or somebody with a device's \
            access to it has put it there. \(error.detail)
            """
        case .tampered(let position, let error):
            """
            Entry \(position) of the hub's log is not what a device of this folder's commits: the hub has altered it, or somebody \
            with a device's access to the hub has put it there. \(error.detail)
            """
        case .exchanged(let position, let other):
            """
            The hub has exchanged entries of its log: entry \(position) holds what a device has committed as entry \(other).
            """
        case .replayed(let position):
            "The hub has put in an old entry again, as entry \(position) of its log."
        case .keysMissing(let position): "Entry \(position) needs a newer key. The device fetches its keys."
        case .truncated(let position): "The hub leaves out what comes after entry \(position) of its log."
        case .unkept(let position):
            """
            The hub said that it has taken what this device has sent as entry \(position) of its log, and does not have it there: it \
            was put back to an earlier state, or leaves it out.
            """
        case .revocationForgotten:
            """
            The hub has forgotten that a device was shut out: it was put back to before that, or deceives. Nothing more is sent \
            to it. Have whoever runs it put it forward again; where there is no later backup, shut the same device out once more: \
            sheaf revoke.
            """
        }
    }
}

/// A device had read another log than this one when it made an entry: the hub has shown it one of its own, or the log was
/// put back since and the device did not know yet.
package struct OtherLog: Hashable, Sendable {
    /// The entry by which it shows.
    package let position: LogPosition
    package let author: DeviceID
    /// What the author had read.
    package let seen: LogHead
}
