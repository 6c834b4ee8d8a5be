extension Contents {
    /// Joins other contents into these. Both have seen what they have seen, so what is in one only is either new to
    /// the other, or was done away with there.
    ///
    /// - Throws: `beyondLimit`, `deviceUsedTwice`. Then these are of no more use.
    mutating func join(_ other: Contents) throws(ChangeSetError) {
        var devices: [Int] = []
        for device in other.matrix.devices { devices.append(try matrix.intern(device)) }
        var joining = Joining(self, other, devices)
        let objects = intern(objectsOf: other, &joining)
        try checkNumbers(against: other, devices, objects)
        for object in other.objects.indices where other.exists(object) {
            try join(object, of: other, into: objects[object], &joining)
        }
        for object in joining.untouched where exists(object) && isOver(object, by: joining.otherApplied) {
            empty(object)
        }
        joinMatrix(other, joining)
    }

    /// Whether all that was done to an object is known to one who has it no longer.
    private func isOver(_ object: Int, by applied: [UInt64]) -> Bool {
        let all = marks.list(from: objects[object].edits) + marks.list(from: objects[object].deletions)
        return all.allSatisfy { $0.sequence <= applied[Int($0.device)] }
    }

    /// By number: the number that an object of other contents has here; -1 for one to which nothing was done.
    private mutating func intern(objectsOf other: Contents, _ joining: inout Joining) -> [Int] {
        var numbers = [Int](repeating: -1, count: other.objects.count)
        for theirs in other.objects.indices where other.exists(theirs) {
            let type = Int32(joining.name(other.objectNames.salt(of: theirs), &names, other))
            numbers[theirs] = objectNames.intern(other.objectNames[theirs], salt: type)
            makeObject(numbers[theirs])
        }
        return numbers
    }

    private mutating func join(
        _ theirs: Int,
        of other: Contents,
        into object: Int,
        _ joining: inout Joining
    ) throws(ChangeSetError) {
        joining.touch(object)
        let stored = other.objects[theirs]
        let edits = other.marks.list(from: stored.edits).map(joining.mark)
        let deletions = other.marks.list(from: stored.deletions).map(joining.mark)
        if exists(object) {
            joining.noteCommon(marks.list(from: objects[object].edits), edits)
            objects[object].edits = join(edits, objects[object].edits, joining)
            objects[object].deletions = join(deletions, objects[object].deletions, joining)
            try joinRegisters(of: object, theirs, other, &joining)
        } else if !(edits + deletions).allSatisfy({ $0.sequence <= joining.ownApplied[Int($0.device)] }) {
            for mark in edits { marks.push(mark, on: &objects[object].edits) }
            for mark in deletions { marks.push(mark, on: &objects[object].deletions) }
            joining.noteCommon([], [])
            for register in other.registers(of: theirs) {
                let property = Int32(joining.name(other.registers[register].property, &names, other))
                let own = self.register(Int32(object), property)
                for entry in other.entries.list(from: other.registers[register].entries) {
                    entries.push(joining.entry(entry), on: &registers[own].entries)
                }
                try joinText(other.texts[Int32(register)], into: own, joining)
            }
        }
    }

    /// Answers the chain's new head.
    private mutating func join(_ theirs: [Mark], _ chain: Int32, _ joining: Joining) -> Int32 {
        var head = chain
        let own = marks.list(from: head)
        marks.remove(from: &head, emptied: Self.noMark) { mark in
            mark.sequence <= joining.otherApplied[Int(mark.device)]
                && !theirs.contains { $0.device == mark.device && $0.sequence == mark.sequence }
        }
        for mark in theirs {
            if let same = own.first(where: { $0.device == mark.device && $0.sequence == mark.sequence }) {
                guard mark.isCovered, !same.isCovered else { continue }
                marks.update(head) {
                    if $0.device == mark.device, $0.sequence == mark.sequence { $0.isCovered = true }
                }
            } else if mark.sequence > joining.ownApplied[Int(mark.device)] {
                marks.push(mark, on: &head)
            }
        }
        return head
    }

    private mutating func joinRegisters(
        of object: Int,
        _ theirs: Int,
        _ other: Contents,
        _ joining: inout Joining
    ) throws(ChangeSetError) {
        var isJoined: Set<Int> = []
        for number in other.registers(of: theirs) {
            let property = Int32(joining.name(other.registers[number].property, &names, other))
            let register = self.register(Int32(object), property)
            isJoined.insert(register)
            let list = other.entries.list(from: other.registers[number].entries).map(joining.entry)
            try join(list, register, joining)
            try joinText(other.texts[Int32(number)], into: register, joining)
        }
        var number = objects[object].registers
        while number >= 0 {
            if !isJoined.contains(Int(number)) {
                try join([], Int(number), joining)
                try joinText(nil, into: Int(number), joining)
            }
            number = registers[Int(number)].next
        }
    }

    private mutating func join(
        _ theirs: [Entry],
        _ register: Int,
        _ joining: Joining
    ) throws(ChangeSetError) {
        let own = entries.list(from: registers[register].entries)
        if let entry = joining.doubled(own, theirs) ?? joining.doubled(theirs, own) {
            throw .deviceUsedTwice(device(entry), entry.sequence)
        }
        entries.remove(from: &registers[register].entries, emptied: Self.noEntry) { entry in
            if entry.kind == .increment {
                return theirs.contains { $0.isCounter(of: entry.device) && $0.sequence > entry.sequence }
            }
            return entry.sequence <= joining.otherApplied[Int(entry.device)]
                && !theirs.contains { $0.isSame(as: entry) }
        }
        for entry in theirs {
            let isNew =
                entry.kind == .increment
                ? !own.contains { $0.isCounter(of: entry.device) && $0.sequence >= entry.sequence }
                : entry.sequence > joining.ownApplied[Int(entry.device)]
            if isNew { entries.push(entry, on: &registers[register].entries) }
        }
    }

    private mutating func joinText(
        _ theirs: WovenText?,
        into register: Int,
        _ joining: Joining
    ) throws(ChangeSetError) {
        if let change = doubled(theirs, register, joining) {
            throw .deviceUsedTwice(matrix.devices[Int(change.device)], change.sequence)
        }
        guard let theirs else { return }
        if let name = texts[Int32(register), default: WovenText()].join(theirs, joining.devices) {
            throw .deviceUsedTwice(matrix.devices[Int(name.device)], name.sequence)
        }
    }

    /// A change of which one side has more scalars than the other, though it is all on both.
    private func doubled(_ theirs: WovenText?, _ register: Int, _ joining: Joining) -> Mark? {
        let own = texts[Int32(register)]
        guard own != nil || theirs != nil else { return nil }
        return joining.common.first { change in
            (own?.count(of: change) ?? 0) != (theirs?.count(of: change, devices: joining.devices) ?? 0)
        }
    }

    private mutating func joinMatrix(_ other: Contents, _ joining: Joining) {
        for (number, own) in joining.devices.enumerated() {
            matrix.noteApplied(own, other.matrix.applied[number], other.matrix.heard[number])
            for (seen, sequence) in other.matrix.rows[number].enumerated() {
                matrix.note(own, saw: joining.devices[seen], sequence)
            }
        }
    }
}

