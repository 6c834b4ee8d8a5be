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
    /// An entry is not what a device has committed.
    case tampered(LogPosition, SealingError)
    /// An entry was made on another last one of its item than the log has: an old one was put in again, or two of them are
    /// in another order.
    case replayed(LogPosition)
    /// An entry is sealed under a key that was announced and has not come here. Nothing is wrong with the log: the device
    /// fetches its keys, has the reader use them, and reads on.
    case keysMissing(LogPosition)
    /// Entries are missing after this position: those that follow, or all, though the hub says that there are some.
    case truncated(after: LogPosition)

    /// What it is, and what that means, in a sentence or two.
    package var description: String {
        switch self {
        case .rolledBack(let last):
            "The hub was put back to entry \(last.position). What this device has of what came later, it sends again."
        case .forked(let last):
            "The hub shows another log than before, from after entry \(last.position) on at the latest."
        case .tampered(_, let error): "The hub's log was altered. \(error.detail)"
        case .replayed(let position): "Entry \(position) of the hub's log is an old one, put in again."
        case .keysMissing(let position): "Entry \(position) needs a newer key. The device fetches its keys."
        case .truncated(let position): "The hub leaves out what comes after entry \(position) of its log."
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
