internal import Foundation
internal import HubProtocol
internal import Sealing
internal import SyncMessages

extension LogFinding {
    /// What the hub has done, for those who keep a folder in step; nil where it has done nothing.
    func deed(at date: Date) -> HubDeed? {
        guard let (kind, entry, next) = kindOfDeed else { return nil }
        return HubDeed(
            kind,
            entry: entry,
            sinceSeconds: date.timeIntervalSince1970,
            text: description,
            next: next
        )
    }

    private var kindOfDeed: (HubDeed.Kind, UInt64, String)? {
        switch self {
        case .keysMissing: nil
        case .tampered(_, let error) where error.code == .versionUnknown: nil
        case .rolledBack(let last): (.rolledBack, last.position, Self.compare)
        case .forked(let last): (.forked, last.position, Self.compare)
        case .tampered(let position, _): (.altered, position, Self.findOut)
        case .exchanged(let position, _): (.exchanged, position, Self.mend)
        case .replayed(let position): (.replayed, position, Self.mend)
        case .truncated(let position): (.leftOut, position, Self.mend)
        case .unkept(let position): (.leftOut, position, Self.compare)
        case .revocationForgotten(let last): (.rolledBack, last.position, Self.putForward)
        }
    }

    private static let mend = """
        Nothing of it was taken over, and nothing goes or comes: all in the folder stays as it is. Have whoever runs the hub put \
        it back to a backup from before that, then start sheaf up again.
        """

    /// What a device that was lost has put there would come again.
    private static let findOut = """
        \(mend) If the hub has not done it, somebody has who has the token of a device: shut that device out first, by sheaf revoke.
        """

    private static let putForward = """
        Nothing goes or comes: all in the folder stays as it is, and who was shut out gets nothing of it. If somebody has put the \
        hub back to a backup, have him put it forward again; where there is no later one, shut the same device out once more, by \
        sheaf revoke on one that was kept in step after that. Then start sheaf up again on all.
        """

    static let compare = """
        Each device sends again by itself what it has of what the hub lacks. If nobody has put the hub back to a backup, do not \
        trust it: compare sheaf status on all devices, and ask whoever runs it.
        """
}

extension OtherLog {
    func deed(at date: Date) -> HubDeed {
        HubDeed(
            .forked,
            entry: position,
            sinceSeconds: date.timeIntervalSince1970,
            text: """
                The author of entry \(position) had read another log than this device: the hub was put back since, or shows \
                devices different logs.
                """,
            next: LogFinding.compare
        )
    }
}
