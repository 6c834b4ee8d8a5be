internal import StandardStreams
package import SyncMessages

/// What was found out about a folder that is kept in step, and what of it is wrong. Asks nobody.
package struct FolderCheckup: Sendable {
    /// An item that is not the same here and at the hub.
    package struct Waiting: Sendable {
        package var explanation: Explanation
        /// When it was changed here, in seconds since 1970; nil where it was not.
        package var changedSeconds: Double?

        package init(_ explanation: Explanation, changedSeconds: Double?) {
            (self.explanation, self.changedSeconds) = (explanation, changedSeconds)
        }
    }

    package var folder: String
    package var hub: String
    /// In seconds since 1970.
    package var now: Double
    /// Whether there is a folder at its place, and whether its volume may not be written to.
    package var isThere = true
    package var isReadOnly = false
    /// Where this device keeps what it needs for the folder, and whether the volume of that may not be written to.
    package var ownFolder = ""
    package var isOwnReadOnly = false
    /// Of its volume, and of the one where this device keeps what it needs; nil where nobody says.
    package var freeByteCounts: [Int64] = []
    /// Why the hub does not answer, and what somebody has to do; nil where it may go on by itself.
    package var hubFailure: String?
    package var hubRemedy: String?
    /// By how much the hub's clock is ahead of this device's; nil where it does not say.
    package var clockAheadSeconds: Double?
    /// What the process says that keeps folders in step; nil where that does not run, or not with this folder.
    package var status: SyncStatus?
    /// Whether it runs at all.
    package var isUp = false
    /// Some of what is not in step, and how many more there are.
    package var waiting: [Waiting] = []
    package var otherWaitingCount = 0
    /// Items that a full hub does not take, and what helps.
    package var refusedCount = 0
    package var refusedRemedy: String?
    /// Items with conflicts that nobody has settled.
    package var conflicts: [String] = []
    package var databases: [StoredDiagnosis.Database] = []

    package init(folder: String, hub: String, now: Double) {
        (self.folder, self.hub, self.now) = (folder, hub, now)
    }

    /// So long an item may take that was changed here, and that somebody uses.
    package static let (slowSeconds, useSeconds) = (600.0, 60.0)
    /// With less room than this, soon nothing can be saved.
    package static let leastFreeByteCount: Int64 = 256 << 20
    /// Certificates and pairing codes bear no more.
    package static let clockSeconds = 120.0
    private static let namedCountMax = 5

    /// What is wrong, the most pressing first.
    package var findings: [DoctorFinding] {
        guard isThere else {
            return [
                finding(
                    .folderMissing,
                    "The folder is not there.",
                    """
                    Have its volume mounted, or put it back; until then nothing counts as deleted. If it is gone for good, another \
                    folder takes its place by sheaf join FOLDER --instead-of \(folder.shellWord).
                    """
                )
            ] + ofThisDevice
        }
        return ofThisDevice + ofLine + ofItems
    }

    /// What is said of a database that is not whole.
    private static func predicate(_ integrity: String) -> String {
        switch integrity {
        case "damaged": "is damaged"
        case "no answer": "does not answer"
        default: integrity
        }
    }

    /// What helps a database that is not whole.
    private func remedy(for database: StoredDiagnosis.Database) -> String {
        switch database.integrity {
        case "damaged" where database.name == "memory":
            """
            End sheaf up, move \(DeviceMemory.fileName), and what begins with that name, out of \(ownFolder.shellWord), and start it \
            again: it is made anew from the folder and the hub.
            """
        case "damaged": "Start sheaf up anew: it is made again from what is stored."
        case "no answer": "Ask again in a moment; if it stays so, end sheaf up and start it again."
        default: database.remedy ?? "Check the volume and ask again."
        }
    }

    private func finding(_ kind: DoctorFinding.Kind, _ text: String, _ remedy: String) -> DoctorFinding {
        DoctorFinding(kind, folder: folder, text, remedy: remedy)
    }

    // MARK: This device

    private var ofThisDevice: [DoctorFinding] {
        var found: [DoctorFinding] = []
        if isReadOnly {
            found.append(
                finding(
                    .readOnly,
                    "The folder's volume may not be written to.",
                    "Mount it so that it may: nothing can come here."
                )
            )
        }
        if isOwnReadOnly {
            found.append(
                finding(
                    .readOnly,
                    "What this device keeps for the folder, in \(ownFolder), may not be written to.",
                    "Mount that volume so that it may: nothing goes or comes without it."
                )
            )
        }
        if let least = freeByteCounts.min(), least < Self.leastFreeByteCount {
            found.append(
                finding(
                    .noRoom,
                    "There are \(least >> 20) MiB free on a disk that this folder needs.",
                    "Free some space, or have contents leave this device: sheaf evict."
                )
            )
        }
        for database in databases where database.integrity != "whole" {
            found.append(
                finding(
                    .database,
                    "The \(database.name) of this folder \(Self.predicate(database.integrity)).",
                    remedy(for: database)
                )
            )
        }
        if isUp, status == nil {
            found.append(
                finding(.notKept, "sheaf up runs without this folder.", "End sheaf up, and start it again.")
            )
        }
        return found
    }

    // MARK: The hub

    private var ofLine: [DoctorFinding] {
        var found: [DoctorFinding] = []
        let deeds = (status?.hubDeeds ?? []).filter { $0.putRightSeconds == nil }
        if status?.isShutOut == true {
            found.append(
                finding(
                    .shutOut,
                    "Another device has shut this one out.",
                    "What is here stays as it is. To share it again, join anew: sheaf join. Else have it forgotten: sheaf revoke, with this device's own name."
                )
            )
        } else if let hubFailure {
            let remedy = hubRemedy ?? "Check the network and the hub; it goes on by itself."
            found.append(finding(.hubUnreachable, "The hub \(hub) does not answer: \(hubFailure)", remedy))
        } else if let status, status.line == .stopped || (status.line != .up && deeds.isEmpty) {
            let why = status.lineFailure ?? "it has not been tried yet."
            let isStopped = status.line == .stopped
            found.append(
                finding(
                    isStopped ? .stopped : .offline,
                    (isStopped ? "It is not kept in step: " : "There is no line to the hub: ") + why,
                    isStopped
                        ? status.lineRemedy ?? "Put right what stopped it, then start sheaf up again."
                        : status.lineRemedy ?? "Check the network and the hub; it goes on by itself."
                )
            )
        }
        for deed in deeds { found.append(finding(.hubDeed, deed.text, deed.next)) }
        if let ahead = clockAheadSeconds, abs(ahead) > Self.clockSeconds {
            let span = Self.span(abs(ahead))
            found.append(
                finding(
                    .clock,
                    "This device's clock is \(span) \(ahead > 0 ? "behind" : "ahead of") the hub's.",
                    "Put right the one that is wrong, as with timedatectl set-ntp true."
                )
            )
        }
        if refusedCount > 0 {
            found.append(
                finding(
                    .hubFull,
                    "The hub has no room for \(Self.count(refusedCount)).",
                    refusedRemedy ?? "Have whoever runs the hub make room there; then it goes on by itself."
                )
            )
        }
        return found
    }

    // MARK: Items

    private var ofItems: [DoctorFinding] {
        var found: [DoctorFinding] = []
        for brake in status?.brakes ?? [] {
            let what =
                "\(brake.waitingCount) of \(brake.itemCount) items would be removed or replaced"
            found.append(
                finding(
                    .braked,
                    brake.isLeaving
                        ? "\(what) on all other devices by what was done here: that waits."
                        : "\(what) here by what was done elsewhere: that waits.",
                    "Say which: sheaf decide \(folder.shellWord) --go-on, or --put-back."
                )
            )
        }
        found += waiting.compactMap(held)
        if otherWaitingCount > 0 {
            found.append(
                finding(
                    .waiting,
                    "\(Self.count(otherWaitingCount)) more cannot be kept in step.",
                    "See all of them: sheaf status."
                )
            )
        }
        if !conflicts.isEmpty {
            let named = conflicts.sorted().prefix(Self.namedCountMax).map { "“\($0)”" }
            let rest = conflicts.count - named.count
            let names = named.joined(separator: ", ") + (rest > 0 ? ", and \(rest) more" : "")
            found.append(
                finding(
                    .conflict,
                    "Nobody has settled conflicts of \(names).",
                    "Open each and choose, or see: sheaf versions ITEM."
                )
            )
        }
        return found
    }

    /// Why an item is held up; nil for one that nobody has to look at.
    private func held(_ item: Waiting) -> DoctorFinding? {
        guard let first = item.explanation.chain.first, first.kind != .paused else { return nil }
        // Without a line all wait, and that is said; in conflict they are named by themselves.
        let last = item.explanation.chain.last?.kind
        guard last != .offline, last != .shutOut, last != .conflict, first.kind != .hubFull else {
            return nil
        }
        let since = item.explanation.chain.compactMap(\.sinceSeconds).min() ?? item.changedSeconds
        let seconds = since.map { max(0, now - $0) }
        let isRefused = item.explanation.chain.contains { $0.remedy != nil && $0.kind != .inUse }
        let limit = first.kind == .inUse ? Self.useSeconds : Self.slowSeconds
        guard isRefused || seconds.map({ $0 >= limit }) == true else { return nil }
        let span = seconds.map { " (for \(Self.span($0)))" } ?? ""
        let path = item.explanation.path
        let subject = path.isEmpty ? "The folder itself" : "“\(path)”"
        return finding(
            .waiting,
            "\(subject)\(span): " + item.explanation.causes.joined(separator: " "),
            item.explanation.next
        )
    }

    private static func count(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

    private static func span(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: "\(Int(seconds)) s"
        case ..<7_200: "\(Int(seconds / 60)) min"
        case ..<172_800: "\(Int(seconds / 3600)) h"
        default: "\(Int(seconds / 86_400)) days"
        }
    }
}
