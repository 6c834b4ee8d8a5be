internal import Sync

// Lines between devices and the hub, and what goes over them.
extension SyncWorld {
    mutating func hear(_ index: Int) {
        guard !devices[index].news.isEmpty else { return }
        let news = devices[index].news.removeFirst()
        let device = DeviceID(UInt64(index + 1))
        guard let event = bug.map({ $0.heard(news, by: device) }) ?? news else { return }
        if case .logRead(let entries) = event {
            for entry in entries where entry.position == LogPosition(devices[index].read.count + 1) {
                devices[index].read.append(entry)
            }
        }
        if event == .reconnected {
            devices[index].hasLine = devices[index].isOnline && devices[index].metHub == hubNumber
            giveUpCommits(of: index)
        }
        if case .brakeUndone(let direction) = event { discardBraked(direction, on: index) }
        if case .wantedBack(let items) = event { discardReplaced(items, on: index) }
        let effects = devices[index].engine.take(event)
        if bug == nil { lookForReasons(index) }
        send(effects, from: index)
    }

    /// A device takes for lost what it has no answer to.
    private mutating func giveUpCommits(of index: Int) {
        for case .toHub(index, .commit(let commit)) in letters { givenUp.insert(commit.id) }
        let engine = devices[index].engine
        let isAnswered = hub.log.entries(after: engine.tree.position).contains { entry in
            entry.commit.id.device == DeviceID(UInt64(index + 1)) && engine.isCommitting(entry.commit.item)
        }
        if isAnswered { hasStragglers = true }
    }

    private mutating func send(_ effects: [SyncEngine.Effect], from index: Int) {
        if brakePercent != nil { lookAtBrakes(effects, of: index) }
        for wanted in effects {
            trace.mix(wanted)
            var effect = wanted
            if let bug { effect = bug.done(wanted, isRetry: isRetry(wanted, by: index)) }
            switch effect {
            case .place, .remove, .become, .merge: devices[index].work.append(effect)
            // Bytes that are here are not fetched.
            case .fetch(let content) where devices[index].blobs.contains(content):
                devices[index].news.append(.fetched(content))
            case .upload(let content) where !devices[index].blobs.contains(content):
                broken.append("device \(index) is to send \(content.value), which it does not have")
            case .upload, .fetch, .commit:
                if devices[index].hasLine { letters.append(.toHub(from: index, effect)) }
            }
        }
    }

    /// Every item that differs says what it waits for: nothing is about to be looked at once an engine has answered.
    private mutating func lookForReasons(_ index: Int) {
        let engine = devices[index].engine
        guard let item = engine.differing.min(), engine.knowsDisk else { return }
        for item in engine.differing where engine.reasons(for: item) == [.due] {
            return broken.append("device \(index) does not say why \(item) differs")
        }
        _ = item
    }

    /// Nothing goes on that waits for a person.
    private mutating func lookAtBrakes(_ effects: [SyncEngine.Effect], of index: Int) {
        let engine = devices[index].engine
        for direction in SyncBrake.Direction.allCases {
            let items = engine.brakedItems(direction)
            guard !items.isEmpty else { continue }
            for effect in effects {
                switch (direction, effect) {
                case (.leaving, .commit(let commit)) where items.contains(commit.item):
                    broken.append("device \(index) does not wait for a person: \(effect)")
                case (.arriving, .remove(let item, _)) where items.contains(item):
                    broken.append("device \(index) does not wait for a person: \(effect)")
                case (.arriving, .place(let item, let state, let expected?))
                where items.contains(item) && state.content != expected.content:
                    broken.append("device \(index) does not wait for a person: \(effect)")
                default: break
                }
            }
        }
    }

    private mutating func isRetry(_ effect: SyncEngine.Effect, by index: Int) -> Bool {
        guard case .commit(let commit) = effect else { return false }
        return !devices[index].offers.insert(commit.item).inserted
    }

    // MARK: Lines

