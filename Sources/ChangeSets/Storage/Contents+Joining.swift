extension Contents {
    /// Joins other contents into these. Both have seen what they have seen, so what is in one only is either new to
    /// the other, or was done away with there.
    mutating func join(_ other: Contents) throws(ChangeSetError) {
        var devices: [Int] = []
        for device in other.matrix.devices { devices.append(try matrix.intern(device)) }
        var joining = Joining(self, other, devices)
        for object in other.objects.indices where other.exists(object) { join(object, of: other, &joining) }
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

    private mutating func join(_ theirs: Int, of other: Contents, _ joining: inout Joining) {
        let type = Int32(joining.name(other.objectNames.salt(of: theirs), &names, other))
        let object = objectNames.intern(other.objectNames[theirs], salt: type)
        makeObject(object)
        joining.touch(object)
        let stored = other.objects[theirs]
        let edits = other.marks.list(from: stored.edits).map(joining.mark)
        let deletions = other.marks.list(from: stored.deletions).map(joining.mark)
        if exists(object) {
            objects[object].edits = join(edits, objects[object].edits, joining)
            objects[object].deletions = join(deletions, objects[object].deletions, joining)
            joinRegisters(of: object, theirs, other, &joining)
        } else if !(edits + deletions).allSatisfy({ $0.sequence <= joining.ownApplied[Int($0.device)] }) {
            for mark in edits { marks.push(mark, on: &objects[object].edits) }
            for mark in deletions { marks.push(mark, on: &objects[object].deletions) }
            other.forEachRegister(of: theirs) { register in
                let property = Int32(joining.name(other.registers[register].property, &names, other))
                let own = self.register(Int32(object), property)
                for entry in other.entries.list(from: other.registers[register].entries) {
                    entries.push(joining.entry(entry), on: &registers[own].entries)
                }
                joinText(register, other, into: own, joining)
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
    ) {
        var isJoined: Set<Int> = []
        other.forEachRegister(of: theirs) { number in
            let property = Int32(joining.name(other.registers[number].property, &names, other))
            let register = self.register(Int32(object), property)
            isJoined.insert(register)
            let list = other.entries.list(from: other.registers[number].entries).map(joining.entry)
            join(list, register, joining)
            joinText(number, other, into: register, joining)
        }
        var number = objects[object].registers
        while number >= 0 {
            if !isJoined.contains(Int(number)) { join([], Int(number), joining) }
            number = registers[Int(number)].next
        }
    }

    private mutating func join(_ theirs: [Entry], _ register: Int, _ joining: Joining) {
        let own = entries.list(from: registers[register].entries)
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

    private mutating func joinText(_ theirs: Int, _ other: Contents, into register: Int, _ joining: Joining) {
        guard let text = other.texts[Int32(theirs)] else { return }
        texts[Int32(register), default: WovenText()].join(text, joining.devices)
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