extension Entry {
    fileprivate func isCounter(of device: UInt16) -> Bool { kind == .increment && self.device == device }

    fileprivate func isSame(as other: Entry) -> Bool {
        device == other.device && sequence == other.sequence && kind == other.kind
            && ChangeValue.isIdentical(value, other.value)
    }
}

/// Which numbers here stand for which numbers there, and who had seen what before.
private struct Joining {
    let devices: [Int]
    /// Of the object that is joined, the edits that both know as its last ones: nobody who knew of one has edited it since, so
    /// all that this one did to it is on both sides.
    private(set) var common: [Mark] = []
    let ownApplied: [UInt64]
    /// By our numbers.
    let otherApplied: [UInt64]
    private var names: [Int32]
    private var isTouched: [Bool]

    init(_ own: Contents, _ other: Contents, _ devices: [Int]) {
        self.devices = devices
        ownApplied = own.matrix.applied
        var applied = [UInt64](repeating: 0, count: own.matrix.devices.count)
        for (number, device) in devices.enumerated() { applied[device] = other.matrix.applied[number] }
        otherApplied = applied
        names = Array(repeating: -1, count: other.names.count)
        isTouched = Array(repeating: false, count: own.objects.count)
    }

    mutating func name(_ number: Int32, _ own: inout NameTable, _ other: Contents) -> Int {
        if names[Int(number)] < 0 { names[Int(number)] = Int32(own.intern(other.names[Int(number)])) }
        return Int(names[Int(number)])
    }

    mutating func touch(_ object: Int) {
        if object < isTouched.count { isTouched[object] = true }
    }

    mutating func noteCommon(_ own: [Mark], _ theirs: [Mark]) {
        common = own.filter { mark in
            theirs.contains { $0.device == mark.device && $0.sequence == mark.sequence }
        }
    }

    /// A value that one side has of a change of which the other has another one, or none where it should have it.
    func doubled(_ entries: [Entry], _ others: [Entry]) -> Entry? {
        entries.first { entry in
            if others.contains(where: { $0.isSame(as: entry) }) { return false }
            let isCommon = common.contains { $0.device == entry.device && $0.sequence == entry.sequence }
            // A change puts in any number of elements, and sets or adds to a property once.
            return isCommon
                || entry.kind != .insert
                    && others.contains {
                        $0.device == entry.device && $0.sequence == entry.sequence && $0.kind == entry.kind
                    }
        }
    }

    var untouched: [Int] { isTouched.indices.filter { !isTouched[$0] } }

    func mark(_ mark: Mark) -> Mark {
        var mark = mark
        mark.device = UInt16(devices[Int(mark.device)])
        return mark
    }

    func entry(_ entry: Entry) -> Entry {
        var entry = entry
        entry.device = UInt16(devices[Int(entry.device)])
        return entry
    }
}
