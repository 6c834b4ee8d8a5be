/// What the kernel tells about names, put together to what has become of them.
///
/// Editors save in many steps: a new file renamed over the old one, the old one renamed away first, two files
/// exchanged, many small writes. Here the steps are played through: each name holds something before the first
/// step and after the last, and only the difference is a change. Pure: the time is given.
///
/// 1. A name that holds something again is written, never moved away or deleted: the name wins over the item.
/// 2. What has left its name is told late, when nothing has taken its place for `settleSeconds`.
/// 3. What a name holds is told after `quietSeconds` of rest, or `delayMaxSeconds` at the latest.
/// 4. A file that has been emptied is told late, when nothing has been written into it for `settleSeconds`, or
///    `emptyMaxSeconds` at the latest: whoever truncates a file mostly goes on to write it.
///
/// Who has a file open for writing is waited for until it is closed: of what is written meanwhile the kernel is asked
/// nothing for this (no `IN_MODIFY`, no `FAN_MODIFY`), so that many small writes into one open file are one change, however long
/// the pauses, and a program that writes a large file wakes nobody. What a program writes that closes its file never
/// is found by whoever looks: a save does, and a coordinated access. Who opens and closes for each write has left
/// a whole file each time: writes that are further apart than `quietSeconds` are changes of their own. To wait
/// for the next would make everybody wait who writes once.
package struct EventFolding: Sendable {
    /// A name in a watched folder.
    package struct Place: Hashable, Sendable {
        /// The number of the folder, as whoever watches it counts.
        package let folder: Int
        package let name: String

        package init(folder: Int, name: String) {
            self.folder = folder
            self.name = name
        }
    }

    /// What has become of a name.
    package enum Change: Hashable, Sendable {
        /// Something new is at the name, or something that was there is another now.
        case written(Place)
        /// What was at the first name is at the second, and the first is free.
        case moved(Place, to: Place)
        /// What was at the first name, if anything was, has been replaced, and what replaced it is at the second; the
        /// first is free.
        case replacedAndMoved(Place, to: Place)
        /// What was at the name has been moved to where no watch looks.
        case left(Place)
        /// What was at the name is gone.
        case deleted(Place)

        /// Where something is now that was elsewhere before.
        var target: Place? {
            switch self {
            case .moved(_, let target), .replacedAndMoved(_, let target): target
            case .written, .left, .deleted: nil
            }
        }
    }

    /// How long a name rests before what it holds is told.
    package static let quietSeconds = 0.002
    /// How long a change waits at most while others of the same name keep coming.
    package static let delayMaxSeconds = 0.02
    /// How long a name stays free before it counts as left: editors that rename the old file away put the new
    /// one in place within a few milliseconds.
    package static let settleSeconds = 0.05
    /// How long an empty file waits at most while it is emptied again and again.
    package static let emptyMaxSeconds = 0.2

    /// Something that a name holds; told apart from all others, whatever it is.
    private typealias Thing = Int

    private enum Content: Hashable {
        case unknown, nothing
        case thing(Thing)

        var thing: Thing? { if case .thing(let thing) = self { thing } else { nil } }
    }

    private struct Slot {
        let before: Content
        var now: Content
        var isWritten = false
        /// What was moved away from here last.
        var lastLeft: Thing?
        /// Whether a file has been made here and not closed yet.
        var isBeingMade = false
        var firstTouched: Double
        var lastTouched: Double
        var writer: WriterProcess?

        /// When it is told if it has been emptied.
        var emptyDue: Double { min(lastTouched + settleSeconds, firstTouched + emptyMaxSeconds) }
    }

    private var slots: [Place: Slot] = [:]
    private var order: [Place] = []
    /// Things between the two halves of a move.
    private var inFlight: [UInt32: (thing: Thing, from: Place)] = [:]
    private var lastMove: (thing: Thing, from: Place, to: Place, cookie: UInt32)?
    private var thingCount = 0
    private let ownProcess: Int32?

    /// - Parameter ownProcess: Who asks who else has written: where it and others have, one of these is told.
    package init(ownProcess: Int32? = nil) {
        self.ownProcess = ownProcess
    }

    /// Whether nothing waits to be told.
    package var isEmpty: Bool { slots.isEmpty }

    /// Forgets everything: all is going to be looked at anew.
    package mutating func reset() { self = EventFolding(ownProcess: ownProcess) }

    /// Takes one event about a member of a folder; others are of no concern here.
    package mutating func take(_ event: WatchEvent, in folder: Int, at now: Double) {
        guard let name = event.name else { return }
        let place = Place(folder: folder, name: name)
        switch event.kind {
        case .created:
            touch(place, at: now, before: .nothing)
            let thing = newThing()
            slots[place]?.now = .thing(thing)
            slots[place]?.isBeingMade = !event.isDirectory
        case .changed, .attributesChanged:
            touch(place, at: now)
            slots[place]?.isWritten = true
            if event.kind == .changed { slots[place]?.isBeingMade = false }
        case .deleted:
            touch(place, at: now)
            slots[place]?.now = .nothing
        case .movedFrom(let cookie):
            touch(place, at: now)
            if let thing = slots[place]?.now.thing {
                inFlight[cookie] = (thing, place)
                slots[place]?.lastLeft = thing
            }
            slots[place]?.now = .nothing
        case .movedTo(let cookie):
            touch(place, at: now, before: .unknown)
            arrive(at: place, cookie)
        case .modified, .selfMoved, .selfDeleted, .overflowed: return
        }
        noteWriter(of: event, at: place)
    }

    /// What is ready to be told, in the order in which the names were first touched.
    ///
    /// - Parameter isEmptied: Asked of a name that is about to be told as written: whether it holds a file that has nothing
    ///   in it any more.
    /// - Returns: The changes, each with who made it where that is known, and when to ask again; nil for not
    ///   before the next event.
    package mutating func flush(
        at now: Double,
        isEmptied: (Place) -> Bool = { _ in false }
    ) -> (changes: [(change: Change, writer: WriterProcess?)], next: Double?) {
        var changes: [(change: Change, writer: WriterProcess?)] = []
        var next: Double?
        let whereabouts = Whereabouts(slots, inFlight)
        for place in order {
            guard let slot = slots[place] else { continue }
            var (verdict, due) = judge(place, slot, whereabouts)
            if now >= due, verdict == [.written(place)], now < slot.emptyDue, isEmptied(place) {
                due = slot.emptyDue
            }
            guard now >= due else {
                next = min(next ?? due, due)
                continue
            }
            changes += verdict.map { (change: $0, writer: slot.writer) }
            slots[place] = nil
            for change in verdict { if let target = change.target { slots[target] = nil } }
        }
        order.removeAll { slots[$0] == nil }
        if slots.isEmpty { (inFlight, lastMove) = ([:], nil) }
        return (changes, next)
    }

    // MARK: Steps

    private mutating func noteWriter(of event: WatchEvent, at place: Place) {
        guard let writer = event.writer else { return }
        if writer.processID == ownProcess {
            // What it marks a file with is nothing that it has written there.
            guard event.kind != .attributesChanged, slots[place]?.writer == nil else { return }
        }
        slots[place]?.writer = writer
    }

    private mutating func newThing() -> Thing {
        thingCount += 1
        return thingCount
    }

    /// The second half of a move.
    ///
    /// Two items exchanged are told as two moves, the first item there and back again: the kernel means that
    /// each is where the other was.
    private mutating func arrive(at place: Place, _ cookie: UInt32) {
        slots[place]?.isBeingMade = false
        let flight = inFlight.removeValue(forKey: cookie)
        if let flight, let last = lastMove, last.thing == flight.thing, last.cookie &+ 1 == cookie,
            last.from == place, last.to == flight.from
        {
            let displaced = slots[flight.from]?.before.thing ?? newThing()
            slots[flight.from]?.now = .thing(flight.thing)
            slots[place]?.now = .thing(displaced)
            return
        }
        let thing = flight?.thing ?? newThing()
        slots[place]?.now = .thing(thing)
        lastMove = flight.map { (thing, $0.from, place, cookie) }
    }

    private mutating func touch(_ place: Place, at now: Double, before: Content? = nil) {
        if slots[place] == nil {
            let content = before ?? .thing(newThing())
            slots[place] = Slot(before: content, now: content, firstTouched: now, lastTouched: now)
            order.append(place)
        }
        slots[place]?.lastTouched = now
    }

    /// Where each thing is now.
    private struct Whereabouts {
        var places: [Thing: Place] = [:]
        /// What a name held that is free now and was not before, and when it was touched last.
        var departed: [Thing: Double] = [:]
        let inFlight: Set<Thing>

        init(_ slots: [Place: Slot], _ inFlight: [UInt32: (thing: Thing, from: Place)]) {
            self.inFlight = Set(inFlight.values.map(\.thing))
            for (place, slot) in slots {
                if let thing = slot.now.thing { places[thing] = place }
                guard slot.now == .nothing, slot.before != .nothing else { continue }
                for thing in [slot.before.thing, slot.lastLeft] {
                    if let thing { departed[thing] = slot.lastTouched }
                }
            }
        }
    }

    /// What there is to tell of a name, and when.
    private func judge(_ place: Place, _ slot: Slot, _ found: Whereabouts) -> ([Change], due: Double) {
        let settled = slot.lastTouched + Self.settleSeconds
        let quiet = min(slot.lastTouched + Self.quietSeconds, slot.firstTouched + Self.delayMaxSeconds)
        switch (slot.before, slot.now) {
        case (.nothing, .nothing): return ([], quiet)
        case (.unknown, .nothing): return (replacedAndMoved(place, slot, found) ?? [.deleted(place)], settled)
        case (.thing(let thing), .nothing):
            guard let target = found.places[thing] else {
                let gone = found.inFlight.contains(thing) ? Change.left(place) : .deleted(place)
                return (replacedAndMoved(place, slot, found) ?? [gone], settled)
            }
            let isWritten = slot.isWritten || slots[target]?.isWritten == true
            let moved = Change.moved(place, to: target)
            return (isWritten ? [moved, .written(target)] : [moved], settled)
        case (let before, let now) where before == now:
            return (slot.isWritten ? [.written(place)] : [], quiet)
        default:
            // Where it came from is free: that name's slot tells of the move, and this one waits for it.
            if let departed = slot.now.thing.flatMap({ found.departed[$0] }) {
                return ([.written(place)], max(settled, departed + 2 * Self.settleSeconds))
            }
            return ([.written(place)], slot.isBeingMade ? settled : quiet)
        }
    }

    /// Where what came to a name that is free now has gone from there.
    private func replacedAndMoved(_ place: Place, _ slot: Slot, _ found: Whereabouts) -> [Change]? {
        guard let thing = slot.lastLeft, let target = found.places[thing] else { return nil }
        return [.replacedAndMoved(place, to: target), .written(target)]
    }
}
