internal import DocumentFoundation
internal import Foundation

/// Brings the activities of what a tab shows up to date when they ask for it by `needsSave`.
@MainActor
enum ActivityUpdates {
    /// Updates the scene's own activity, and those of all responders from the app down to the view controllers.
    ///
    /// Each is updated in three steps: every responder that has it puts in what it knows (`updateUserActivityState(_:)`), then
    /// its own delegate does, then the scene's delegate, or the app's where the scene has none, is told.
    ///
    /// - Parameter activity: What the scene's delegate gave; nil for none.
    static func perform(in scene: UIScene, _ activity: NSUserActivity?) {
        let responders = responders(of: scene)
        var activities = activity.map { [$0] } ?? []
        for activity in responders.compactMap(\.userActivity)
        where !activities.contains(where: { $0 === activity }) { activities.append(activity) }
        for activity in activities where activity.needsSave {
            for responder in responders where responder.userActivity === activity {
                responder.updateUserActivityState(activity)
            }
            activity.saveIfNeeded()
            tell(activity, scene)
        }
    }

    private static func tell(_ activity: NSUserActivity, _ scene: UIScene) {
        if let delegate = scene.delegate { return delegate.scene(scene, didUpdate: activity) }
        let application = UIApplication.shared
        application.delegate?.application(application, didUpdate: activity)
    }

    private static func responders(of scene: UIScene) -> [UIResponder] {
        let application = UIApplication.shared
        let windows =
            scene.session.tabSession?.window.map { [$0] } ?? (scene as? UIWindowScene)?.windows ?? []
        var responders: [UIResponder] = [application, scene] + windows
        if let delegate = application.delegate as? UIResponder { responders.insert(delegate, at: 0) }
        for window in windows { add(window.rootViewController, to: &responders) }
        return responders
    }

    private static func add(_ controller: UIViewController?, to responders: inout [UIResponder]) {
        guard let controller else { return }
        responders.append(controller)
        for child in controller.children { add(child, to: &responders) }
        add(controller.presented, to: &responders)
    }
}
