public import Foundation

/// Keeps what a person did as closures that take it back, in groups, so that it can be undone and redone.
///
/// Registering outside an undo or redo adds to what can be undone and empties what can be redone. What a
/// handler registers while it is being undone can be redone, as one group with the same name; what it
/// registers while redone can be undone again. Each manager posts its notifications with itself as object.
///
/// Misuse that raises an exception on Darwin traps here: closing a group that is not open, enabling what was
/// not disabled, undoing inside an open group, undoing or redoing from a handler, registering without a group
/// while `groupsByEvent` is off.
///
/// - Isolation: the main actor. Handlers and notifications come on it, from inside the call that causes them.
/// - Source: Apple's documentation and headers of `NSUndoManager`; where they are silent, what public test
///   suites of other implementations observed on Darwin (empty groups stay, levels inside an event's group).
/// - Differs from Darwin: `registerUndo(withTarget:selector:object:)` and `prepare(withInvocationTarget:)` do
///   not exist, since Linux has no Objective-C runtime; use `registerUndo(withTarget:handler:)`.
/// - Differs from Darwin: a handler that calls `removeAllActions()` is allowed.
@MainActor @preconcurrency
open class UndoManager: NSObject {
    /// A key under which a registrar attaches something to a group.
    public struct UserInfoKey: RawRepresentable, Hashable, Sendable {
        /// The name of the key.
        public let rawValue: String
        /// Takes the name of the key.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Takes the name of the key.
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }

    /// What a closed group is to a document.
    package enum ClosedGroup {
        /// A step to undo, and a change of what is to be saved.
        case change
        /// A step to undo that changes nothing of it: all in it is discardable, or nothing is in it.
        case harmless
        /// No step: it was a pass's group, and nothing was in it.
        case forgotten
    }

    /// What a group holds: whom it is about and what to do, if that one still lives.
    struct Action {
        weak var target: AnyObject?
        let perform: @MainActor () -> Void
    }

    var stack = UndoStack<Action>()
    var isClosingScheduled = false
    /// What the group that was closed last, other than by an undo or redo, is to a document.
    package internal(set) var lastClosed = ClosedGroup.change
    private var disableCount = 0

    /// An empty manager that groups by event and keeps any number of levels.
    nonisolated public override init() { super.init() }

    // MARK: Registering

