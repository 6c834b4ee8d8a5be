internal import DocumentFoundation
internal import Foundation
internal import StandardStreams

/// Takes the state of a scene, and gives it back to a new one.
@MainActor
enum SceneRestoration {
    /// How many times the app asked for more time for all scenes.
    static var applicationExtensionCount = 0

    static func extensionCount(of session: UISceneSession) -> Int {
        applicationExtensionCount + (session.scene?.restorationExtensionCount ?? 0)
    }

    /// What a scene shows now; nil when it has none, or its activity cannot be kept.
    ///
    /// - Parameters:
    ///   - known: What was kept of it last. It is given back, as it is, when that is what the scene shows.
    ///   - now: When it is kept if it is another than that.
    static func capture(
        _ session: UISceneSession,
        after known: RestorationState?,
        at now: Date
    ) -> RestorationState? {
        guard let scene = session.scene else { return nil }
        let activity = scene.delegate?.stateRestorationActivity(for: scene)
        ActivityUpdates.perform(in: scene, activity)
        session.stateRestorationActivity = activity
        do {
            let folder = browser(of: session)?.model.folder
            let state = RestorationState(
                activity: try activity?.archived(),
                archive: try ViewArchiver.archive(rootViewController(of: session), keptAt: now),
                folder: folder.flatMap { $0.isEmpty ? nil : $0 }
            )
            if let known, known.holdsSame(as: state) { return known }
            return state
        } catch {
            StandardError.say("What a tab shows cannot be kept for the next start: \(error)")
            return nil
        }
    }

    /// Gives a connected scene its state back: the browser's folder, then what view controllers encoded, then
    /// the activity.
    static func apply(_ state: RestorationState, to session: UISceneSession) {
        guard let scene = session.scene else { return }
        if let folder = state.folder { browser(of: session)?.model.show(folder: folder) }
        if let archive = state.archive {
            ViewUnarchiver(archive).restore(below: rootViewController(of: session))
        }
        if let activity = session.stateRestorationActivity {
            scene.delegate?.scene(scene, restoreInteractionStateWith: activity)
        }
    }

    private static func rootViewController(of session: UISceneSession) -> UIViewController? {
        session.tabSession?.window?.rootViewController
    }

    private static func browser(of session: UISceneSession) -> UIDocumentBrowserViewController? {
        rootViewController(of: session)?.contentViewController as? UIDocumentBrowserViewController
    }
}
