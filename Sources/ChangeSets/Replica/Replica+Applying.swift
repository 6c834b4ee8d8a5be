extension Replica {
    /// What applying change sets did.
    public struct Outcome: Hashable, Sendable {
        /// How many changes were applied, those included that had been waiting.
        public internal(set) var appliedCount = 0
        /// How many had been applied before.
        public internal(set) var repeatedCount = 0
        /// The objects that changes were applied to, by type and id, each once.
        public internal(set) var objects: Set<ObjectReference> = []
    }

    /// An object by type and id.
    public struct ObjectReference: Hashable, Sendable {
        /// The name of the object's type.
        public let type: String
        /// Which object of its type.
        public let id: String
    }

    /// Applies change sets of other devices, each once, in an order in which none comes before one that it rests on.
    ///
    /// A change that rests on one that has not come yet waits for it (``waitingCount``).
    ///
    /// - Parameter encoded: What ``encodedChanges(since:onlyOwn:)`` gave, on any device.
    /// - Throws: `malformed`, `versionUnknown`, `beyondLimit`, `deviceUsedTwice`. Nothing was applied then.
    @discardableResult
    public mutating func apply(_ encoded: some Collection<UInt8>) throws(ChangeSetError) -> Outcome {
        var touched: [Int32]? = []
        let (applied, repeated) = try apply(Batch(Array(encoded)), &touched)
        var outcome = Outcome(appliedCount: applied, repeatedCount: repeated)
        for object in touched ?? [] { outcome.objects.insert(reference(to: Int(object))) }
        return outcome
    }

    /// Applies change sets, as `apply(_:)` does, without telling which objects they are about.
    ///
    /// - Parameter encoded: What ``encodedChanges(since:onlyOwn:)`` gave, on any device.
    /// - Returns: How many changes were applied.
    /// - Throws: As `apply(_:)` does.
    @discardableResult
    public mutating func applyAll(_ encoded: some Collection<UInt8>) throws(ChangeSetError) -> Int {
        var untold: [Int32]?
        return try apply(Batch(Array(encoded)), &untold).applied
    }

    /// Applies change sets, as `apply(_:)` does.
    @discardableResult
    public mutating func apply(_ changeSets: [ChangeSet]) throws(ChangeSetError) -> Outcome {
        let encoded = try ChangeSetCoding.encode(changeSets)
        return try apply(encoded)
    }

    func reference(to object: Int) -> ObjectReference {
        ObjectReference(
            type: contents.names[Int(contents.objectNames.salt(of: object))],
            id: contents.objectNames[object]
        )
    }

    private mutating func apply(
        _ batch: Batch,
        _ touched: inout [Int32]?  // nil: nobody wants to know
    ) throws(ChangeSetError) -> (applied: Int, repeated: Int) {
        try checkRepeated(batch)
        try checkRoom(for: batch)
        var applying = try Applying(batch, &contents)
        while logs.count < contents.matrix.devices.count { logs.append(ChangeLog()) }
        let repeatedCount = applying.skipRepeated(contents.matrix.applied)
        reserve(for: applying)
        while try advance(&applying, &touched) {}
        try keepWaiting(applying)
        noteReport(applying)
        applying.appliedCount += applyWaiting(&touched)
        return (applying.appliedCount, repeatedCount)
    }

    /// A number that is taken must be the same change: else two copies of the data call themselves one device.
    private func checkRepeated(_ batch: Batch) throws(ChangeSetError) {
        for run in batch.runs {
            guard let device = contents.matrix.number(of: batch.devices[run.device]) else { continue }
            for index in run.changes {
                let sequence = run.first + UInt64(index - run.changes.lowerBound)
                guard sequence < logs[device].next else { break }
                if let known = logs[device].time(of: sequence), known != batch.times[index] {
                    throw .deviceUsedTwice(contents.matrix.devices[device], sequence)
                }
            }
        }
    }

    private func checkRoom(for batch: Batch) throws(ChangeSetError) {
        let unknown = batch.devices.count { contents.matrix.number(of: $0) == nil }
        guard contents.matrix.devices.count + unknown <= ChangeLimits.deviceCountMax else {
            throw .beyondLimit("devices that share the data", ChangeLimits.deviceCountMax)
        }
        let most =
            max(contents.entries.elements.count, contents.objects.count) + batch.editCount
            + batch.changeCount
        let bytes = contents.objectNames.byteCount + contents.names.byteCount + batch.bytes.count
        guard max(most, bytes) <= ChangeLimits.itemCountMax else {
            throw .beyondLimit("values of a replica", ChangeLimits.itemCountMax)
        }
    }

    private mutating func reserve(for applying: Applying) {
        let batch = applying.batch
        // Doubling copies what is large; small batches grow as they come.
        guard batch.changeCount >= 10_000 else { return }
        contents.reserve(changes: batch.changeCount, edits: batch.editCount)
        for run in batch.runs {
            logs[applying.devices[run.device]].reserve(changes: run.changes.count, edits: run.changes.count)
        }
    }

    /// Goes on in each run as far as it goes. Answers whether it went on anywhere.
    private mutating func advance(
        _ applying: inout Applying,
        _ touched: inout [Int32]?
    ) throws(ChangeSetError) -> Bool {
        var hasAdvanced = false
        for number in applying.batch.runs.indices {
            let run = applying.batch.runs[number]
            let device = applying.devices[run.device]
            while applying.cursors[number] < run.changes.upperBound {
                let index = applying.cursors[number]
                let sequence = run.first + UInt64(index - run.changes.lowerBound)
                let applied = contents.matrix.applied[device]
                if sequence > applied {
                    guard sequence == applied + 1 else { break }
                    try applying.read(index)
                    guard isReady(applying.change) else { break }
                    let object = apply(&applying, device, sequence)
                    touched?.append(Int32(object))
                    applying.appliedCount += 1
                }
                applying.cursors[number] += 1
                hasAdvanced = true
            }
        }
        return hasAdvanced
    }

    /// Whether all that a change has seen is here.
    private func isReady(_ change: Batch.Change) -> Bool {
        change.seen.allSatisfy { contents.matrix.applied[Int($0.device)] >= $0.sequence }
    }

    /// Applies the change that was read last.
    private mutating func apply(_ applying: inout Applying, _ device: Int, _ sequence: UInt64) -> Int {
        let object = applying.object(&contents)
        let time = applying.change.time
        for item in applying.change.seen {
            contents.matrix.note(device, saw: Int(item.device), item.sequence)
        }
        contents.matrix.noteApplied(device, sequence, time)
        clock.observe(HybridTime(bits: time))
        contents.apply(
            applying.change.action,
            to: object,
            applying.change.edits,
            by: Dot(time: time, sequence: sequence, device: UInt16(device))
        )
        logs[device].append(
            applying.change.action,
            object,
            time: time,
            applying.change.edits,
            seen: applying.change.seen
        )
        return object
    }

    private mutating func keepWaiting(_ applying: Applying) throws(ChangeSetError) {
        var room = ChangeLimits.waitingCountMax - waitingCount
        for (number, run) in applying.batch.runs.enumerated() {
            for index in applying.cursors[number]..<run.changes.upperBound where room > 0 {
                let change = try ChangeSetCoding.changeSet(index, of: run, in: applying.batch)
                waiting[applying.devices[run.device], default: [:]][change.sequence] = change
                room -= 1
            }
        }
    }

    /// What the sender has seen. It counts only when all of the sender's changes up to then are here, as these
    /// might have been made when it had seen less.
    private mutating func noteReport(_ applying: Applying) {
        guard let report = applying.batch.report else { return }
        let device = applying.devices[report.device]
        let own = report.seen.first { $0.device == report.device }?.sequence ?? 0
        guard device != self.own, contents.matrix.applied[device] >= own else { return }
        for item in report.seen {
            contents.matrix.note(device, saw: applying.devices[Int(item.device)], item.sequence)
        }
        contents.matrix.noteHeard(device, report.time)
        clock.observe(HybridTime(bits: report.time))
    }

    /// Applies what has waited for what came now.
    mutating func applyWaiting(_ touched: inout [Int32]?) -> Int {
        guard !waiting.isEmpty else { return 0 }
        var count = 0
        var hasAdvanced = true
        while hasAdvanced {
            hasAdvanced = false
            for device in waiting.keys.sorted() {
                let applied = contents.matrix.applied[device]
                waiting[device] = waiting[device]?.filter { $0.key > applied }
                while let change = waiting[device]?[contents.matrix.applied[device] + 1],
                    vector.covers(change.seen)
                {
                    waiting[device]?[change.sequence] = nil
                    touched?.append(Int32(apply(change, device)))
                    hasAdvanced = true
                    count += 1
                }
                if waiting[device]?.isEmpty ?? true { waiting[device] = nil }
            }
        }
        return count
    }

    private mutating func apply(_ change: ChangeSet, _ device: Int) -> Int {
        var seen: [SeenUpTo] = []
        for other in change.seen.devices {
            // What is covered by the vector has a number.
            guard let number = contents.matrix.number(of: other) else { continue }
            contents.matrix.note(device, saw: number, change.seen[other])
            seen.append(SeenUpTo(device: Int32(number), sequence: change.seen[other]))
        }
        contents.matrix.noteApplied(device, change.sequence, change.time.bits)
        clock.observe(change.time)
        let edits = change.changes.map { edit in
            let (kind, value) = edit.edit.parts
            return StoredEdit(value: value, kind: kind, property: Int32(contents.names.intern(edit.property)))
        }
        let object = contents.objectNames.intern(
            change.objectID,
            salt: Int32(contents.names.intern(change.objectType))
        )
        contents.makeObject(object)
        contents.apply(
            change.action,
            to: object,
            edits,
            by: Dot(time: change.time.bits, sequence: change.sequence, device: UInt16(device))
        )
        logs[device].append(change.action, object, time: change.time.bits, edits, seen: seen)
        return object
    }
}