    /// Adds a closure to the current group; undoing the group calls it with the target.
    ///
    /// The target is held weakly, and once it is gone its closures do not run; the closure is held strongly,
    /// so it must not capture the target. Dropped while registration is disabled. Opens the pass's group if
    /// `groupsByEvent` is on and none is open; traps if it is off.
    ///
    /// - Parameters:
    ///   - target: What the closure changes; what `removeAllActions(withTarget:)` goes by.
    ///   - handler: Takes the change back. MAY register, which makes the undo redoable; MUST NOT undo or
    ///     redo.
    @preconcurrency
    open func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType,
        handler: @escaping @MainActor (TargetType) -> Void
    ) {
        guard isUndoRegistrationEnabled else { return }
        openGroupIfNeeded(for: "registerUndo(withTarget:handler:)")
        stack.append(
            Action(target: target) { [weak target] in
                if let target { handler(target) }
            }
        )
    }

    /// Whether registrations are kept.
    ///
    /// True unless disabled more often than enabled.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Drops registrations until the matching `enableUndoRegistration()`.
    ///
    /// Calls nest.
    open func disableUndoRegistration() { disableCount += 1 }

    /// Takes back one `disableUndoRegistration()`.
    ///
    /// Traps if there was none.
    open func enableUndoRegistration() {
        precondition(
            disableCount > 0,
            "enableUndoRegistration() was called without disableUndoRegistration()"
        )
        disableCount -= 1
    }

    // MARK: Grouping

    /// Whether registrations of one pass of the run loop form a group without being asked to.
    ///
    /// Initially true.
    ///
    /// The first registration or `beginUndoGrouping()` of a pass opens it, `undo()` or the end of the pass
    /// closes it; an automatic group in which nothing was registered is forgotten. Turned off, a group
    /// already open still closes with its pass.
    ///
    /// - Differs from Darwin: where the main run loop is not running (an asynchronous `main`), the group
    ///   closes on the main queue's next turn. Where it is, among the performers of the pass in order of
    ///   their request.
    open var groupsByEvent = true

    /// The run loop modes in which an automatic group is closed.
    ///
    /// Initially the default mode only.
    ///
    /// - Differs from Darwin: without effect while no main run loop is running.
    open var runLoopModes: [RunLoop.Mode] = [.default]

    /// How many groups are open; 0 if none is.
    open var groupingLevel: Int { stack.groupingLevel }

    /// Opens a group, inside the open one if there is one; groups opened inside are undone with it.
    ///
    /// With `groupsByEvent` and no open group, the pass's group is opened first, so the level becomes 2.
    /// Posts `NSUndoManagerCheckpoint` (not while undoing or redoing) and `NSUndoManagerDidOpenUndoGroup`.
    open func beginUndoGrouping() {
        if groupsByEvent, stack.mode == .idle, stack.groupingLevel == 0 { openEventGroup() }
        if stack.mode == .idle { postCheckpoint() }
        stack.openGroup(isAutomatic: false)
        postDidOpenGroup()
    }

    /// Closes the innermost open group; traps if none is open.
    ///
    /// Posts `NSUndoManagerCheckpoint` (not while undoing or redoing) and `NSUndoManagerWillCloseUndoGroup`
    /// before, `NSUndoManagerDidCloseUndoGroup` after. Closing the outermost forgets what exceeds
    /// `levelsOfUndo`.
    open func endUndoGrouping() {
        precondition(groupingLevel > 0, "endUndoGrouping() was called without beginUndoGrouping()")
        if stack.mode == .idle { postCheckpoint() }
        precondition(
            groupingLevel > 0,
            "an observer of NSUndoManagerCheckpoint closed the group being closed"
        )
        closeGroup()
    }

    /// How many groups can be undone at most, and how many redone; the oldest are forgotten.
    ///
    /// 0, the initial value, sets no limit. Lowering it forgets at once; a negative value traps.
    open var levelsOfUndo: Int {
        get { stack.levelsMax }
        set {
            precondition(newValue >= 0, "levelsOfUndo cannot be negative; 0 sets no limit")
            stack.levelsMax = newValue
        }
    }

    // MARK: Undoing and redoing

    /// Whether there is a group to undo, open or closed, even an empty one that was opened by a call.
    open var canUndo: Bool { undoCount > 0 }

    /// Whether there is a group to redo.
    ///
    /// Posts `NSUndoManagerCheckpoint`, so that a registrar that waits may register, which empties what can
    /// be redone.
    open var canRedo: Bool {
        if stack.mode == .idle { postCheckpoint() }
        return redoCount > 0
    }

    /// How many times `undo()` would find something.
    open var undoCount: Int { stack.undoCount }

    /// How many times `redo()` would find something.
    open var redoCount: Int { stack.redoCount }

    /// Whether an edit is in an open group that a document would have to save.
    package var hasOpenChange: Bool { !stack.isOpenDiscardable }

    /// Whether an undo is calling its handlers.
    open var isUndoing: Bool { stack.mode == .undoing }

    /// Whether a redo is calling its handlers.
    open var isRedoing: Bool { stack.mode == .redoing }

    /// Closes the outermost group if it is the only one open and takes back the newest group.
    ///
    /// Does nothing but post `NSUndoManagerCheckpoint` if there is nothing to undo. Traps inside more than
    /// one open group, and while undoing or redoing. Notifications, after those of closing an open group:
    /// Checkpoint, WillUndoChange, DidOpenUndoGroup, the handlers newest first, WillCloseUndoGroup,
    /// DidCloseUndoGroup, DidUndoChange.
    open func undo() {
        requireIdle("undo()")
        precondition(
            groupingLevel <= 1,
            "undo() was called inside \(groupingLevel) open groups; close all but one"
        )
        if groupingLevel == 1 { endUndoGrouping() }
        postCheckpoint()
        // Whoever was waiting for the checkpoint may have registered: that is the newest group now.
        if groupingLevel == 1 { closeGroup() }
        performUndo()
    }

    /// Takes back the newest closed group, even one inside an open group, without closing anything.
    ///
    /// Traps if the newest action stands in an open group, and while undoing or redoing. Notifications as for
    /// `undo()`.
    open func undoNestedGroup() {
        requireIdle("undoNestedGroup()")
        postCheckpoint()
        closeEmptyEventGroup()
        precondition(
            stack.canUndoNested,
            "undoNestedGroup() was called while the newest action is in an open group; close the group first"
        )
        performUndo()
    }

    /// Performs the newest group that was undone, if nothing was registered since.
    ///
    /// Does nothing but post `NSUndoManagerCheckpoint` if there is nothing to redo. Traps while undoing or
    /// redoing. Closes the pass's group first if nothing is in it. Notifications: Checkpoint, WillRedoChange,
    /// DidOpenUndoGroup, the handlers, WillCloseUndoGroup, DidCloseUndoGroup, DidRedoChange.
    open func redo() {
        requireIdle("redo()")
        postCheckpoint()
        // What is redone is a step of its own.
        closeEmptyEventGroup()
        guard redoCount > 0 else { return }
        postWillRedoChange()
        perform(stack.beginRedo())
        postDidRedoChange()
    }

    // MARK: Forgetting

    /// Forgets all actions, closes all groups without notice, and enables registration.
    open func removeAllActions() {
        postWillForgetActions()
        stack.removeAll()
        disableCount = 0
    }

    /// Forgets the actions of one target, and the closed groups that held nothing else.
    ///
    /// - Parameter target: The object given when registering. Values of other kinds match nothing.
    open func removeAllActions(withTarget target: Any) {
        let object = target as AnyObject
        guard stack.contains(where: { $0.target === object }) else { return }
        postWillForgetActions()
        stack.removeActions { $0.target === object }
    }

    // MARK: Names

    /// Names the outermost open group, for the menu; an empty name removes the name.
    ///
    /// The name goes along to the redo. With `groupsByEvent` and no open group it opens the pass's group;
    /// without `groupsByEvent` it traps. Ignored while registration is disabled and no group is open.
    open func setActionName(_ actionName: String) {
        guard canDescribeGroup("setActionName(_:)") else { return }
        stack.describeOutermost { $0.name = actionName }
    }

    /// The name of the group that `undo()` would take back; empty if there is none.
    open var undoActionName: String { stack.nextUndo?.name ?? "" }

    /// The name of the group that `redo()` would perform; empty if there is none.
    open var redoActionName: String { canRedo ? stack.nextRedo?.name ?? "" : "" }

    /// What the Undo command of a menu says now.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// What the Redo command of a menu says now.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// What the Undo command says for an action: "Undo" and the name, in the program's language.
    ///
    /// The main bundle's `Localizable` table is asked for the keys `Undo %@` and `Undo`.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        Self.menuTitle("Undo", actionName: actionName)
    }

    /// What the Redo command says for an action: "Redo" and the name, in the program's language.
    ///
    /// The main bundle's `Localizable` table is asked for the keys `Redo %@` and `Redo`.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        Self.menuTitle("Redo", actionName: actionName)
    }

    // MARK: What is attached to groups

    /// Says whether the newest action may be lost without harm, as scrolling may.
    ///
    /// A group of such actions alone does not make a document count as changed. Needs an open group as
    /// `setActionName(_:)` does; in a group without actions there is nothing to mark.
    open func setActionIsDiscardable(_ discardable: Bool) {
        guard canDescribeGroup("setActionIsDiscardable(_:)") else { return }
        stack.setNewestActionDiscardable(discardable)
    }

    /// Whether all actions that `undo()` would take back are discardable.
    ///
    /// False if there are none.
    open var undoActionIsDiscardable: Bool { Self.isDiscardable(stack.nextUndo) }

    /// Whether all actions that `redo()` would perform are discardable.
    ///
    /// False if there are none.
    open var redoActionIsDiscardable: Bool { Self.isDiscardable(stack.nextRedo) }

    /// Attaches a value to the outermost open group, nil to take it off.
    ///
    /// It goes along to the redo.
    ///
    /// Needs an open group as `setActionName(_:)` does.
    open func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
        guard canDescribeGroup("setActionUserInfoValue(_:forKey:)") else { return }
        stack.describeOutermost { $0.userInfo[key.rawValue] = info }
    }

    /// What was attached to the group that `undo()` would take back.
    open func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
        stack.nextUndo?.userInfo[key.rawValue]
    }

    /// What was attached to the group that `redo()` would perform.
    open func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
        stack.nextRedo?.userInfo[key.rawValue]
    }
}

