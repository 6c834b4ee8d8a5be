internal import Foundation
internal import HubProtocol
internal import SQLite
internal import Sealing
internal import Sync

// What this device remembers: written durably before anything is done that follows from it.
extension SyncRun {
    /// What could not be written down, for want of room or as the disk fails, and what is to be done once it is. Nothing is
    /// decided meanwhile: what happens in the folder and at the hub waits with the other events.
    struct Unremembered {
        var changes: DeviceMemory.Changes
        var effects: [Effect]
        /// The way back that it is about.
        var wayBack: WayBack?
        var error: any Error

        var why: DiskRefusal { DiskRefusal(error) }

        /// What it is about.
        var items: Set<ItemID> {
            Set(changes.items.keys).union(changes.engine.agreed.keys)
                .union(changes.heard.map(\.entry.commit.item))
        }
    }

    /// From where to where this device has gone back in the hub's log.
    struct WayBack {
        var former: LogPosition
        var position: LogPosition
        /// The devices that the log then does not know any more.
        var forgotten: [PublicIdentity]
    }

    /// - Returns: False when nothing more can be done now.
    func rememberAndCarryOut(_ effects: [Effect]) -> Bool {
        write(takeChanges(), andDo: effects)
    }

    /// Goes on where it could not be written down, if it can be now.
    func rememberAgain() {
        guard let waiting = unremembered else { return }
        unremembered = nil
        writeAndGoOn(waiting.changes, andDo: waiting.effects, after: waiting.wayBack)
    }

    private func writeAndGoOn(
        _ changes: DeviceMemory.Changes,
        andDo effects: [Effect],
        after wayBack: WayBack?
    ) {
        isTaking = true
        let isDone = write(changes, andDo: effects, after: wayBack)
        isTaking = false
        if isDone { take([]) }
    }

    private func write(
        _ changes: DeviceMemory.Changes,
        andDo effects: [Effect],
        after wayBack: WayBack? = nil
    ) -> Bool {
        do { try memory.write(changes) } catch let error where DiskRefusal.cause(of: error) != .other {
            let waiting = Unremembered(changes: changes, effects: effects, wayBack: wayBack, error: error)
            unremembered = waiting
            news.formUnion(waiting.items)
            if wayBack != nil { lineFailure = Self.waysBackWait(for: waiting.why) }
            report(.failed(path: Self.whatItRemembers, why: "\(waiting.why)"))
            endWaits()
            tellFollowers()
            return false
        } catch {
            // What is not remembered must not be done; the next start begins where the memory is.
            fail("what this device remembers cannot be written: \(error)")
            return false
        }
        noteWritten(volumes: changes.volumes)
        if !changes.items.isEmpty { noteCountDue() }
        if let wayBack { report(.hubPutBack(from: wayBack.former, to: wayBack.position)) }
        carryOut(effects)
        if let wayBack {
            line?.add(again: wayBack.forgotten)
            line?.open()
        }
        return true
    }

    private static let whatItRemembers = "what this device remembers"

    private static func waysBackWait(for why: DiskRefusal) -> String {
        "the hub was put back to an earlier state, and this device's disk does not let it follow: \(why)"
    }

    // MARK: Back in the hub's log

    /// Goes on from where the hub's log is still the one that was read, with what is on the disk: at once, or when this
    /// device's disk lets it. A start before that goes back anew.
    func goBack(to place: LogHead) {
        wayBack = (place, nil)
        goBackIfPossible()
    }

    func goBackIfPossible() {
        guard let place = wayBack?.place, !isStopped else { return }
        // What waits to be written down came before.
        if let unremembered { return lineFailure = Self.waysBackWait(for: unremembered.why) }
        do {
            // What was released may be needed again, or not be released any more. Before anything else: a disk may refuse it.
            try noteReleased(to: 0)
            let known = try memory.log().filter { $0.entry.position <= place.position }
            let formerlyForgotten = try memory.forgottenDevices()
            let former = desk.head.position
            // Before what tells of it is forgotten.
            try memory.remember(desk.barred(goingBackTo: known.last?.entry.position ?? 0))
            let lost = try desk.goBack(to: known)
            // Those too that were to be let in again when the hub was put back once more, or this process ended.
            let members = desk.devices.members
            let forgotten =
                lost
                + formerlyForgotten.filter { device in
                    members[device.id] == nil && !lost.contains { $0.id == device.id }
                }
            wayBack = nil
            let effects = engine.rewind(to: known.lazy.map(\.entry))
            var changes = takeChanges()
            (changes.logEnd, changes.forgotten) = (place.position, forgotten)
            let way = WayBack(former: former, position: place.position, forgotten: forgotten)
            writeAndGoOn(changes, andDo: effects, after: way)
        } catch let error where DiskRefusal.cause(of: error) != .other {
            let why = DiskRefusal(error)
            if wayBack?.why?.description != why.description {
                report(.failed(path: Self.whatItRemembers, why: "\(why)"))
            }
            wayBack?.why = why
            lineFailure = Self.waysBackWait(for: why)
        } catch {
            fail("\(error)")
        }
    }

    /// What the memory does not have yet.
    private func takeChanges() -> DeviceMemory.Changes {
        var changes = DeviceMemory.Changes()
        // What the engine has not read yet waits with it: what disk and log agreed on is written as of the log that it knows.
        let readCount = newlyHeard.firstIndex { $0.entry.position > engine.tree.position } ?? newlyHeard.count
        changes.heard = Array(newlyHeard.prefix(readCount))
        newlyHeard.removeFirst(readCount)
        changes.committed = takeCommitted(by: changes.heard)
        changes.engine = engine.takeMemoryChanges()
        changes.session = session
        if case .some(.some) = changes.engine.lastChange {
            changeSeconds = place.now().timeIntervalSince1970
            changes.changeSeconds = changeSeconds
        }
        changes.period = periods.takeWritten()
        let written = table.takeWritten()
        for items in [Set(changes.heard.map(\.entry.commit.item)), Set(changes.engine.agreed.keys), written] {
            news.formUnion(items)
            downloads.noteChanged(items)
        }
        noteNews(inMoved: table.takeMoved())
        note(written, in: &changes)
        changes.volumes = unwrittenVolumes
        for item in conflicts.takenUp { changes.conflicts[item] = conflicts.shown[item] ?? [:] }
        conflicts.takenUp = []
        unsharedCount += changes.items.count + changes.heard.count
        return changes
    }

    /// Has written down how items are, and what of what disk and log agreed on is to be beside the two.
    private func note(_ written: Set<ItemID>, in changes: inout DeviceMemory.Changes) {
        // Taken once: to ask the run for them means a copy each time.
        let (engine, table) = (engine, table)
        for item in written {
            changes.items.updateValue(table[item].flatMap { $0.isRead ? $0 : nil }, forKey: item)
        }
        for item in written.union(changes.engine.agreed.keys) {
            changes.agreed[item] = AgreedItems.Note(
                engine.lastAgreed(item),
                seen: table.writtenState(of: item),
                logged: engine.tree[item]
            )
        }
    }
}