    mutating func goOffline(_ index: Int) {
        (devices[index].isOnline, devices[index].hasLine) = (false, false)
        // What is under way to it is lost; what it has sent may come later, or never.
        letters.removeAll { if case .toDevice(index, _) = $0 { true } else { false } }
    }

    mutating func goOnline(_ index: Int) {
        guard !devices[index].isOnline else { return }
        devices[index].isOnline = true
        connect(index)
    }

    /// A device meets the hub: it compares what it has read with what the hub has, reads on, and then has a line.
    private mutating func connect(_ index: Int) {
        if devices[index].metHub != hubNumber { goBack(index) }
        devices[index].news.append(
            .logRead(Array(hub.log.entries(after: devices[index].engine.tree.position)))
        )
        devices[index].news.append(.reconnected)
    }

    private mutating func goBack(_ index: Int) {
        // What had come before is heard first, whatever it is.
        while !devices[index].news.isEmpty { hear(index) }
        devices[index].metHub = hubNumber
        let sharedCount = zip(devices[index].read, hub.log.entries).prefix { $0 == $1 }.count
        guard devices[index].read.count > sharedCount, bug != .unheededRestore else { return }
        tell { "device \(index): goes back from entry \($0.devices[index].read.count) to \(sharedCount)" }
        devices[index].read.removeSubrange(sharedCount...)
        let effects = devices[index].engine.rewind(to: devices[index].read)
        if bug == nil { lookForReasons(index) }
        send(effects, from: index)
    }

    mutating func readLog(_ index: Int, count: Int) {
        guard devices[index].isOnline, devices[index].metHub == hubNumber else { return }
        let from = devices[index].engine.tree.position
        letters.append(.toDevice(index, .logRead(Array(hub.log.entries(after: from).prefix(count)))))
    }

    // MARK: Processes

    /// The process dies, and another goes on with what is on the disk.
    mutating func kill(_ index: Int) {
        tell { _ in "device \(index): killed" }
        mayConflict.formUnion(putBack[index] ?? [])
        restart(index, from: Backup(engine: devices[index].engine, read: devices[index].read))
    }

    mutating func restoreMemory(_ index: Int) {
        tell { _ in "device \(index): killed, its memory put back to a backup" }
        hasForgotten = true
        // Which hub it had met it does not know any more.
        devices[index].metHub = -1
        restart(index, from: devices[index].backup)
    }

    private mutating func restart(_ index: Int, from kept: Backup) {
        letters.removeAll { if case .toDevice(index, _) = $0 { true } else { false } }
        for case .placed(let item) in devices[index].news {
            mayReturn.insert(item)
            // What of an item is in a conflict with it no disk has: that is in the memory, which has not heard of it yet.
            let remembered = devices[index].engine.disk[item]?.conflicts ?? []
            devices[index].disk[item]?.conflicts.formIntersection(remembered)
        }
        sessionCount += 1
        devices[index].engine = SyncEngine(
            device: DeviceID(UInt64(index + 1)),
            session: sessionCount,
            kept.engine.memory,
            entries: kept.read
        )
        devices[index].engine.brakeLimits = brakeLimits
        devices[index].engine.areAlike = Self.areAlike
        devices[index].read = kept.read
        devices[index].work = []
        devices[index].hasLine = false
        devices[index].news = [
            .evicted(devices[index].dataless), .paused(devices[index].paused),
            .scanned(bug == .missingRoot ? [:] : devices[index].disk),
        ]
        if devices[index].isOnline { connect(index) }
    }

    // MARK: Letters

    mutating func deliver(_ number: Int) {
        guard !letters.isEmpty else { return }
        switch letters.remove(at: number % letters.count) {
        case .toDevice(let index, let event):
            guard devices[index].isOnline else { return }
            if case .fetched(let content) = event { devices[index].blobs.insert(content) }
            devices[index].news.append(event)
        case .toHub(let index, let effect): letters += answers(to: effect, from: index)
        }
    }

    // MARK: The hub

