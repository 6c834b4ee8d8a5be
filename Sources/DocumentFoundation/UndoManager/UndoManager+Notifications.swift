public import Foundation

/// The place of a group's automatic closing among what a run loop performs at the end of a pass.
///
/// Differs from Darwin: Linux' run loop has no ordering of performers, so this number is for reading only.
public let NSUndoCloseGroupingRunLoopOrdering: Int = 350_000

/// In the user info of `NSUndoManagerWillCloseUndoGroup` and `NSUndoManagerDidCloseUndoGroup`: `true` if
/// every action of the group is discardable.
///
/// Absent otherwise.
public let NSUndoManagerGroupIsDiscardableKey: String = "NSUndoManagerGroupIsDiscardableKey"

extension NSNotification.Name {
    /// Something is about to look at or change the groups; a registrar that waits can register now.
    public static let NSUndoManagerCheckpoint = NSNotification.Name("NSUndoManagerCheckpointNotification")
    /// A group was opened, by a call, by the first registration of a pass, or to record an undo or redo.
    public static let NSUndoManagerDidOpenUndoGroup =
        NSNotification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// A group will be closed.
    public static let NSUndoManagerWillCloseUndoGroup =
        NSNotification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    /// A group was closed; undoing from here is allowed unless an undo or redo is running.
    public static let NSUndoManagerDidCloseUndoGroup =
        NSNotification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    /// An undo is about to run its actions.
    public static let NSUndoManagerWillUndoChange = NSNotification.Name(
        "NSUndoManagerWillUndoChangeNotification"
    )
    /// An undo has run its actions.
    public static let NSUndoManagerDidUndoChange = NSNotification.Name(
        "NSUndoManagerDidUndoChangeNotification"
    )
    /// A redo is about to run its actions.
    public static let NSUndoManagerWillRedoChange = NSNotification.Name(
        "NSUndoManagerWillRedoChangeNotification"
    )
    /// A redo has run its actions.
    public static let NSUndoManagerDidRedoChange = NSNotification.Name(
        "NSUndoManagerDidRedoChangeNotification"
    )
}

extension UndoManager {
    /// Posted before actions are forgotten that a call asks to forget, open groups among them; the object is the manager.
    package nonisolated static let willForgetActionsNotification = NSNotification.Name(
        "SheafUndoManagerWillForgetActionsNotification"
    )
}

/// A typed twin of one of the undo manager's notifications.
///
/// Differs from Darwin: there one post reaches observers of either kind through `makeMessage(_:)`. Linux'
/// `NotificationCenter` keeps the kinds apart, so an `UndoManager` posts both, the notification first.
private protocol UndoMessage: NotificationCenter.MainActorMessage where Subject == UndoManager {
    static var notificationName: Notification.Name { get }
    init()
}

extension UndoManager {
    /// The typed form of `NSUndoManagerCheckpoint`.
    public struct CheckpointMessage: NotificationCenter.MainActorMessage, UndoMessage {
        /// Who posts it.
        public typealias Subject = UndoManager
        /// The notification it goes with.
        public static var name: Notification.Name { .NSUndoManagerCheckpoint }
        static var notificationName: Notification.Name { name }
        /// A message to post.
        public init() {}
    }

    /// The typed form of `NSUndoManagerWillUndoChange`.
    public struct WillUndoChangeMessage: NotificationCenter.MainActorMessage, UndoMessage {
        /// Who posts it.
        public typealias Subject = UndoManager
        /// The notification it goes with.
        public static var name: Notification.Name { .NSUndoManagerWillUndoChange }
        static var notificationName: Notification.Name { name }
        /// A message to post.
        public init() {}
    }

    /// The typed form of `NSUndoManagerDidUndoChange`.
    public struct DidUndoChangeMessage: NotificationCenter.MainActorMessage, UndoMessage {
        /// Who posts it.
        public typealias Subject = UndoManager
        /// The notification it goes with.
        public static var name: Notification.Name { .NSUndoManagerDidUndoChange }
        static var notificationName: Notification.Name { name }
        /// A message to post.
        public init() {}
    }

    /// The typed form of `NSUndoManagerWillRedoChange`.
    public struct WillRedoChangeMessage: NotificationCenter.MainActorMessage, UndoMessage {
        /// Who posts it.
        public typealias Subject = UndoManager
        /// The notification it goes with.
        public static var name: Notification.Name { .NSUndoManagerWillRedoChange }
        static var notificationName: Notification.Name { name }
        /// A message to post.
        public init() {}
    }

    /// The typed form of `NSUndoManagerDidRedoChange`.
    public struct DidRedoChangeMessage: NotificationCenter.MainActorMessage, UndoMessage {
        /// Who posts it.
        public typealias Subject = UndoManager
        /// The notification it goes with.
        public static var name: Notification.Name { .NSUndoManagerDidRedoChange }
        static var notificationName: Notification.Name { name }
        /// A message to post.
        public init() {}
    }
}

extension UndoManager {
    func postCheckpoint() { announce(CheckpointMessage.self) }
    func postWillUndoChange() { announce(WillUndoChangeMessage.self) }
    func postDidUndoChange() { announce(DidUndoChangeMessage.self) }
    func postWillRedoChange() { announce(WillRedoChangeMessage.self) }
    func postDidRedoChange() { announce(DidRedoChangeMessage.self) }

    func postWillForgetActions() {
        NotificationCenter.default.post(name: Self.willForgetActionsNotification, object: self)
    }

    func postDidOpenGroup() {
        NotificationCenter.default.post(name: .NSUndoManagerDidOpenUndoGroup, object: self)
    }

    func postGroup(_ name: Notification.Name, isDiscardable: Bool) {
        let userInfo = isDiscardable ? [NSUndoManagerGroupIsDiscardableKey: true] : nil
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }

    private func announce<Message: UndoMessage>(_ message: Message.Type) {
        NotificationCenter.default.post(name: Message.notificationName, object: self)
        NotificationCenter.default.post(Message(), subject: self)
    }
}
