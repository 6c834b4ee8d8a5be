/// One thing that happens in a world. Numbers that choose among what is there are taken modulo how much that is, so that
/// each deed means something in every world: a story can be told with some of its deeds left out.
package enum Deed: Hashable, Sendable {
    // What people do.
    case make(on: Int, isFolder: Bool, folder: Int, name: Int)
    case edit(on: Int, item: Int)
    /// Somebody goes back to what an item held before he edited it.
    case undo(on: Int, item: Int)
    case move(on: Int, item: Int, folder: Int, name: Int)
    case remove(on: Int, item: Int)
    /// Somebody brings along a copy of all that another device has.
    case bring(to: Int, from: Int)
    /// Something else takes an item's name: a folder a file's, or the other way round, or another of its kind. What the
    /// device hears first of the two is not always what happened first.
    case replace(on: Int, item: Int, isFolder: Bool, isHeardFirst: Bool)
    /// Two people put two folders into each other.
    case cross(on: Int, and: Int, folder: Int)
    case settle(on: Int, item: Int)
    /// Somebody says of what a brake holds that it is to go on, or to be undone.
    case decide(on: Int, goesOn: Bool)
    /// Somebody puts a copy of the whole folder in its place, which was made with a backup.
    case restoreFolder(on: Int)
    /// Somebody wants back what a large change has removed or replaced that was decided on.
    case wantBack(on: Int)
    /// So much time has passed on a device that what it counts of large changes is another period's.
    case beginPeriod(on: Int)
    /// Somebody wants room, or contents, of one of the items that may.
    case evict(on: Int, item: Int)
    case download(on: Int, item: Int)
    /// Somebody pauses or resumes one of the items, or lets through what is here of a paused one.
    case pause(on: Int, item: Int)
    case resume(on: Int, item: Int)
    case offerPaused(on: Int, item: Int)
    // What goes on by itself.
    case hear(on: Int)
    case work(on: Int)
    case deliver(letter: Int)
    case readLog(on: Int, count: Int)
    case backUp(on: Int)
    case backUpHub
    // What goes wrong.
    case lose(letter: Int)
    case double(letter: Int)
    /// What is on its way to a device of the log is lost: its request for that has to be made anew.
    case loseLog(on: Int)
    case goOffline(on: Int)
    case goOnline(on: Int)
    case fillDisk(on: Int)
    case freeDisk(on: Int)
    case kill(on: Int)
    /// The process dies, and what the next one remembers is what a backup has.
    case restoreMemory(on: Int)
    /// The hub dies before it has written what a letter asks for, or between that and its answer; then it is one of the letters to
    /// the hub.
    case crashHub(letter: Int, hasWritten: Bool)
    case restoreHub(backup: Int)
    /// Waits until a device is in one of the states that come seldom and pass soon, and goes wrong there and then.
    case ambush(state: Int, fault: Int, number: Int)

    /// A name for what goes wrong; nil for what does not.
    package var fault: String? {
        switch self {
        case .lose, .loseLog: "loss"
        case .double: "doubling"
        case .goOffline: "offline"
        case .fillDisk: "full disk"
        case .kill: "kill"
        case .restoreMemory: "old memory"
        case .crashHub(_, let hasWritten): hasWritten ? "hub dies after a write" : "hub dies before a write"
        case .restoreHub: "old hub"
        default: nil
        }
    }

    package static let faults = [
        "loss", "doubling", "offline", "full disk", "kill", "old memory", "hub dies before a write",
        "hub dies after a write", "old hub",
    ]
}
