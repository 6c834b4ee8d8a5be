/// One thing that happens in the story of a world.
///
/// Numbers that choose among what is there are taken modulo how much that is, those below 0 from its end, and what cannot be done
/// at the moment is left undone: each deed means something in every world, so that a story can be told with some of its deeds
/// left out.
public enum WorldDeed: Hashable, Sendable {
    // What people do.
    /// Makes a document of a kind, with one edit in it, in a folder of the device's.
    case make(on: Int, kind: Int, folder: Int, name: Int)
    /// Makes a folder.
    case makeFolder(on: Int, folder: Int, name: Int)
    /// Opens a document, edits, saves and closes it; one that somebody has left open is saved and stays open.
    case edit(on: Int, item: Int)
    /// Opens a document and leaves it open.
    case open(on: Int, item: Int)
    /// Edits one that was left open, and leaves it to it to save that.
    case type(on: Int, document: Int)
    /// Saves and closes one that was left open.
    case close(on: Int, document: Int)
    /// Gives an item another folder and another name, as far as they are free.
    case move(on: Int, item: Int, folder: Int, name: Int)
    /// Removes an item, with all that is in it.
    case remove(on: Int, item: Int)
    /// Has a document, or the first file of one that is a package, be a file that may be executed, or none.
    case makeExecutable(on: Int, item: Int, isSo: Bool)
    /// Settles the conflicts of an item: what it holds stays.
    case settle(on: Int, item: Int)
    /// Has contents leave a device.
    case evict(on: Int, item: Int)
    /// Has them come back.
    case download(on: Int, item: Int)
    /// Nobody does anything for a while.
    case pass(milliseconds: Int)
    /// Nobody does anything until all devices that can be are in step.
    case rest
    /// All that is wrong is put right, what is open is closed, and all come to rest: devices are compared with one another and with
    /// what the hub has, as at the end of a story. What is wrong then ends the story.
    case endTroubles
    // What goes wrong.
    /// `goOffline()`.
    case goOffline(on: Int)
    /// Ends `goOffline()` for the process that has waited for the line: none is begun anew.
    case goOnline(on: Int)
    /// `disturbLine()`.
    case disturbLine(on: Int)
    /// `calmLine()`.
    case calmLine(on: Int)
    /// `fillDisk()`.
    case fillDisk(on: Int)
    /// `freeDisk()`.
    case freeDisk(on: Int)
    /// `breakDisk(_:)`, for reading or for writing.
    case breakDisk(on: Int, reading: Bool)
    /// `mendDisk()`.
    case mendDisk(on: Int)
    /// `setClock(aheadBySeconds:)`, in years.
    case setClock(on: Int, years: Int)
    /// `stop()`.
    case stop(on: Int)
    /// `start()`.
    case start(on: Int)
    /// What keeps the folder in step is killed in the middle of what it does, and begins again.
    case kill(on: Int)
    /// As `kill`, by a power cut: it begins again after the machine was started anew, and what people had open is closed as it is.
    case cutPower(on: Int)
    /// `crash(afterWrites:)`, on a device that runs; `start` starts it again, without what people had open.
    case crash(on: Int, afterWrites: Int)
    /// `backUpHub()`.
    case backUpHub
    /// `restoreHub()` where it has a backup, unless contents have left a device: those may be at the hub alone.
    case restoreHub
    /// `crashHub(afterWrites:isLastAnswered:)`.
    case crashHub(afterWrites: Int, isLastAnswered: Bool)
    /// `startHub()`.
    case startHub
    /// `fillHub()`.
    case fillHub
    /// `freeHub()`.
    case freeHub
    /// The hub deletes what devices have said nobody needs any more, as it does after a while.
    case deleteReleased
    /// `backUp()`, where the disk is right: what people have open on the device they close before.
    case backUp(on: Int)
    /// `restore(_:)`, to the device's last backup if there is one: what people have open on it they close before.
    case restore(on: Int)
}

extension WorldDeed {
    /// On which device a person does it; nil for what nobody does.
    var deviceOfPerson: Int? {
        switch self {
        case .make(let index, _, _, _), .makeFolder(let index, _, _), .edit(let index, _),
            .open(let index, _), .type(let index, _), .close(let index, _), .move(let index, _, _, _),
            .remove(let index, _),
            .makeExecutable(let index, _, _), .settle(let index, _), .evict(let index, _),
            .download(let index, _):
            index
        default: nil
        }
    }
}

extension Int {
    /// Which of so many this number chooses, also where it is below 0.
    ///
    /// - Parameter count: 1 or more.
    func among(_ count: Int) -> Int {
        let rest = self % count
        return rest < 0 ? rest + count : rest
    }
}
