/// Accesses of which each cannot end before the next has, and the last not before the first.
///
/// Only waits that are certain count: for an item, for the accesses a thread has asked for inside another, and
/// for the answer of a presenter whose answering thread waits. What code outside does besides, no one knows; a
/// presenter's silence has its time limit.
package struct WaitCycle: Hashable, Sendable {
    /// Why an access waits for the next.
    package enum Reason: Hashable, Sendable {
        /// Both want this item, and the next one has it or is to have it first.
        case item(ItemPath)
        /// The next one is what this presenter waits for before it answers.
        case answer(PresenterID, PresenterMessage)
        /// The next one was asked for inside it, by the thread that it runs on.
        case inner
    }

    /// One access, and why it waits for the next.
    package struct Link: Hashable, Sendable {
        package let access: AccessID
        package let purpose: Purpose
        /// The presenter it is done for.
        package let presenter: PresenterID?
        package let claims: [AccessClaim]
        package let isRunning: Bool
        /// When it was granted, or asked for if it was not.
        package let since: Double
        package let reason: Reason
    }

    /// In the order of waiting, beginning with the access that fails: the youngest that does not run yet.
    package let links: [Link]
}
