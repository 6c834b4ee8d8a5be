public import Foundation

/// One of the answers to an alert.
@MainActor @preconcurrency
open class UIAlertAction: NSObject {
    /// What choosing it means.
    public enum Style: Int, Sendable {
        /// An answer like any other.
        case `default` = 0
        /// Leaves things as they are. Also what Escape means.
        case cancel = 1
        /// Something may be lost.
        case destructive = 2
    }

    /// What people read.
    public let title: String?
    /// What choosing it means.
    public let style: Style
    /// Whether it can be chosen.
    open var isEnabled = true
    let handler: ((UIAlertAction) -> Void)?

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - title: What people read.
    ///   - style: What choosing it means.
    ///   - handler: Called on the main actor when the alert has gone.
    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.title = title
        self.style = style
        self.handler = handler
        super.init()
    }
}

/// A line of text that people can fill in.
@MainActor @preconcurrency
open class UITextField: UIView {
    /// What stands in it.
    open var text: String?
    /// What stands there while it is empty.
    open var placeholder: String?
    /// Whether what is typed is hidden.
    open var isSecureTextEntry = false
}

/// A question or a message over everything else.
@MainActor @preconcurrency
open class UIAlertController: UIViewController {
    /// Where it stands.
    public enum Style: Int, Sendable {
        /// A list of choices from the edge.
        case actionSheet = 0
        /// A box in the middle.
        case alert = 1
    }

    /// What it says under the title.
    open var message: String? {
        didSet { SceneUpdates.request() }
    }
    /// Where it stands.
    public let preferredStyle: Style
    /// The answers, in order.
    public private(set) var actions: [UIAlertAction] = []
    /// The lines to fill in; nil without any.
    public private(set) var textFields: [UITextField]?

    /// Makes a message.
    public init(title: String?, message: String?, preferredStyle: Style) {
        self.message = message
        self.preferredStyle = preferredStyle
        super.init(nibName: nil, bundle: nil)
        self.title = title
    }

    /// Alerts are not archived.
    public required init?(coder: NSCoder) {
        nil
    }

    /// Adds an answer.
    open func addAction(_ action: UIAlertAction) {
        actions.append(action)
        SceneUpdates.request()
    }

    /// Adds a line to fill in.
    open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
        let field = UITextField()
        configurationHandler?(field)
        textFields = (textFields ?? []) + [field]
    }

    /// Takes the answer that was chosen: goes away, then calls its handler.
    func choose(_ action: UIAlertAction, fields: [String]) {
        for (field, text) in zip(textFields ?? [], fields) { field.text = text }
        presentingViewController?.dismiss(animated: true) { action.handler?(action) }
    }
}
