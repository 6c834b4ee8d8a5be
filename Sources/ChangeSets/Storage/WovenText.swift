/// A text that several devices write: every scalar that was ever put in, and the one that it was put behind.
///
/// The order is that of a walk through the tree of what was put behind what, later ones first (a replicated growable
/// array: Roh and others, 2011). It depends on the scalars alone, not on the order in which they came.
struct WovenText: Sendable {
    /// What names a scalar.
    struct Name: Hashable, Sendable {
        var device: UInt16
        var sequence: UInt64
        var offset: Int32
    }

    struct Scalar: Sendable {
        var name: Name
        var time: UInt64
        /// The number of the one that it was put behind, -1 for the start.
        var before: Int32
        var scalar: Unicode.Scalar
        var isDeleted = false
    }

    /// None comes before the one that it was put behind.
    private(set) var scalars: [Scalar] = []
    private var numbers: [Name: Int32] = [:]

    func number(_ name: Name) -> Int32? { numbers[name] }

    mutating func append(_ scalar: Scalar) {
        guard numbers[scalar.name] == nil else { return }
        numbers[scalar.name] = Int32(scalars.count)
        scalars.append(scalar)
    }

    mutating func delete(_ number: Int32) {
        scalars[Int(number)].isDeleted = true
    }

    /// Takes a change in. What it refers to is here, as changes come after what they have seen; if a broken one does
    /// not, it is put at the start.
    mutating func apply(_ splice: TextSplice, by dot: Dot, _ deviceNumber: (DeviceID) -> Int?) {
        for run in splice.deletions {
            guard let device = deviceNumber(run.device) else { continue }
            for offset in run.offsets {
                let name = Name(device: UInt16(device), sequence: run.sequence, offset: Int32(offset))
                // Runs of made-up length end where the text does.
                guard let number = numbers[name] else { break }
                delete(number)
            }
        }
        var offset = Int32(0)
        for insertion in splice.insertions {
            var before: Int32 = -1
            if let run = insertion.after, let device = deviceNumber(run.device) {
                let last = Int32(run.offsets.upperBound - 1)
                before = numbers[Name(device: UInt16(device), sequence: run.sequence, offset: last)] ?? -1
            }
            for scalar in insertion.text.unicodeScalars {
                // One change may touch a text twice; its scalars are counted on.
                while numbers[Name(device: dot.device, sequence: dot.sequence, offset: offset)] != nil {
                    offset += 1
                }
                let name = Name(device: dot.device, sequence: dot.sequence, offset: offset)
                append(Scalar(name: name, time: dot.time, before: before, scalar: scalar))
                before = Int32(scalars.count - 1)
            }
        }
    }

    /// The numbers of all scalars in the text's order, deleted ones, too.
    func order(_ devices: [DeviceID]) -> [Int32] {
        // Of each scalar what was put behind it, the latest last, so that it is taken from the stack first.
        var behind = [[Int32]](repeating: [], count: scalars.count + 1)
        for (number, scalar) in scalars.enumerated() { behind[Int(scalar.before) + 1].append(Int32(number)) }
        for index in behind.indices where behind[index].count > 1 {
            behind[index].sort { precedes(scalars[Int($0)], scalars[Int($1)], devices) }
        }
        var (order, stack) = ([Int32](), behind[0])
        order.reserveCapacity(scalars.count)
        while let number = stack.popLast() {
            order.append(number)
            stack += behind[Int(number) + 1]
        }
        return order
    }

    private func precedes(_ left: Scalar, _ right: Scalar, _ devices: [DeviceID]) -> Bool {
        if left.time != right.time { return left.time < right.time }
        let (first, second) = (devices[Int(left.name.device)], devices[Int(right.name.device)])
        if first != second { return first < second }
        // Of one change what was put in first stands first.
        return left.name.offset > right.name.offset
    }

    func text(_ devices: [DeviceID]) -> String {
        var text = String.UnicodeScalarView()
        for number in order(devices) where !scalars[Int(number)].isDeleted {
            text.append(scalars[Int(number)].scalar)
        }
        return String(text)
    }

    /// What leads from the text to another one: all between what is the same at both ends.
    func splice(to text: String, _ devices: [DeviceID]) -> TextSplice? {
        let shown = order(devices).filter { !scalars[Int($0)].isDeleted }
        let (old, new) = (shown.map { scalars[Int($0)].scalar }, Array(text.unicodeScalars))
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        guard start < oldEnd || start < newEnd else { return nil }
        var inserted = String.UnicodeScalarView()
        inserted.append(contentsOf: new[start..<newEnd])
        let after = start == 0 ? nil : runs(shown[start - 1..<start], devices).first
        return TextSplice(
            deletions: runs(shown[start..<oldEnd], devices),
            insertions: newEnd > start ? [TextSplice.Insertion(after: after, text: String(inserted))] : []
        )
    }

    private func runs(_ numbers: ArraySlice<Int32>, _ devices: [DeviceID]) -> [TextSplice.Run] {
        var runs: [TextSplice.Run] = []
        for number in numbers {
            let name = scalars[Int(number)].name
            let device = devices[Int(name.device)]
            if let last = runs.last, last.device == device, last.sequence == name.sequence,
                last.offsets.upperBound == Int(name.offset)
            {
                runs.removeLast()
                let offsets = last.offsets.lowerBound..<Int(name.offset) + 1
                runs.append(TextSplice.Run(device: device, sequence: name.sequence, offsets: offsets))
            } else {
                let offsets = Int(name.offset)..<Int(name.offset) + 1
                runs.append(TextSplice.Run(device: device, sequence: name.sequence, offsets: offsets))
            }
        }
        return runs
    }

    /// Takes another replica's text in, whose devices have these numbers here.
    ///
    /// - Returns: The name of a scalar that is another one there: then two changes have one number.
    mutating func join(_ other: WovenText, _ devices: [Int]) -> Name? {
        var places: [Int32] = []
        for scalar in other.scalars {
            var own = scalar
            own.name.device = UInt16(devices[Int(scalar.name.device)])
            own.before = scalar.before < 0 ? -1 : places[Int(scalar.before)]
            if let known = numbers[own.name], !scalars[Int(known)].isSame(as: own) { return own.name }
            append(own)
            // It is there now, or was before.
            let number = numbers[own.name] ?? -1
            places.append(number)
            if scalar.isDeleted, number >= 0 { delete(number) }
        }
        return nil
    }

    /// How many scalars a change has put in.
    ///
    /// - Parameter devices: The numbers that the change's maker knows the text's devices by; nil where they are the same.
    func count(of change: Mark, devices: [Int]? = nil) -> Int {
        scalars.count { scalar in
            let device = Int(scalar.name.device)
            return scalar.name.sequence == change.sequence
                && (devices.map { $0[device] } ?? device) == Int(change.device)
        }
    }
}

extension WovenText.Scalar {
    /// Whether it is what another replica has under its name. One that was put behind what is nowhere any more is at the
    /// start.
    fileprivate func isSame(as other: WovenText.Scalar) -> Bool {
        scalar == other.scalar && time == other.time
            && (before == other.before || before < 0 || other.before < 0)
    }
}
