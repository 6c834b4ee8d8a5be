public import DocumentFoundation
public import Foundation

/// Encodes its state, and is given it back after the app was started anew.
///
/// View controllers are; other objects become so by `UIApplication.registerObject(forStateRestoration:
/// restorationIdentifier:)`. Every member has a default, as Apple's are optional.
@MainActor @preconcurrency
public protocol UIStateRestoring: NSObjectProtocol {
    /// What stands before this object in the path of its identifier; nil for nothing.
    var restorationParent: (any UIStateRestoring)? { get }
    /// Who finds the object again; nil for whoever is registered under its identifier.
    var objectRestorationClass: (any UIObjectRestoration.Type)? { get }
    /// Writes what is needed to be as now. Call `super` in a subclass.
    func encodeRestorableState(with coder: NSCoder)
    /// Reads it back. Call `super` in a subclass.
    func decodeRestorableState(with coder: NSCoder)
    /// Called when all objects have read.
    func applicationFinishedRestoringState()
}

extension UIStateRestoring {
    /// Nothing.
    public var restorationParent: (any UIStateRestoring)? { nil }
    /// Nobody.
    public var objectRestorationClass: (any UIObjectRestoration.Type)? { nil }
    /// Writes nothing.
    public func encodeRestorableState(with coder: NSCoder) {}
    /// Reads nothing.
    public func decodeRestorableState(with coder: NSCoder) {}
    /// Does nothing.
    public func applicationFinishedRestoringState() {}
}

/// Makes view controllers that were there when the state was kept.
@MainActor @preconcurrency
public protocol UIViewControllerRestoration {
    /// The view controller with this path; nil when there should be none any more.
    ///
    /// - Parameters:
    ///   - identifierComponents: The identifiers from the root view controller down to this one.
    ///   - coder: What it encoded.
    static func viewController(
        withRestorationIdentifierPath identifierComponents: [String],
        coder: NSCoder
    ) -> UIViewController?
}

/// Finds objects that were registered when the state was kept.
@MainActor @preconcurrency
public protocol UIObjectRestoration {
    /// The object with this path; nil when there should be none any more.
    static func object(
        withRestorationIdentifierPath identifierComponents: [String],
        coder: NSCoder
    ) -> (any UIStateRestoring)?
}

/// Something that an activity can be given to.
@MainActor @preconcurrency
public protocol UIUserActivityRestoring: NSObjectProtocol {
    /// Shows what the activity is about.
    func restoreUserActivityState(_ userActivity: NSUserActivity)
}
