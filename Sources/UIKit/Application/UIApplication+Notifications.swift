internal import Foundation

extension UIApplication {
    /// Asks for notifications from a server.
    ///
    /// - Differs from Darwin: there is no service on Linux that brings any, so the delegate is told before long, and not before
    ///   this has returned: `application(_:didFailToRegisterForRemoteNotificationsWithError:)`, with
    ///   `CocoaError.featureUnsupported`.
    public func registerForRemoteNotifications() {
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                let application = UIApplication.shared
                application.delegate?.application(
                    application,
                    didFailToRegisterForRemoteNotificationsWithError: Self.noRemoteNotifications
                )
            }
        }
    }

    /// Ends what `registerForRemoteNotifications()` began. Does nothing, as that begins nothing.
    public func unregisterForRemoteNotifications() {}

    /// Whether notifications from a server come. Never.
    public var isRegisteredForRemoteNotifications: Bool { false }

    private static var noRemoteNotifications: CocoaError {
        let why = "No service here brings notifications from a server."
        return CocoaError(
            .featureUnsupported,
            userInfo: [
                NSLocalizedDescriptionKey: why,
                NSLocalizedRecoverySuggestionErrorKey: "Ask the server now and then.",
            ]
        )
    }
}
