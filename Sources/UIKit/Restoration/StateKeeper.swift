internal import Foundation

/// Keeps what tabs show, so that a process that was killed at any time starts again where it was.
///
/// States are looked at shortly after every message from a tab and when a scene goes to the background. While a
/// scene is being restored its state is left as it was; a process that ends in that time has ended over it, unless it was asked to.
@MainActor
final class StateKeeper {
    /// The one of this run; nil where nothing is kept.
    static var current: StateKeeper?

    /// Seconds between a change and its being kept: the most that a killed process forgets.
    static let delaySeconds: TimeInterval = 0.5
    /// Seconds that a restored scene must have lived to count as restored.
    static var settlingSeconds: TimeInterval = 2

    private let file: StateFile
    private let now: @MainActor () -> Date
    private var sessions: SavedSessions
    private var isLookingSoon = false

    init(_ file: StateFile, now: @escaping @MainActor () -> Date = { Date() }) {
        (self.file, self.now) = (file, now)
        sessions = file.load()
        sessions.dropInterrupted()
    }

    /// Something may have changed that a state holds.
    func lookSoon() {
        guard !isLookingSoon else { return }
        isLookingSoon = true
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.delaySeconds) { [weak self] in
            MainActor.assumeIsolated {
                self?.isLookingSoon = false
                self?.look()
            }
        }
    }

    /// Keeps the states of all scenes as they are now.
    func look() {
        let before = sessions
        for session in SceneSessions.all where session.restoring == nil {
            let identifier = session.persistentIdentifier
            let known = sessions.state(of: identifier)
            guard let state = SceneRestoration.capture(session, after: known, at: now()) else { continue }
            sessions.put(state, for: identifier)
        }
        if sessions != before { file.save(sessions) }
    }

    /// Looks once more, waits until all is written, and looks no more.
    func finish() {
        sessions.endRestoring()
        file.save(sessions)
        look()
        file.flush()
        Self.current = nil
    }

    /// Waits until what was kept is written.
    func flush() { file.flush() }

    // MARK: Restoring

    /// The tab whose state changed last.
    var latest: String? { sessions.latest }

    /// Whether anything is known of a tab.
    func knows(_ identifier: String) -> Bool { sessions.knows(identifier) }

    /// Begins to restore a tab's state; nil when there is none.
    func beginRestoring(_ identifier: String) -> RestorationState? {
        guard let state = sessions.beginRestoring(identifier) else { return nil }
        // Known before anything is done with the state: what is done may be the end of the process.
        file.saveNow(sessions)
        return state
    }

    /// Ends it once the scene has lived for a while, or the process has without it: one that was taken down broke nothing, either.
    func settleSoon(_ session: UISceneSession) {
        let origin = session.restoring
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.settlingSeconds) { [weak self, weak session] in
            MainActor.assumeIsolated {
                guard let self else { return }
                if let session {
                    self.settle(session)
                } else if let origin, !SceneSessions.all.contains(where: { $0.restoring == origin }) {
                    self.sessions.endRestoring(origin)
                    self.file.save(self.sessions)
                }
            }
        }
    }

    /// Ends it, unless the app asked for more time.
    func settle(_ session: UISceneSession) {
        guard let origin = session.restoring, SceneRestoration.extensionCount(of: session) == 0 else {
            return
        }
        session.restoring = nil
        sessions.endRestoring(origin)
        file.save(sessions)
        look()
    }
}