/// A batch on its way into a replica: how far it got, and which of the replica's numbers its own stand for.
private struct Applying {
    let batch: Batch
    let devices: [Int]
    private var names: [Int32] = []
    /// One for all changes: to make one costs as much as to read a change.
    private var reader: ByteReader
    /// The next change of each run.
    var cursors: [Int]
    var appliedCount = 0
    /// The change that was read last, by the replica's numbers.
    private(set) var change = Batch.Change()

    /// There is room for the batch's devices.
    init(_ batch: Batch, _ contents: inout Contents) throws(ChangeSetError) {
        var devices: [Int] = []
        for device in batch.devices { devices.append(try contents.matrix.intern(device)) }
        self.batch = batch
        self.devices = devices
        reader = ByteReader(batch.bytes)
        cursors = batch.runs.map(\.changes.lowerBound)
        for name in batch.names.indices { names.append(Int32(contents.names.intern(batch.name(name)))) }
    }

    /// Passes over what has been applied before. Answers how many changes that are.
    mutating func skipRepeated(_ applied: [UInt64]) -> Int {
        var count = 0
        for (number, run) in batch.runs.enumerated() where run.first <= applied[devices[run.device]] {
            let known = min(UInt64(run.changes.count), applied[devices[run.device]] - run.first + 1)
            cursors[number] += Int(known)
            count += Int(known)
        }
        return count
    }

    mutating func read(_ index: Int) throws(ChangeSetError) {
        try batch.read(index, by: &reader, into: &change)
        for place in change.edits.indices {
            change.edits[place].property = names[Int(change.edits[place].property)]
        }
        for place in change.seen.indices {
            change.seen[place].device = Int32(devices[Int(change.seen[place].device)])
        }
    }

    /// The object of the change that was read last.
    func object(_ contents: inout Contents) -> Int {
        let object = batch.bytes.withUnsafeBufferPointer { bytes in
            contents.objectNames.intern(
                UnsafeBufferPointer(rebasing: bytes[change.id]),
                salt: names[change.type]
            )
        }
        contents.makeObject(object)
        return object
    }
}
