public import Foundation

/// What a person is doing, so that it can be taken up again: after a restart, in the same document, at the same
/// place.
///
/// Fill `userInfo` with property list values, URLs or UUIDs; give the activity to the scene's delegate's
/// `stateRestorationActivity(for:)`. Used on one thread at a time.
///
/// Differs from Darwin: there is no Handoff to other devices, no search index and no Siri; what serves only
/// them is not declared, or kept without effect where it says so.
open class NSUserActivity: NSObject {
    /// What kind of activity it is, in reverse domain notation.
    public let activityType: String
    /// A name for people.
    open var title: String?
    /// What is needed to take the activity up again.
    open var userInfo: [AnyHashable: Any]?
    /// The keys of `userInfo` that are needed; nil for all. The others are not kept.
    open var requiredUserInfoKeys: Set<String>?
    /// A page that shows the same in a browser.
    open var webpageURL: URL?
    /// Where the person came from.
    open var referrerURL: URL?
    /// What of the app's content it is about, to choose the scene that continues it.
    open var targetContentIdentifier: String?
    /// The app's own name for it.
    open var persistentIdentifier: NSUserActivityPersistentIdentifier?
    /// When it stops to make sense.
    open var expirationDate: Date?
    /// Words that describe it.
    open var keywords: Set<String> = []
    /// Kept without effect: there is no Handoff.
    open var isEligibleForHandoff = true
    /// Kept without effect: there is no search index.
    open var isEligibleForSearch = false
    /// Kept without effect: there is no search index.
    open var isEligibleForPublicIndexing = false
    /// Kept without effect: nothing is predicted.
    open var isEligibleForPrediction = false
    /// Whether the delegate is to bring the activity up to date before it is kept.
    open var needsSave = false
    /// Who brings it up to date.
    open weak var delegate: (any NSUserActivityDelegate)?

    private var isValid = true

    /// Begins an activity of a type.
    public init(activityType: String) {
        self.activityType = activityType
        super.init()
    }

    /// Adds to `userInfo`; what bears the same key is replaced.
    open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        userInfo = (userInfo ?? [:]).merging(otherDictionary) { _, new in new }
    }

    /// Makes this what the person is doing now, instead of another one. Not after `invalidate()`.
    open func becomeCurrent() {
        if isValid { CurrentActivity.shared.set(self) }
    }

    /// The person is not doing this now.
    open func resignCurrent() {
        CurrentActivity.shared.clear(self)
    }

    /// Ends the activity: it cannot become current any more.
    open func invalidate() {
        isValid = false
        resignCurrent()
    }

    /// Lets the delegate bring the activity up to date, if it is to.
    ///
    /// - Returns: Whether it was to.
    @discardableResult
    package func saveIfNeeded() -> Bool {
        guard needsSave else { return false }
        needsSave = false
        delegate?.userActivityWillSave(self)
        return true
    }

    /// Whether this is what the person is doing now.
    package var isCurrent: Bool { CurrentActivity.shared.holds(self) }
}

/// The app's own name for an activity.
public typealias NSUserActivityPersistentIdentifier = String

/// Brings activities up to date. Every method has a default, as Apple's are optional.
public protocol NSUserActivityDelegate: NSObjectProtocol {
    /// The activity is about to be kept, and `needsSave` was set: put into it what is true now.
    func userActivityWillSave(_ userActivity: NSUserActivity)
    /// Another device goes on with the activity.
    ///
    /// - Differs from Darwin: nothing here calls it, as there is no Handoff on Linux.
    func userActivityWasContinued(_ userActivity: NSUserActivity)
    /// The device that goes on with the activity has opened streams to this one.
    ///
    /// - Differs from Darwin: nothing here calls it, as there is no Handoff on Linux.
    func userActivity(
        _ userActivity: NSUserActivity,
        didReceive inputStream: InputStream,
        outputStream: OutputStream
    )
}

extension NSUserActivityDelegate {
    /// Does nothing.
    public func userActivityWillSave(_ userActivity: NSUserActivity) {}
    /// Does nothing.
    public func userActivityWasContinued(_ userActivity: NSUserActivity) {}
    /// Does nothing.
    public func userActivity(
        _ userActivity: NSUserActivity,
        didReceive inputStream: InputStream,
        outputStream: OutputStream
    ) {}
}

/// The one activity that is current, held weakly.
private final class CurrentActivity: @unchecked Sendable {
    // Sendable because the reference is only touched under the lock; the activity itself is never touched.
    static let shared = CurrentActivity()
    private let lock = NSLock()
    private weak var activity: NSUserActivity?

    func set(_ new: NSUserActivity) { lock.withLock { activity = new } }
    func clear(_ old: NSUserActivity) { lock.withLock { if activity === old { activity = nil } } }
    func holds(_ other: NSUserActivity) -> Bool { lock.withLock { activity === other } }
}
