/// A deadlock that was found and broken, with the names of all who were in it.
package struct BrokenCycle: Codable, Hashable, Sendable {
    /// One access, and why it waited for the next.
    package struct Member: Codable, Hashable, Sendable {
        package var party: CoordinationReport.Party
        package var items: [CoordinationReport.Item]
        package var isRunning: Bool
        /// When it was granted, or asked for if it was not; seconds since 1970.
        package var since: Double
        package var waitsFor: Reason
    }

    /// Why an access waited for the next.
    package enum Reason: Codable, Hashable, Sendable {
        /// For this item.
        case item(path: String)
        /// For this presenter to answer this message.
        case answer(presenter: CoordinationReport.Presenter, message: String)
        /// For its own thread, which had asked for the next inside it.
        case inner
    }

    /// When it was broken, in seconds since 1970.
    package var time: Double
    /// In the order of waiting; the first one failed.
    package var members: [Member]

    /// Names all who are in a cycle that the arbiter has just broken.
    package init(_ cycle: WaitCycle, in arbiter: AccessArbiter, _ labels: CoordinationLabels) {
        self.time = arbiter.now
        self.members = cycle.links.map { link in
            let reason: Reason =
                switch link.reason {
                case .item(let item): .item(path: item.string)
                case .inner: .inner
                case .answer(let id, let message):
                    .answer(
                        presenter: CoordinationReport.Presenter(id, at: arbiter.presented[id], labels),
                        message: message.selectorName
                    )
                }
            return Member(
                party: CoordinationReport.Party(link.access, link.purpose, link.presenter, labels),
                items: link.claims.map { CoordinationReport.Item($0) },
                isRunning: link.isRunning,
                since: link.since,
                waitsFor: reason
            )
        }
    }
}
