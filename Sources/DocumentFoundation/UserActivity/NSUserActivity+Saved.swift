internal import Foundation

extension NSUserActivity {
    /// Has the system forget activities that it may show again, by the app's own names for them: for when what they are about
    /// is gone.
    ///
    /// - Parameters:
    ///   - persistentIdentifiers: Which.
    ///   - handler: Called when none of them is known any more, on a queue of the system's.
    /// - Differs from Darwin: no search and no assistant keeps activities here, so there is nothing to forget. What a scene's
    ///   delegate gave to be restored is the scene's, on Apple's systems too, and stays.
    public class func deleteSavedUserActivities(
        withPersistentIdentifiers persistentIdentifiers: [NSUserActivityPersistentIdentifier],
        completionHandler handler: @escaping @Sendable () -> Void
    ) {
        deleteAllSavedUserActivities(completionHandler: handler)
    }

    /// As `deleteSavedUserActivities(withPersistentIdentifiers:completionHandler:)`; comes back when it is done.
    public class func deleteSavedUserActivities(
        withPersistentIdentifiers persistentIdentifiers: [NSUserActivityPersistentIdentifier]
    ) async {}

    /// Has the system forget all activities of this app that it may show again.
    ///
    /// - Parameter handler: Called when that is done, on a queue of the system's.
    /// - Differs from Darwin: as with `deleteSavedUserActivities(withPersistentIdentifiers:completionHandler:)` there are none.
    public class func deleteAllSavedUserActivities(completionHandler handler: @escaping @Sendable () -> Void)
    {
        // Never before this has returned, as on Apple's systems: the caller may hold what the handler needs.
        DispatchQueue(label: "sheaf.user-activities").async(execute: handler)
    }

    /// As `deleteAllSavedUserActivities(completionHandler:)`; comes back when it is done.
    public class func deleteAllSavedUserActivities() async {}
}
