public import Foundation

/// Something to do, with a title and a handler.
@MainActor @preconcurrency
open class UIAction: NSObject {
    /// Names an action among others.
    public struct Identifier: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// Names an action.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Names an action.
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }

    /// What an action does.
    public typealias UIActionHandler = (UIAction) -> Void

    /// What people read.
    open var title: String
    /// Its name among others.
    public let identifier: Identifier
    let handler: UIActionHandler

    /// Makes an action.
    ///
    /// - Parameters:
    ///   - title: What people read.
    ///   - identifier: Its name among others; nil for a new one.
    ///   - handler: Called on the main actor.
    public init(title: String = "", identifier: Identifier? = nil, handler: @escaping UIActionHandler) {
        self.title = title
        self.identifier = identifier ?? Identifier(UUID().uuidString)
        self.handler = handler
        super.init()
    }
}

/// A button in a bar.
///
/// Differs from Darwin: there are no selectors; give an action.
@MainActor @preconcurrency
open class UIBarButtonItem: NSObject {
    /// How a button looks.
    public enum Style: Int, Sendable {
        /// Like the others.
        case plain = 0
        /// The one that ends what is being done.
        case done = 2
    }

    /// What the page calls this button.
    let pageIdentifier = UUID().uuidString

    /// What people read.
    open var title: String? {
        didSet { SceneUpdates.request() }
    }
    /// How it looks.
    open var style: Style = .plain {
        didSet { SceneUpdates.request() }
    }
    /// Whether it can be used.
    open var isEnabled = true {
        didSet { SceneUpdates.request() }
    }
    /// What it does.
    open var primaryAction: UIAction? {
        didSet { SceneUpdates.request() }
    }

    /// Makes a button.
    public init(title: String? = nil, primaryAction: UIAction? = nil) {
        self.title = title ?? primaryAction?.title
        self.primaryAction = primaryAction
        super.init()
    }
}

/// What the bar above a view controller's view shows.
@MainActor @preconcurrency
open class UINavigationItem: NSObject {
    /// The text in the middle.
    open var title: String? {
        didSet { SceneUpdates.request() }
    }
    /// The buttons before the title.
    open var leftBarButtonItems: [UIBarButtonItem]? {
        didSet { SceneUpdates.request() }
    }
    /// The buttons after the title.
    open var rightBarButtonItems: [UIBarButtonItem]? {
        didSet { SceneUpdates.request() }
    }

    /// Makes an item with a title.
    public init(title: String) {
        self.title = title
        super.init()
    }

    /// The first button before the title.
    open var leftBarButtonItem: UIBarButtonItem? {
        get { leftBarButtonItems?.first }
        set { leftBarButtonItems = newValue.map { [$0] } }
    }

    /// The first button after the title.
    open var rightBarButtonItem: UIBarButtonItem? {
        get { rightBarButtonItems?.first }
        set { rightBarButtonItems = newValue.map { [$0] } }
    }
}
