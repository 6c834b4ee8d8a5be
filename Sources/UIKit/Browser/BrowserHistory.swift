/// Something that can be done to items, and undone.
///
/// Ids are paths below the location.
package enum BrowserCommand: Hashable, Sendable {
    /// Items get other places or other names.
    ///
    /// A taken place is an error.
    case relocate([ItemRelocation])
    /// Items go to the trash.
    case trash([String])
    /// Items come back from the trash.
    case putBack([TrashedItem])
}

/// One item's way from one place to another.
package struct ItemRelocation: Hashable, Sendable {
    package var source: String
    package var target: String

    package init(from source: String, to target: String) {
        self.source = source
        self.target = target
    }

    /// The way back.
    package var reversed: ItemRelocation { ItemRelocation(from: target, to: source) }
}

/// What a person did in the browser, as menus name it.
package enum BrowserAct: Hashable, Sendable {
    case createFolder, rename, move, duplicate, importing, trash

    /// What follows "Undo" and "Redo".
    package var title: String {
        switch self {
        case .createFolder: "New Folder"
        case .rename: "Rename"
        case .move: "Move"
        case .duplicate: "Duplicate"
        case .importing: "Import"
        case .trash: "Move to Trash"
        }
    }
}

/// What was done in a browser and can be undone, and what was undone and can be done again.
///
/// Pure.
///
/// 1. An entry's command takes back what the entry's act did last, be it done, undone or done again.
/// 2. While a command runs, its entry is in neither list.
/// 3. A command that could not be carried out drops its entry: what it was about has changed behind our back.
package struct BrowserHistory: Hashable, Sendable {
    /// How many acts are kept; the oldest goes first.
    ///
    /// More than anyone remembers having done.
    package static let entryCountMax = 100

    private struct Entry: Hashable, Sendable {
        var act: BrowserAct
        var command: BrowserCommand
        /// No other entry has it, nor this one once it has been undone and done again.
        var number: Int
    }

    private enum Direction: Hashable, Sendable { case undo, redo }

    private struct Running: Hashable, Sendable {
        var direction: Direction
        var act: BrowserAct
    }

    private var undoable: [Entry] = []
    private var redoable: [Entry] = []
    private var running: Running?
    private var entryCount = 0

    package init() {}

    /// The number of what would be undone, by which it is told from whatever is done later; nil when there is nothing.
    package var lastNumber: Int? { undoable.last?.number }

    /// What would be undone, for a menu; nil when there is nothing, or a command runs.
    package var undoTitle: String? { running == nil ? undoable.last?.act.title : nil }
    /// What would be done again, for a menu; nil when there is nothing, or a command runs.
    package var redoTitle: String? { running == nil ? redoable.last?.act.title : nil }

    /// Notes what a person did.
    ///
    /// Nothing can be done again after that.
    ///
    /// - Parameter inverse: What takes it back; nil when nothing was done after all.
    package mutating func record(_ act: BrowserAct, inverse: BrowserCommand?) {
        guard let inverse else { return }
        redoable.removeAll()
        push(act, inverse, to: \.undoable)
    }

    /// Begins to undo.
    ///
    /// - Returns: What to carry out, to be followed by `end(inverse:)`; nil when there is nothing to undo or
    ///   a command runs.
    package mutating func beginUndo() -> BrowserCommand? { begin(.undo, \.undoable) }

    /// Begins to do again what was undone; as `beginUndo()`.
    package mutating func beginRedo() -> BrowserCommand? { begin(.redo, \.redoable) }

    /// Ends what `beginUndo()` or `beginRedo()` began.
    ///
    /// - Parameter inverse: What takes back what has been carried out; nil when nothing was.
    package mutating func end(inverse: BrowserCommand?) {
        guard let ended = running else {
            preconditionFailure("ended an undo or redo that had not begun")
        }
        running = nil
        guard let inverse else { return }
        switch ended.direction {
        case .undo: push(ended.act, inverse, to: \.redoable)
        case .redo: push(ended.act, inverse, to: \.undoable)
        }
    }

    private mutating func begin(
        _ direction: Direction,
        _ entries: WritableKeyPath<BrowserHistory, [Entry]>
    ) -> BrowserCommand? {
        guard running == nil, let entry = self[keyPath: entries].popLast() else { return nil }
        running = Running(direction: direction, act: entry.act)
        return entry.command
    }

    private mutating func push(
        _ act: BrowserAct,
        _ command: BrowserCommand,
        to entries: WritableKeyPath<BrowserHistory, [Entry]>
    ) {
        entryCount += 1
        self[keyPath: entries].append(Entry(act: act, command: command, number: entryCount))
        if self[keyPath: entries].count > Self.entryCountMax { self[keyPath: entries].removeFirst() }
    }
}