extension UndoManager {
    private func requireIdle(_ call: StaticString) {
        precondition(
            !isUndoing && !isRedoing,
            "\(call) was called by a handler or observer of an undo or redo"
        )
    }

    private func canDescribeGroup(_ call: StaticString) -> Bool {
        guard groupingLevel > 0 || isUndoRegistrationEnabled else { return false }
        openGroupIfNeeded(for: call)
        return true
    }

    private func performUndo() {
        guard undoCount > 0 else { return }
        postWillUndoChange()
        perform(stack.beginUndo())
        postDidUndoChange()
    }

    /// Calls the handlers of a group that has begun to be undone or redone, and closes what they recorded.
    private func perform(_ group: UndoGroup<Action>?) {
        guard let group else { return }
        postDidOpenGroup()
        for action in group.actionsNewestFirst { action.perform() }
        let levelLeftOpen = stack.levelLeftOpen
        precondition(levelLeftOpen <= 1, "a handler called beginUndoGrouping() without endUndoGrouping()")
        if levelLeftOpen == 1 { closeGroup() }
        stack.finish()
    }

    private static func isDiscardable(_ group: UndoGroup<Action>?) -> Bool {
        group.map { $0.isDiscardable && !$0.isEmpty } ?? false
    }

    private static func menuTitle(_ command: String, actionName: String) -> String {
        func localized(_ key: String) -> String {
            Bundle.main.localizedString(forKey: key, value: key, table: nil)
        }
        guard !actionName.isEmpty else { return localized(command) }
        return localized(command + " %@").replacingOccurrences(of: "%@", with: actionName)
    }
}
