/// What orders the writes of a store: a number that is greater than all that its writer had seen.
///
/// No clock is asked. One that is years ahead would have its device win whatever others write at the same time, for as long
/// as it is ahead.
package struct WriteNumber: Hashable, Comparable, Sendable {
    package let bits: UInt64

    /// Greater ones are taken from nobody: they would leave no room for what comes after.
    package static let bitsMax: UInt64 = (1 << 63) - 1
    /// With this a writer begins that has seen nothing. What gives way to all others has a lower one.
    package static let first = WriteNumber(bits: 1 << 32)

    package init(bits: UInt64) { self.bits = bits }

    package static func < (left: WriteNumber, right: WriteNumber) -> Bool { left.bits < right.bits }
}

/// Gives the numbers of one process's writes; never the same twice, never one that is not greater than what it has seen. At the greatest
/// that there is it stays there, and writers decide.
package struct WriteCounter: Hashable, Sendable {
    /// The greatest that it gave or saw.
    package private(set) var last = WriteNumber(bits: 0)

    /// A counter that has seen nothing.
    package init() {}

    /// The number of a write made now.
    ///
    /// - Parameter givesWay: Whether others' writes are later, though not seen yet.
    package mutating func next(givesWay: Bool = false) -> WriteNumber {
        let least = givesWay ? 0 : WriteNumber.first.bits
        last = WriteNumber(bits: min(WriteNumber.bitsMax, max(last.bits + 1, least)))
        return last
    }

    /// Notes a number that another has given.
    package mutating func observe(_ number: WriteNumber) { last = max(last, number) }
}
