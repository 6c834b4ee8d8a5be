internal import Dispatch
internal import HubProtocol
internal import Locks
internal import Sealing
internal import Sync
internal import SyncMessages

// How the log is read: by one thread, for as long as the line is open.
extension HubLine {
    /// Reads the log as it grows, until the line is closed or nothing more can be read; tries again when it is down.
    func follow() {
        var pause = hub.retrySeconds.lowerBound
        var isAtHead = false
        var hasteCount = 0
        if let end = desk.shutOut { return receiver(.shutOut(end)) }
        while !isClosed {
            do {
                let isWell = state.withLock { $0.isUp && $0.unannounced == nil }
                let waits = isAtHead && (isWell || !desk.isMember)
                let begun = Self.seconds
                let accepted = desk.lastAccepted
                let page = try nextPage(waits: waits)
                guard !isClosed else { return }
                guard try take(page) else { return }
                try check(accepted, isWithin: page.head)
                isAtHead = desk.head.position >= page.head.position
                let isHasty = waits && page.entries.isEmpty && Self.seconds - begun < Self.hasteSeconds
                hasteCount = isHasty ? hasteCount + 1 : 0
                guard hasteCount > Self.hasteCountMax else {
                    pause = hub.retrySeconds.lowerBound
                    continue
                }
                _ = wakeUp.wait(timeout: .now() + pause)
                pause = min(pause * 2, hub.retrySeconds.upperBound, Self.hastyPauseSecondsMax)
            } catch {
                guard !isClosed else { return }
                lose(error)
                if (error as? HubFailure)?.error.code == .revoked {
                    return receiver(.shutOut(desk.shutOut ?? ShutOut()))
                }
                isAtHead = false
                _ = wakeUp.wait(
                    timeout: .now() + min(pause, hub.retrySeconds.upperBound) * Double.random(in: 0.5...1)
                )
                pause = min(pause * 2, hub.retrySeconds.upperBound)
            }
        }
    }

    /// Who answers sooner than this that there is nothing new, though he was to wait, and so often one after the other, does not
    /// wait: a proxy that lets no request last, say. He is asked every now and then.
    private static let (hasteSeconds, hasteCountMax) = (1.0, 3)
    private static let hastyPauseSecondsMax = 5.0

    /// What comes in the log after what was read.
    private func nextPage(waits: Bool) throws -> LogPage {
        if let page = ahead.take() { return try page.value }
        return try hub.log(after: desk.head.position, waitSeconds: waits ? Self.waitSeconds : 0)
    }

    /// - Returns: Whether to go on.
    private func take(_ page: LogPage) throws -> Bool {
        let reading = try desk.read(page)
        // Before any key is taken that somebody has announced there.
        if case .revocationForgotten(let last)? = reading.finding {
            return stop(.revocationForgotten(last: last))
        }
        let keys = Result { try fetchKeys(reading.finding) }
        // What was read is told whether or not there are keys for what comes then.
        if !reading.heard.isEmpty { receiver(.entries(reading.heard)) }
        tell(unkept: reading.unkept)
        if let end = desk.shutOut {
            lose(SyncFailure.shutOut(end))
            receiver(.shutOut(end))
            return false
        }
        for other in reading.others { receiver(.strange(other)) }
        try keys.get()
        if let finding = reading.finding {
            if case .keysMissing = finding { return true }
            return try goBack(finding, page.head)
        }
        if desk.head.position >= page.head.position {
            guard desk.isMember else {
                lose(desk.head.position == 0 ? Self.logIsGone : Self.isForgotten)
                return true
            }
            guard noteHeldKeys() else { return stop(.revocationForgotten(last: desk.head)) }
        }
        // A hub without room for that has it tried again with what is asked next. Nothing else waits for it.
        do { try addNext() } catch let failure as HubFailure where Self.isWantOfRoom(failure) {}
        seeToPapers()
        return true
    }

    /// Has the line be up where the log, which was read to its end, speaks of all revocations that this device holds keys of.
    ///
    /// Another part of this process, or another process, may have taken a key since the page was asked for: it has done so once
    /// the hub had the statement. So what is asked for from now on tells.
    ///
    /// - Returns: False where that was asked for, and does not speak of it: the hub has forgotten who was shut out.
    private func noteHeldKeys() -> Bool {
        let newest = desk.newestGeneration
        let isAnnounced = desk.speaksOfHeldKeys
        let wasAsked = state.withLock { state in
            defer { state.unannounced = isAnnounced ? nil : newest }
            return state.unannounced == newest
        }
        if isAnnounced { bringUp() }
        return isAnnounced || !wasAsked
    }

    private static let isForgotten = LineFailure(
        "the hub has forgotten this device, which waits until another one has let it in again",
        remedy: "Have another device that shares the folder be kept in step: it lets this one in."
    )
    private static let logIsGone = LineFailure(
        """
        the hub has nothing of this folder any more, and this device waits until the one that began it is registered there again, too
        """,
        remedy: "Register that one there again, if it is not, and have it be kept in step."
    )

    /// Gets the key that was announced, before anything that is sealed under it is asked for.
    private func fetchKeys(_ finding: LogFinding?) throws {
        if case .keysMissing? = finding { return try desk.fetchKeys(from: hub) }
        if desk.isMember, !desk.holdsKey { try desk.fetchKeys(from: hub) }
    }

