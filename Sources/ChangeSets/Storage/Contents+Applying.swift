/// A change of one property as it is stored; in this order it takes the least room.
struct StoredEdit {
    var value: ChangeValue
    var kind: PropertyChange.Edit.Kind
    var property: Int32
}

/// Who made a change, and when.
struct Dot {
    var time: UInt64
    var sequence: UInt64
    var device: UInt16
}

extension Contents {
    /// Applies a change to an object. Its device's row says what it has seen, itself included.
    mutating func apply(
        _ action: ChangeSet.Action,
        to object: Int,
        _ edits: [StoredEdit],
        by dot: Dot
    ) {
        let seen = matrix.rows[Int(dot.device)]
        switch action {
        case .delete: markDeletion(object, dot, seen)
        case .add:
            markEdit(object, dot, seen)
            clear(object, seen)
        case .modify: markEdit(object, dot, seen)
        }
        for edit in edits { apply(edit, to: object, dot, seen) }
    }

    private mutating func markEdit(_ object: Int, _ dot: Dot, _ seen: [UInt64]) {
        marks.remove(from: &objects[object].edits, emptied: Self.noMark) { $0.isSeen(in: seen) }
        marks.remove(from: &objects[object].deletions, emptied: Self.noMark) { $0.isSeen(in: seen) }
        let mark = Mark(time: dot.time, sequence: dot.sequence, device: dot.device)
        marks.push(mark, on: &objects[object].edits)
    }

    private mutating func markDeletion(_ object: Int, _ dot: Dot, _ seen: [UInt64]) {
        marks.remove(from: &objects[object].deletions, emptied: Self.noMark) { $0.isSeen(in: seen) }
        marks.update(objects[object].edits) { if $0.isSeen(in: seen) { $0.isCovered = true } }
        let mark = Mark(time: dot.time, sequence: dot.sequence, device: dot.device)
        marks.push(mark, on: &objects[object].deletions)
    }

    /// What the maker of a new object had seen of an old one is over; counters go on.
    private mutating func clear(_ object: Int, _ seen: [UInt64]) {
        var number = objects[object].registers
        while number >= 0 {
            entries.remove(from: &registers[Int(number)].entries, emptied: Self.noEntry) {
                $0.kind != .increment && $0.isSeen(in: seen)
            }
            if !texts.isEmpty, let text = texts[number] {
                for (index, scalar) in text.scalars.enumerated()
                where Int(scalar.name.device) < seen.count
                    && seen[Int(scalar.name.device)] >= scalar.name.sequence
                {
                    texts[number]?.delete(Int32(index))
                }
            }
            number = registers[Int(number)].next
        }
    }

    private mutating func apply(_ edit: StoredEdit, to object: Int, _ dot: Dot, _ seen: [UInt64]) {
        let register = register(Int32(object), edit.property)
        switch edit.kind {
        case .set:
            entries.remove(from: &registers[register].entries, emptied: Self.noEntry) {
                $0.kind == .set && $0.isSeen(in: seen)
            }
        case .insert, .remove:
            entries.remove(from: &registers[register].entries, emptied: Self.noEntry) {
                $0.kind == .insert && $0.isSeen(in: seen) && ChangeValue.isIdentical($0.value, edit.value)
            }
            if edit.kind == .remove { return }
        case .increment:
            if addUp(edit, in: register, dot) { return }
        case .splice:
            // What cannot be read is let in nowhere.
            guard let splice = try? TextSplice(edit.value) else { return }
            texts[Int32(register), default: WovenText()].apply(splice, by: dot) { matrix.number(of: $0) }
            return
        }
        let entry = Entry(
            time: dot.time,
            sequence: dot.sequence,
            value: edit.value,
            kind: edit.kind,
            device: dot.device
        )
        entries.push(entry, on: &registers[register].entries)
    }

    /// A counter has one entry for each device: the sum of its increments.
    private mutating func addUp(_ edit: StoredEdit, in register: Int, _ dot: Dot) -> Bool {
        let found = entries.first(from: registers[register].entries) {
            $0.kind == .increment && $0.device == dot.device
        }
        guard found >= 0, case .integer(let sum) = entries[found].value, case .integer(let more) = edit.value
        else { return false }
        entries[found].value = .integer(sum &+ more)
        entries[found].sequence = dot.sequence
        entries[found].time = dot.time
        return true
    }
}

extension Mark {
    fileprivate func isSeen(in row: [UInt64]) -> Bool {
        Int(device) < row.count && row[Int(device)] >= sequence
    }
}

extension Entry {
    fileprivate func isSeen(in row: [UInt64]) -> Bool {
        Int(device) < row.count && row[Int(device)] >= sequence
    }
}
