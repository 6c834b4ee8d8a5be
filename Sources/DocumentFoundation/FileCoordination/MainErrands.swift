/// What is to be done on the main queue: in its turn there, or before that by a caller that keeps the queue from running.
struct MainErrands: Sendable {
    typealias Errand = @MainActor @Sendable () -> Void

    private var errands: [(number: UInt64, errand: Errand)] = []
    private var count: UInt64 = 0

    var isEmpty: Bool { errands.isEmpty }

    /// Puts one behind those that are there.
    ///
    /// - Returns: The number by which it is taken in its turn.
    mutating func put(_ errand: @escaping Errand) -> UInt64 {
        count += 1
        errands.append((count, errand))
        return count
    }

    /// Takes one, unless it has been done before its turn.
    mutating func take(_ number: UInt64) -> Errand? {
        guard let place = errands.firstIndex(where: { $0.number == number }) else { return nil }
        return errands.remove(at: place).errand
    }

    /// Takes the one that has been there longest.
    mutating func takeNext() -> Errand? { errands.isEmpty ? nil : errands.removeFirst().errand }
}
