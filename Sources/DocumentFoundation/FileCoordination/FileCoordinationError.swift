internal import Coordination
internal import FileSystem
public import Foundation

/// An error from coordinating access to a file.
public struct FileCoordinationError: LocalizedError, CustomNSError, Sendable {
    /// What failed, coarse enough to switch over.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Int { case presenterTimedOut = 1, deadlock, claimLost, agentSilent, agentRefused }
        private let kind: Kind

        /// A presenter did not answer within `NSFileCoordinator.presenterTimeLimitSeconds`.
        public static var presenterTimedOut: Code { Code(kind: .presenterTimedOut) }

        /// The access, and others that it waited for, would have waited for one another for ever.
        ///
        /// Of several, the one asked for last fails, and the others go on.
        public static var deadlock: Code { Code(kind: .deadlock) }

        /// The access ran, but others may have used the item at the same time.
        ///
        /// The agent that keeps accesses of several processes apart was lost and another had let them in before
        /// this process could say what it held.
        public static var claimLost: Code { Code(kind: .claimLost) }

        /// The agent that keeps accesses of several processes apart lives, but does not answer.
        ///
        /// It is stopped, or hangs, maybe before it has begun to serve anybody. The access was not granted, and will
        /// not be.
        public static var agentSilent: Code { Code(kind: .agentSilent) }

        /// The agent that keeps accesses of several processes apart does not take this process.
        ///
        /// Mostly as the two do not speak one version, because one of them was started before an upgrade. The access
        /// was not granted: nobody but the agent knows who else uses the item.
        public static var agentRefused: Code { Code(kind: .agentRefused) }

        /// The code's name.
        public var description: String { "\(kind)" }
        var number: Int { kind.rawValue }

        private init(kind: Kind) { self.kind = kind }

        init?(number: Int) {
            guard let kind = Kind(rawValue: number) else { return nil }
            self.kind = kind
        }
    }

    /// What failed.
    public let code: Code
    /// The item that was to be accessed.
    public let url: URL
    /// One sentence: what was tried, on which item, what to do.
    public let detail: String
    /// Of a deadlock, who was in it: each with its presenter's type, where and when that was registered, process and
    /// process id, in the order of waiting; the first one failed.
    public let deadlockParties: [String]

    init(_ code: Code, url: URL, detail: String, deadlockParties: [String] = []) {
        self.code = code
        self.url = url
        self.detail = detail
        self.deadlockParties = deadlockParties
    }

    init(deadlock cycle: BrokenCycle, url: URL) {
        var parties: [String] = []
        for party in cycle.members.map({ $0.party.description(at: cycle.time) })
        where !parties.contains(party) { parties.append(party) }
        self.init(
            .deadlock,
            url: url,
            detail: """
                “\(url.lastPathComponent)” was not accessed, because that would have waited for ever: \
                \(cycle.sentence). Ask for all items in one call, or nest with one coordinator.
                """,
            deadlockParties: parties
        )
    }

    /// - Parameters:
    ///   - item: The name of an item whose contents are not here.
    ///   - holder: What the thread that waits for them keeps others from meanwhile.
    init(contentsOf item: String, awaitedInside holder: ItemPath, url: URL) {
        let held = holder.string.pathNames.last ?? holder.string
        self.init(
            .deadlock,
            url: url,
            detail: """
                “\(url.lastPathComponent)” was not accessed, because that would have waited for ever: the \
                contents of “\(item)” are not on this device, and cannot be put in place while this thread \
                has access to “\(held)”. Ask for both in one call, or have the contents come before \
                (startDownloadingUbiquitousItem(at:)).
                """
        )
    }

    init(claimLostOn url: URL) {
        self.init(
            .claimLost,
            url: url,
            detail: """
                Others may have used “\(url.lastPathComponent)” while it was accessed: the agent that keeps \
                processes apart was lost meanwhile. Read the item again before relying on it.
                """
        )
    }

    /// - Parameters:
    ///   - process: The agent's; nil or 0 when it is not known.
    ///   - isStarting: Whether it serves nobody yet.
    init(agentSilent process: Int32?, isStarting: Bool, url: URL) {
        let (name, remedy): (String, String) =
            if let process, process != 0 {
                (
                    "process \(process)",
                    "Let it go on (kill -CONT \(process)) or end it (kill -KILL \(process))"
                )
            } else {
                ("unknown process", "Let `sheaf agent` go on or end it")
            }
        self.init(
            .agentSilent,
            url: url,
            detail: """
                “\(url.lastPathComponent)” was not accessed: the agent that keeps the accesses of all processes \
                apart (\(name)) \(isStarting ? "has begun and serves nobody yet" : "does not answer"). \
                \(remedy), then try again.
                """
        )
    }

    /// - Parameters:
    ///   - process: The agent's; nil or 0 when it is not known.
    ///   - reason: What is between the two, in sentences.
    init(agentRefused process: Int32?, because reason: any Error, url: URL) {
        let process = process == 0 ? nil : process
        let name = process.map { " (process \($0))" } ?? ""
        let end = process.map { "kill \($0)" } ?? "end `sheaf agent`"
        self.init(
            .agentRefused,
            url: url,
            detail: """
                “\(url.lastPathComponent)” was not accessed: this program cannot join the agent that keeps the \
                accesses of all processes apart\(name). \(reason) Start whichever of the two is older anew: this \
                program, or the agent (\(end); another begins when it is needed).
                """
        )
    }

    /// The error that another one is or was made from.
    ///
    /// `NSFileCoordinator` hands errors over as `NSError`, and Foundation on Linux cannot cast such a one back:
    /// `error as? FileCoordinationError` is nil there. Ask for it by this instead.
    ///
    /// - Parameter error: Any error; nil is the answer for one that is not of this kind.
    public init?(_ error: any Error) {
        if let error = error as? FileCoordinationError {
            self = error
            return
        }
        let error = error as NSError
        guard error.domain == Self.errorDomain, let code = Code(number: error.code),
            let url = error.userInfo[NSURLErrorKey] as? URL
        else { return nil }
        self.init(
            code,
            url: url,
            detail: error.localizedDescription,
            deadlockParties: error.userInfo[Self.deadlockPartiesKey] as? [String] ?? []
        )
    }

    /// The detail.
    public var errorDescription: String? { detail }
    /// Names our errors when they are seen as `NSError`; `init(_:)` makes them what they were.
    public static var errorDomain: String { "FileCoordinationErrorDomain" }
    /// The number of the code; never changes.
    public var errorCode: Int { code.number }
    /// The item under `NSURLErrorKey`, the detail, and the parties under `deadlockPartiesKey`.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSURLErrorKey: url, NSLocalizedDescriptionKey: detail]
        if code == .deadlock { info[Self.deadlockPartiesKey] = deadlockParties }
        return info
    }
    /// Where `errorUserInfo` has `deadlockParties`.
    public static let deadlockPartiesKey = "FileCoordinationErrorDeadlockParties"
}
