extension Contents {
    func device(_ entry: Entry) -> DeviceID { matrix.devices[Int(entry.device)] }

    /// Whether one entry wins against another: by time, ties by device.
    func precedes(_ left: Entry, _ right: Entry) -> Bool {
        if left.time != right.time { return left.time < right.time }
        return left.device != right.device && device(left) < device(right)
    }

    /// Whether an object is there, by the rule of its type.
    func isAlive(_ object: Int, _ rule: DeletionRule) -> Bool {
        let stored = objects[object]
        // The most common object: nobody has deleted it.
        if stored.deletions < 0 { return hasUncoveredEdit(stored) }
        switch rule {
        case .editWins: return hasUncoveredEdit(stored)
        case .deletionWins: return false
        case .latestWins: return latest(stored.edits) > latest(stored.deletions)
        }
    }

    func hasUncoveredEdit(_ stored: StoredObject) -> Bool {
        marks.first(from: stored.edits) { !$0.isCovered } >= 0
    }

    /// The time of the latest, and its device.
    private func latest(_ head: Int32) -> (UInt64, DeviceID) {
        var latest = (UInt64(0), DeviceID(high: 0, low: 0))
        marks.forEach(from: head) {
            latest = max(latest, ($0.time, matrix.devices[Int($0.device)])) { $0 < $1 }
        }
        return latest
    }

    private func max(
        _ left: (UInt64, DeviceID),
        _ right: (UInt64, DeviceID),
        by precedes: ((UInt64, DeviceID), (UInt64, DeviceID)) -> Bool
    ) -> (UInt64, DeviceID) {
        precedes(left, right) ? right : left
    }

    /// What a property holds; nil when it holds nothing.
    func value(_ register: Int) -> ChangeValue? {
        if !texts.isEmpty, let text = texts[Int32(register)] { return .text(text.text(matrix.devices)) }
        let head = registers[register].entries
        guard head >= 0 else { return nil }
        var (number, winner) = (Int(head), Int(head))
        while number >= 0 {
            guard entries.elements[number].kind == .set else { return joined(entries.list(from: head)) }
            if number != winner, precedes(winner, number) { winner = number }
            number = Int(entries.elements[number].next)
        }
        return entries.elements[winner].value
    }

    /// As for entries, by their numbers: without a copy of them.
    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let (leftTime, rightTime) = (entries.elements[left].time, entries.elements[right].time)
        if leftTime != rightTime { return leftTime < rightTime }
        return precedes(entries.elements[left], entries.elements[right])
    }

    /// A text before elements before counters before single values: a property is meant to be changed in one way only.
    private func joined(_ list: [Entry]) -> ChangeValue? {
        if list.contains(where: { $0.kind == .insert }) { return .list(elements(list)) }
        let winner = list.filter { $0.kind == .set }.max(by: precedes)?.value
        let increments = list.filter { $0.kind == .increment }
        guard !increments.isEmpty else { return winner }
        var sum: Int64 = 0
        if case .integer(let start) = winner { sum = start }
        for case .integer(let more) in increments.map(\.value) { sum &+= more }
        return .integer(sum)
    }

    /// A set's elements, each once, in an order that is the same on every device.
    private func elements(_ list: [Entry]) -> [ChangeValue] {
        var elements: [ChangeValue] = []
        let sorted = list.filter { $0.kind == .insert }.map(\.value).sorted(by: ChangeValue.precedes)
        for value in sorted where elements.last.map({ !ChangeValue.isIdentical($0, value) }) ?? true {
            elements.append(value)
        }
        return elements
    }

    /// The values that did not know of each other, from the oldest to the one that counts.
    func rivals(_ register: Int) -> [Entry] {
        let head = registers[register].entries
        guard head >= 0, entries[head].next >= 0 else { return [] }
        let list = entries.list(from: head).filter { $0.kind == .set }.sorted(by: precedes)
        guard let last = list.last, list.contains(where: { !ChangeValue.isIdentical($0.value, last.value) })
        else { return [] }
        return list
    }
}
