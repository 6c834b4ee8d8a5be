internal import DocumentFoundation
internal import Foundation

/// The URLs that the app was asked to open, until it has a face to open them in.
///
/// A tab in front gets them at once. Else the next one does that connects or is shown: a new tab with its
/// connection, any other as it is. An app without scenes is told by its delegate.
@MainActor
enum OpenedURLs {
    /// More than anyone opens before looking; the oldest go first.
    private static let waitingMax = 64

    private static var waiting: [URL] = []

    static var isEmpty: Bool { waiting.isEmpty }

    /// Asks the app to open files, which a person chose: access to them is granted.
    ///
    /// - Returns: Whether the app has them already; else the next tab that comes has.
    @discardableResult
    static func open(_ urls: [URL]) -> Bool {
        for url in urls { SecurityScope.shared.grant(url) }
        waiting = Array((waiting + urls).suffix(waitingMax))
        let application = UIApplication.shared
        if let delegate = application.delegate, delegate.window != nil {
            tell(delegate, take())
        } else if let scene = SceneSessions.front {
            deliver(to: scene)
        }
        return isEmpty
    }

    /// What waits, for a scene that is about to connect.
    static func take() -> Set<UIOpenURLContext> {
        defer { waiting = [] }
        return Set(
            waiting.map { UIOpenURLContext(url: $0, options: UIScene.OpenURLOptions(openInPlace: true)) }
        )
    }

    /// Hands what waits to a connected scene.
    static func deliver(to scene: UIScene) {
        guard !isEmpty else { return }
        let contexts = take()
        if let delegate = scene.delegate {
            delegate.scene(scene, openURLContexts: contexts)
        } else {
            connected(scene, contexts)
        }
    }

    /// A scene has connected with what it is to open. One without a delegate is an app's without scenes.
    static func connected(_ scene: UIScene, _ contexts: Set<UIOpenURLContext>) {
        guard scene.delegate == nil, let delegate = UIApplication.shared.delegate else { return }
        tell(delegate, contexts)
    }

    private static func tell(_ delegate: any UIApplicationDelegate, _ contexts: Set<UIOpenURLContext>) {
        for context in contexts {
            let options: [UIApplication.OpenURLOptionsKey: Any] = [.openInPlace: context.options.openInPlace]
            // Whether the app could open it is its own affair to show.
            _ = delegate.application(UIApplication.shared, open: context.url, options: options)
        }
    }
}
