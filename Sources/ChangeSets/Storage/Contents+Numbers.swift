/// Changes are known by their device and number. A copy of the data that was put back to a former state, and goes on under its
/// old id, gives numbers a second time: two states then have different changes by one name, and each seems to have seen
/// the other's.
extension Contents {
    /// What is left of a change anywhere.
    private struct Trace: Equatable {
        let sequence: UInt64
        let time: UInt64
        /// Each change is about one object.
        let object: Int
        let isDeletion: Bool
    }

    /// What is left of each device's changes, by its number.
    private typealias Traces = [[Trace]]

    /// Looks whether these contents and others that are to be joined can come from the same changes: that each number is one
    /// change of one time, that later numbers are of later times, and that what either has seen was over by then.
    ///
    /// What both have done away with leaves nothing to be told by.
    ///
    /// - Parameters:
    ///   - devices: By the other's number of a device ours.
    ///   - numbers: By the other's number of an object ours.
    /// - Throws: `deviceUsedTwice`.
    func checkNumbers(
        against other: Contents,
        _ devices: [Int],
        _ numbers: [Int]
    ) throws(ChangeSetError) {
        let count = matrix.devices.count
        var (own, theirs) = (Traces(repeating: [], count: count), Traces(repeating: [], count: count))
        collectTraces(into: &own, Array(0..<count)) { $0 }
        other.collectTraces(into: &theirs, devices) { numbers[$0] }
        var (applied, heard) = ([UInt64](repeating: 0, count: count), [UInt64](repeating: 0, count: count))
        for (number, device) in devices.enumerated() {
            (applied[device], heard[device]) = (other.matrix.applied[number], other.matrix.heard[number])
        }
        for device in 0..<count {
            let late =
                Self.first(of: own[device], seenBy: applied[device], after: heard[device])
                ?? Self.first(of: theirs[device], seenBy: matrix.applied[device], after: matrix.heard[device])
                ?? Self.firstDoubled(own[device] + theirs[device])
            if let late { throw .deviceUsedTwice(matrix.devices[device], late) }
        }
    }

    private func collectTraces(into traces: inout Traces, _ devices: [Int], _ number: (Int) -> Int) {
        func add(_ device: UInt16, _ trace: Trace) {
            let device = devices[Int(device)]
            // One change mostly has all of an object's properties, and many scalars of a text.
            if traces[device].last != trace { traces[device].append(trace) }
        }
        for object in objects.indices where exists(object) {
            let name = number(object)
            marks.forEach(from: objects[object].deletions) {
                add($0.device, Trace(sequence: $0.sequence, time: $0.time, object: name, isDeletion: true))
            }
            marks.forEach(from: objects[object].edits) {
                add($0.device, Trace(sequence: $0.sequence, time: $0.time, object: name, isDeletion: false))
            }
            forEachRegister(of: object) { register in
                entries.forEach(from: registers[register].entries) {
                    add(
                        $0.device,
                        Trace(sequence: $0.sequence, time: $0.time, object: name, isDeletion: false)
                    )
                }
                for scalar in texts[Int32(register)]?.scalars ?? [] {
                    let (sequence, time) = (scalar.name.sequence, scalar.time)
                    let trace = Trace(sequence: sequence, time: time, object: name, isDeletion: false)
                    add(scalar.name.device, trace)
                }
            }
        }
    }

    /// The number of a change that one has seen who had heard of its device at earlier times only.
    private static func first(of traces: [Trace], seenBy applied: UInt64, after heard: UInt64) -> UInt64? {
        traces.first { $0.sequence <= applied && $0.time > heard }?.sequence
    }

    /// A number that two changes have, or one of a time that is not after that of all numbers before it.
    private static func firstDoubled(_ traces: [Trace]) -> UInt64? {
        let sorted = traces.sorted { ($0.sequence, $0.time) < ($1.sequence, $1.time) }
        for (former, next) in zip(sorted, sorted.dropFirst()) {
            let isSo = former.sequence == next.sequence ? former == next : former.time < next.time
            if !isSo { return next.sequence }
        }
        return nil
    }
}
