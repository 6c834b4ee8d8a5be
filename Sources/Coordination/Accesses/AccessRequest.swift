/// What one access wants with one item.
package struct AccessClaim: Hashable, Sendable {
    /// How the item is to be used.
    package enum Use: Hashable, Sendable {
        /// Reading; presenters save first unless the reader does without their changes.
        case reading(savesFirst: Bool)
        /// Writing.
        case writing(Writing)
    }

    /// What a writer is about to do.
    package enum Writing: Hashable, Sendable {
        case updating, merging, moving, deleting, replacing
        /// Taking the contents away from this machine, which are kept elsewhere; the item stays.
        case evicting
    }

    /// The item.
    ///
    /// It follows announced moves until the access runs, unless the item is to be replaced.
    package internal(set) var item: ItemPath
    /// The packages that the item is inside of, the outermost first.
    ///
    /// The item itself is not among them.
    package internal(set) var packages: [ItemPath]
    package let use: Use
    /// Where the item has been moved to while the access ran, once for each place; guarded like the item.
    var later: [AccessClaim] = []

    /// - Parameters:
    ///   - packages: The packages that the item is inside of, in any order.
    package init(_ item: ItemPath, inside packages: [ItemPath] = [], use: Use) {
        self.item = item
        self.packages = packages.count < 2 ? packages : Self.outermostFirst(packages)
        self.use = use
    }

    static func outermostFirst(_ packages: [ItemPath]) -> [ItemPath] {
        packages.sorted { $0.string.utf8.count < $1.string.utf8.count }
    }

    package var isWriting: Bool { writing != nil }

    var writing: Writing? {
        guard case .writing(let writing) = use else { return nil }
        return writing
    }

    /// What is locked: everything inside a package counts as the package.
    var scope: ItemPath { packages.first ?? item }

    /// Whether items inside the item are locked with it.
    var coversContents: Bool { removesItem || writing == .moving }

    /// Whether the item goes away.
    var removesItem: Bool { writing == .deleting || writing == .replacing }

    /// Whether the two may not run together.
    package func conflicts(with other: AccessClaim) -> Bool {
        guard isWriting || other.isWriting else { return false }
        if later.isEmpty, other.later.isEmpty {
            return Self.meet(self, scope, other, other.scope)
        }
        return scopes.contains { here in other.scopes.contains { Self.meet(self, here, other, $0) } }
    }

    private static func meet(
        _ first: AccessClaim,
        _ firstScope: ItemPath,
        _ second: AccessClaim,
        _ secondScope: ItemPath
    ) -> Bool {
        firstScope == secondScope
            || first.coversContents && firstScope.isAncestor(of: secondScope)
            || second.coversContents && secondScope.isAncestor(of: firstScope)
    }
}

/// One access to one or more items, granted as a whole or not at all.
package struct AccessRequest: Hashable, Sendable {
    package let id: AccessID
    package let purpose: Purpose
    /// The presenter it is done for; gets no message about it.
    package let presenter: PresenterID?
    package internal(set) var claims: [AccessClaim]
    /// Whether the access only prepares for others of its purpose and changes nothing itself.
    package let isPreparation: Bool
    /// The access inside which this one is asked for, by a thread that waits for it: the outer one, granted or
    /// not, cannot end before this one has.
    package internal(set) var nestedIn: AccessID?
    /// The message that the thread that waits for this access handles, if it handles one inside `nestedIn`; that
    /// will not be answered before this access has ended, unless it was already.
    package let answering: Ticket?

    package init(
        id: AccessID,
        purpose: Purpose,
        presenter: PresenterID? = nil,
        claims: [AccessClaim],
        isPreparation: Bool = false,
        nestedIn: AccessID? = nil,
        answering: Ticket? = nil
    ) {
        self.id = id
        self.purpose = purpose
        self.presenter = presenter
        self.claims = claims
        self.isPreparation = isPreparation
        self.nestedIn = nestedIn
        self.answering = answering
    }

    /// Whether a thread waits for it that others may wait for.
    var isInner: Bool { nestedIn != nil || answering != nil }
}

/// What became of an item that was written.
package struct WriteOutcome: Hashable, Sendable {
    package var existedBefore: Bool
    package var existsAfter: Bool

    package init(existedBefore: Bool, existsAfter: Bool) {
        self.existedBefore = existedBefore
        self.existsAfter = existsAfter
    }

    /// There before and after.
    package static let changed = WriteOutcome(existedBefore: true, existsAfter: true)
}

/// Why an access will not be granted.
package enum AccessFailure: Hashable, Sendable {
    case cancelled
    /// The presenter answered this message with an error.
    case presenterFailed(PresenterID, Ticket)
    /// The presenter did not answer this message in time.
    case presenterTimedOut(PresenterID, PresenterMessage)
    /// It was the youngest of several that would have waited for one another for ever.
    case deadlock(WaitCycle)
}

/// What one access waits for.
package enum AccessWait: Hashable, Sendable {
    /// The end of another access.
    case access(AccessID)
    /// A presenter's answer.
    case presenter(PresenterID, PresenterMessage)
}
