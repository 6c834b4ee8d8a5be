internal import Foundation
internal import HubProtocol
internal import SQLite
internal import Sealing
internal import Sync

// What this device remembers: written durably before anything is done that follows from it.
extension SyncRun {
    /// What could not be written down, for want of room or as the disk fails, and what is to be done once it is. Nothing is decided meanwhile: what happens
    /// in the folder and at the hub waits with the other events.
    struct Unremembered {
        var changes: DeviceMemory.Changes
        var effects: [Effect]
        var error: any Error

        var why: DiskRefusal { DiskRefusal(error) }

        /// What it is about.
        var items: Set<ItemID> {
            Set(changes.items.keys).union(changes.engine.agreed.keys)
                .union(changes.heard.map(\.entry.commit.item))
        }
    }

    /// - Returns: False when nothing more can be done now.
    func rememberAndCarryOut(_ effects: [Effect]) -> Bool {
        write(takeChanges(), andDo: effects)
    }

    /// Goes on where it could not be written down, if it can be now.
    func rememberAgain() {
        guard let waiting = unremembered else { return }
        unremembered = nil
        isTaking = true
        let isDone = write(waiting.changes, andDo: waiting.effects)
        isTaking = false
        if isDone { take([]) }
    }

    private func write(_ changes: DeviceMemory.Changes, andDo effects: [Effect]) -> Bool {
        do { try memory.write(changes) } catch let error where DiskRefusal.cause(of: error) != .other {
            let waiting = Unremembered(changes: changes, effects: effects, error: error)
            unremembered = waiting
            news.formUnion(waiting.items)
            report(.failed(path: "what this device remembers", why: "\(waiting.why)"))
            tellFollowers()
            return false
        } catch {
            // What is not remembered must not be done; the next start begins where the memory is.
            fail("what this device remembers cannot be written: \(error)")
            return false
        }
        carryOut(effects)
        return true
    }

    /// Goes on from where the hub's log is still the one that was read, with what is on the disk.
    func goBack(to place: LogHead) throws {
        // The next start goes back, too.
        if let unremembered { throw unremembered.error }
        let known = try memory.log().filter { $0.entry.position <= place.position }
        let former = desk.head.position
        let forgotten = try desk.goBack(to: known)
        let effects = engine.rewind(to: known.lazy.map(\.entry))
        var changes = takeChanges()
        changes.logEnd = place.position
        try memory.write(changes)
        report(.hubPutBack(from: former, to: place.position))
        carryOut(effects)
        take([])
        line?.add(again: forgotten)
        line?.open()
    }

    /// What the memory does not have yet.
    private func takeChanges() -> DeviceMemory.Changes {
        var changes = DeviceMemory.Changes()
        changes.heard = newlyHeard
        newlyHeard = []
        changes.engine = engine.takeMemoryChanges()
        changes.session = session
        news.formUnion(changes.heard.map(\.entry.commit.item))
        news.formUnion(changes.engine.agreed.keys)
        for item in table.takeWritten() {
            news.insert(item)
            let seen = table[item].flatMap { $0.state.kind == .folder || $0.state.content != nil ? $0 : nil }
            changes.items.updateValue(seen, forKey: item)
        }
        return changes
    }
}
