extension Replica {
    /// Drops change sets that every known device has seen, so that the log does not grow for ever. The data stays.
    ///
    /// - Parameters:
    ///   - milliseconds: The wall clock's, since 1970.
    ///   - silence: A device that has not been heard from for longer is not waited for; nil waits for all for ever.
    ///     Five days unless said otherwise. When such a device comes back, it is handed the state instead of the
    ///     changes (``encodedChanges(since:onlyOwn:)`` answers nil), and loses no edit of its own.
    /// - Returns: How many change sets were dropped.
    @discardableResult
    public mutating func compact(
        at milliseconds: UInt64,
        notWaitingAfter silence: Duration? = .seconds(5 * 86_400)
    ) -> Int {
        contents.matrix.noteAllSeen(by: own)
        let awaited = contents.matrix.devices.indices.filter { number in
            number == own || !isSilent(number, milliseconds, silence)
        }
        var count = 0
        for number in logs.indices {
            let before = logs[number].changes.count
            logs[number].drop(through: contents.matrix.seenByAll(number, among: awaited))
            count += before - logs[number].changes.count
        }
        return count
    }

    private func isSilent(_ number: Int, _ milliseconds: UInt64, _ silence: Duration?) -> Bool {
        guard let silence else { return false }
        let heard = Duration.milliseconds(HybridTime(bits: contents.matrix.heard[number]).milliseconds)
        return Duration.milliseconds(milliseconds) - heard > silence
    }

    /// Drops what is left of deleted objects, once every device that was ever known has seen the deletion.
    ///
    /// Nothing else calls this. A copy of the data that no device here has heard of may still hold such an object: if
    /// it is edited there, the object comes back with what that copy has of it. Objects whose type has `deletionWins`
    /// do not.
    ///
    /// - Returns: How many objects were dropped.
    @discardableResult
    public mutating func purgeDeleted() -> Int {
        contents.matrix.noteAllSeen(by: own)
        let all = Array(contents.matrix.devices.indices)
        let stable = all.map { contents.matrix.seenByAll($0, among: all) }
        var count = 0
        for object in contents.objects.indices where contents.isOver(object, stable) {
            guard !contents.isAlive(object, deletionRule(of: object)) else { continue }
            contents.empty(object)
            count += 1
        }
        return count
    }
}

extension Contents {
    /// Whether an object was deleted, and all that was done to it has been seen up to some numbers.
    fileprivate func isOver(_ object: Int, _ stable: [UInt64]) -> Bool {
        let stored = objects[object]
        guard stored.deletions >= 0, !hasUncoveredEdit(stored) else { return false }
        let all = marks.list(from: stored.edits) + marks.list(from: stored.deletions)
        return all.allSatisfy { $0.sequence <= stable[Int($0.device)] }
    }

    /// Leaves nothing of an object but its name.
    mutating func empty(_ object: Int) {
        marks.remove(from: &objects[object].edits, emptied: Self.noMark) { _ in true }
        marks.remove(from: &objects[object].deletions, emptied: Self.noMark) { _ in true }
        var number = objects[object].registers
        while number >= 0 {
            entries.remove(from: &registers[Int(number)].entries, emptied: Self.noEntry) { _ in true }
            texts[number] = nil
            number = registers[Int(number)].next
        }
    }
}