    /// Looks how far the hub's log is the one that was read. Where the two part, what comes after may be right in the other
    /// one, whatever it is in this.
    ///
    /// - Parameter said: The end of the log by the page in which that was found.
    /// - Throws: `LineFailure` where the log had an end before what was read of it, and has all of that when it is looked at.
    private func goBack(_ finding: LogFinding, _ said: LogHead) throws -> Bool {
        let places = desk.places
        // The hub has all of what comes before a place that it has.
        var (low, high) = (0, places.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if try has(places[middle]) { low = middle } else { high = middle - 1 }
        }
        guard low < places.count - 1 else {
            if case .rolledBack = finding { throw contradiction(said) }
            // It has all that was read, and goes on with what nobody has made.
            return stop(finding)
        }
        let last = try lastCommon(from: places[low], before: places[low + 1].position)
        // Until it has been said again, nothing goes on, and this device does not forget it.
        if try forgetsRevocations(after: last.position) { return stop(.revocationForgotten(last: last)) }
        // Has it nothing after that, it has lost what there was; else it has something else there.
        let isShort = try hub.log(after: last.position, waitSeconds: 0).entries.isEmpty
        lose(SyncFailure.hubChanged("the hub was put back to an earlier state"))
        papers.withLock { $0 = [] }
        receiver(
            .putBack(to: last, isShort ? .rolledBack(last: last) : .forked(last: last))
        )
        return false
    }

    /// The last entry that the hub's log and the one that was read have both. Of what is farther back the desk knows only some places:
    /// who was shut out behind one of them may have written between it and that entry, as a member, and nothing of that is wrong.
    ///
    /// - Parameters:
    ///   - place: One that the hub has.
    ///   - end: Where it does not have what was read any more.
    private func lastCommon(from place: LogHead, before end: LogPosition) throws -> LogHead {
        var (last, end) = (place, end)
        while last.position + 1 < end {
            let middle = last.position + (end - last.position) / 2
            // What is not remembered is as what the hub does not have.
            guard let hash = try remembered(middle) else {
                end = middle
                continue
            }
            let place = LogHead(position: middle, hash: hash)
            if try has(place) { last = place } else { end = middle }
        }
        return last
    }

    /// Whether the hub's log leaves out that a device was shut out, of which this device has read after a place.
    private func forgetsRevocations(after position: LogPosition) throws -> Bool {
        let known = desk.devices
        guard known.members.values.contains(where: { ($0.revokedAt ?? 0) > position }) else { return false }
        let visit = try desk.visit(hub, goingBackTo: position)
        // As far as it can be read: whatever else is wrong with it shows when it is gone back to.
        try visit.readOn()
        return visit.devices.generation < known.generation || visit.desk.letsInBarred
    }

    /// Nothing was put back: who keeps answers on the way has given an old one, or two hubs share an address, of which one is
    /// behind. What is asked next may be answered as it should be.
    private func contradiction(_ said: LogHead) -> LineFailure {
        LineFailure(
            """
            the hub said that its log ends with entry \(said.position), and has entry \(desk.head.position) all the same: that was \
            an old answer, as of a proxy that keeps answers or of one of two hubs at the same address
            """
        )
    }

    /// Whether the hub's log has the entry of a place.
    private func has(_ place: LogHead) throws -> Bool {
        guard place.position > 0 else { return true }
        let page = try hub.log(after: place.position - 1, waitSeconds: 0)
        return page.entries.first.map { $0.position == place.position && $0.hash == place.hash } ?? false
    }

    /// Has the log know devices again that it has forgotten. Those that it knows by now stay as they are.
    func add(again devices: [PublicIdentity]) { forgotten.withLock { $0 = devices } }

    private static func isWantOfRoom(_ failure: HubFailure) -> Bool {
        [.quota, .volumeFull, .keysFull].contains(failure.error.code)
    }

    /// One at a time: each statement follows the one before.
    private func addNext() throws {
        guard state.withLock({ $0.isUp }) else { return }
        let next = forgotten.withLock { devices -> PublicIdentity? in
            guard !devices.isEmpty else { return nil }
            let known = desk.devices.members
            devices.removeAll { known[$0.id] != nil }
            return devices.first
        }
        guard let next, let offered = try desk.sealAddition(of: next) else { return }
        try provideKeys(for: next)
        // Refused: another device was faster with another one, which is about to be read.
        let up = upCount
        let answers = try hub.offer([offered]).answers
        if let id = offered.id.commitID { note(answers, to: [id], since: up) }
    }

    /// Who has announced a key since the hub forgot a device knew nothing of it, and has sealed that for all others: it could not
    /// read what comes after that.
    private func provideKeys(for device: PublicIdentity) throws {
        let newest = desk.newestGeneration
        guard provided.withLock({ $0[device.id] != newest }), let keys = try desk.sealedKeys(for: device)
        else { return }
        try hub.leave(keys, for: device.id)
        provided.withLock { $0[device.id] = newest }
    }

    /// Has a hub that has forgotten it know again what opens the container with the key on paper.
    private func seeToPapers() {
        guard let kits, state.withLock({ $0.isUp }) else { return }
        let present = desk.devices.present.filter(\.isPaper)
        for paper in present where papers.withLock({ !$0.contains(paper.id) }) {
            do { try kits.see(to: paper, among: present, at: hub) } catch is LineFailure {
                // That the line is down shows with what is asked next.
                return
            } catch {
                // A hub without room for it, or a disk: it is tried again when the line is opened next. Nothing else waits for it.
            }
            papers.withLock { _ = $0.insert(paper.id) }
        }
    }

    private func stop(_ finding: LogFinding) -> Bool {
        lose(SyncFailure.hubChanged(finding.description))
        receiver(.hubChanged(finding))
        return false
    }
}