    /// Has the hub do what it is asked for, and says what it answers to whom.
    private mutating func answers(to effect: SyncEngine.Effect, from index: Int) -> [Letter] {
        switch effect {
        case .upload(let content):
            // What is not there any more cannot be sent.
            guard devices[index].blobs.contains(content) else { return [] }
            if bug != .unsentContents { hub.blobs.insert(content) }
            if bug == .undurableUpload { lastUpload = content }
            return [.toDevice(index, .uploaded(content))]
        case .fetch(let content):
            if !hub.blobs.contains(content) { broken.append("\(content.value) is not at the hub") }
            return [.toDevice(index, .fetched(content))]
        case .commit(let commit): return answers(to: commit, from: index)
        case .place, .remove, .become, .merge: return []
        }
    }

    private mutating func answers(to wanted: Commit, from index: Int) -> [Letter] {
        var commit = wanted
        if let missing = commit.state?.contents.subtracting(hub.blobs).min() {
            broken.append("\(missing.value) was committed before it was at the hub")
        }
        let isForced = bug == .staleCommit || bug == .removalBeatsEdit && commit.state == nil
        if isForced { commit.base = hub.log.entries.last { $0.commit.item == commit.item }?.position ?? 0 }
        let head = hub.log.head
        switch hub.log.offer(commit) {
        case .refused(let position): return [.toDevice(index, .commitRefused(commit.id, readTo: position))]
        case .accepted:
            if hub.log.head > head {
                if givenUp.contains(commit.id) { hasStragglers = true }
                tell {
                    "the hub: entry \($0.hub.log.head) is \(commit.item) \($0.text(commit.state)) by device \(index)"
                }
            }
            let latest = Array(hub.log.entries.suffix(5))
            return devices.indices.map { .toDevice($0, .logRead(latest)) }
        }
    }

    mutating func backUpHub() {
        hubBackups.append(hub)
        if hubBackups.count > 4 { hubBackups.removeFirst() }
    }

    /// The hub dies in the middle of one letter; all lines break, and it is there again.
    mutating func crashHub(_ number: Int, hasWritten: Bool) {
        if hasWritten {
            if let (position, index, effect) = written(number) {
                letters.remove(at: position)
                _ = answers(to: effect, from: index)
            }
        } else if !letters.isEmpty {
            letters.remove(at: number % letters.count)
        }
        if let content = lastUpload { hub.blobs.remove(content) }
        tell { _ in "the hub: dies and comes again" }
        cutLines()
    }

    /// The hub has what a backup had: one that was made, or what was there after some entry.
    mutating func restoreHub(_ number: Int) {
        let held = heldMarks()
        defer { evaporated.formUnion(held.subtracting(heldMarks())) }
        hub = hubBackup(number)
        tell { "the hub: put back to entry \($0.hub.log.head)" }
        (hasForgotten, hubNumber) = (true, hubNumber + 1)
        cutLines()
    }

    /// One of the letters to the hub: where it is, whose, and what it asks for.
    func written(_ number: Int) -> (position: Int, index: Int, effect: SyncEngine.Effect)? {
        let all = letters.enumerated().compactMap { position, letter in
            if case .toHub(let index, let effect) = letter { (position, index, effect) } else { nil }
        }
        return all.isEmpty ? nil : all[number % all.count]
    }

    func hubBackup(_ number: Int) -> Hub {
        if number % 2 == 1, !hubBackups.isEmpty { return hubBackups[number / 2 % hubBackups.count] }
        var older = Hub()
        for entry in hub.log.entries.prefix(number / 2 % (hub.log.entries.count + 1)) {
            _ = older.log.offer(entry.commit)
            older.blobs.formUnion(entry.commit.state?.contents ?? [])
        }
        return older
    }

    private mutating func cutLines() {
        letters = []
        for index in devices.indices { devices[index].hasLine = false }
        for index in devices.indices where devices[index].isOnline { connect(index) }
    }
}
