internal import Dispatch
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync
internal import SyncMessages

// On which devices an item is. The hub is asked when somebody wants to know, and at no other time.
extension SyncRun {
    /// After so many seconds the hub is asked again while somebody looks at what others have not read, at first and at most.
    private static let readingSeconds = 2.0...60.0

    func whereabouts(of item: ItemID) -> Whereabouts? {
        guard item != .root, engine.disk[item] != nil || engine.tree[item] != nil else { return nil }
        let position = engine.tree[item] == nil ? 0 : engine.tree.revision(of: item)
        return Whereabouts(
            position: position,
            author: position == 0 ? nil : author(at: position),
            this: desk.identity.id,
            own: own(item),
            // What is on paper has no documents.
            devices: desk.devices.present.filter { !$0.isPaper }.map { .init(id: $0.id, name: $0.name) },
            readings: readings.known
        )
    }

    private func own(_ item: ItemID) -> Whereabouts.Own {
        if engine.disk[item] == engine.tree[item] {
            return table[item]?.isDataless == true ? .placeholder : .current
        }
        switch engine.change(of: item) {
        case .here, .both: return .changed
        case .elsewhere, .none: return engine.disk[item] == nil ? .nothing : .behind
        }
    }

    /// Who has made an entry of the log; nil for what cannot be read.
    func author(at position: LogPosition) -> DeviceID? {
        if let new = newlyHeard.last(where: { $0.entry.position == position }) {
            return new.entry.commit.id.device
        }
        // A memory that cannot be read is explained by itself.
        return (try? memory.author(at: position)) ?? nil
    }

    /// Asks the hub who has read how much of the log, beside all else.
    ///
    /// - Parameter done: Called when it has answered, or will not; on any thread.
    func askReadings(_ done: @escaping @Sendable () -> Void = {}) {
        guard !isStopped, lineState == .up, desk.devices.present.count > 1 else { return done() }
        guard !readings.isAsking else { return readings.wait(done) }
        let number = readings.ask(done)
        let box = Confined(Weak(self))
        DispatchQueue(label: "sheaf.readings", qos: .userInitiated).async { [hub, queue] in
            // Without an answer it is not known, which is what is said then; the line tells by itself that it is down.
            let listings = try? hub.registrations()
            queue.async { box.value.value?.takeReadings(listings, to: number) }
        }
    }

    private func takeReadings(_ listings: [DeviceListing]?, to number: Int) {
        let former = readings.known
        for done in readings.take(listings, to: number, desk.devices) { done() }
        if readings.known != former { tellFollowers() }
    }

    /// What the hub had said was about another log.
    func forgetReadings() { for done in readings.forget() { done() } }

    // MARK: For those who look

    /// Asks again after a while, as long as somebody looks at what others have not read.
    func askReadingsAgain(after seconds: Double = readingSeconds.lowerBound) {
        readingTurn += 1
        queue.asyncAfter(deadline: .now() + seconds) { [box = Confined(Weak(self)), turn = readingTurn] in
            guard let run = box.value.value, run.readingTurn == turn else { return }
            let isWanted = run.askers.values.contains { asker in
                asker.known.devices.contains { $0.standing == .behind || $0.standing == .unknown }
            }
            guard isWanted, !run.isStopped else { return }
            run.askReadings()
            run.askReadingsAgain(after: min(2 * seconds, Self.readingSeconds.upperBound))
        }
    }
}
