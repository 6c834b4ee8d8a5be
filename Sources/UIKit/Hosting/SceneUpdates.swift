internal import Foundation

/// Brings the tabs up to date once in a turn of the main queue, however much changed in it.
@MainActor
enum SceneUpdates {
    private static var isRequested = false

    /// Something that a tab may show has changed.
    static func request() {
        guard !isRequested, AppHost.current != nil else { return }
        isRequested = true
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                isRequested = false
                for session in SceneSessions.all { session.tabSession?.bringUpToDate() }
            }
        }
    }
}
