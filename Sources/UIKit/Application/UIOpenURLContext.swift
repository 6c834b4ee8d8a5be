public import Foundation

/// A URL that a scene is to open, and how.
@MainActor @preconcurrency
open class UIOpenURLContext: NSObject {
    /// What to open: the file URL of a document.
    public let url: URL
    /// How.
    public let options: UIScene.OpenURLOptions

    init(url: URL, options: UIScene.OpenURLOptions) {
        self.url = url
        self.options = options
        super.init()
    }
}

extension UIScene {
    /// How a URL is to be opened.
    ///
    /// - Differs from Darwin: without `eventAttribution`, which is about advertisements.
    @MainActor @preconcurrency
    open class OpenURLOptions: NSObject {
        /// The app that asked; nil, as nobody says so here.
        public let sourceApplication: String?
        /// What that app has added; nil.
        public let annotation: Any?
        /// Whether the document is to be opened where it is, and not copied first.
        public let openInPlace: Bool

        init(openInPlace: Bool) {
            sourceApplication = nil
            annotation = nil
            self.openInPlace = openInPlace
            super.init()
        }
    }
}

extension UIApplication {
    /// What `application(_:open:options:)` is told of a URL.
    public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key.
        public let rawValue: String
        /// Names a key.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The app that asked, a `String`.
        public static let sourceApplication = Self(
            rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey"
        )
        /// What that app has added.
        public static let annotation = Self(rawValue: "UIApplicationOpenURLOptionsAnnotationKey")
        /// Whether the document is to be opened where it is, and not copied first: a `Bool`.
        public static let openInPlace = Self(rawValue: "UIApplicationOpenURLOptionsOpenInPlaceKey")
    }
}

extension UIApplication.LaunchOptionsKey {
    /// The URL that an app without scenes was started with, a `URL`. It comes to
    /// `application(_:open:options:)` afterwards, too.
    public static let url = Self(rawValue: "UIApplicationLaunchOptionsURLKey")
}
