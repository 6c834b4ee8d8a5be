package import HubProtocol

/// The hub's rule for commits over what is known of one item: what `ContainerLog` decides with a whole log in memory.
///
/// Pure. A commit is accepted when nothing has been committed about its item since its base.
package enum CommitRule {
    /// The last commit about an item.
    package struct Last: Hashable, Sendable {
        package var position: UInt64
        package var id: CommitName

        package init(position: UInt64, id: CommitName) { (self.position, self.id) = (position, id) }
    }

    package enum Decision: Hashable, Sendable {
        /// It is the next entry of the log.
        case append
        /// It is in the log, or must not be.
        case answer(CommitAnswer)
    }

    /// - Parameter last: Nil when there is none about the commit's item.
    package static func decide(_ commit: OfferedCommit, last: Last?) -> Decision {
        if let last, last.id == commit.id { return .answer(.accepted(last.position)) }
        guard last?.position ?? 0 == commit.base else { return .answer(.refused(last?.position ?? 0)) }
        return .append
    }
}
