// How a network is that keeps nothing of what networks promise.

/// One thing that a line does to a message.
public enum LineFault: String, Hashable, Sendable, CaseIterable {
    /// The hub never hears of it, and the device waits in vain for an answer.
    case lost
    /// The hub does what it is asked for, and its answer is lost.
    case unanswered
    /// The hub gets it twice.
    case doubled
    /// The device takes it for lost; the hub gets it after what the device has sent later.
    case late
}

/// How often what goes wrong on a device's line to the hub.
public struct LineFaults: Hashable, Sendable {
    /// Of all messages the share, 0 to 1, that a fault befalls; together 1 at most.
    public var shares: [LineFault: Double]
    /// How long a message is on its way, in seconds. What takes longer is overtaken by what was sent after it.
    public var delaySeconds: ClosedRange<Double>

    /// A line on which a tenth of all messages goes wrong in each of the ways, and all take a moment.
    public static let some = LineFaults(lost: 0.1, unanswered: 0.1, doubled: 0.1, late: 0.1)

    /// A line on which that goes wrong which is said, nothing else, and all messages take a moment. All shares together are 1 at
    /// most.
    ///
    /// - Parameters:
    ///   - lost: The share of messages that the hub never hears of, 0 to 1.
    ///   - unanswered: The share of those whose answers are lost.
    ///   - doubled: The share of those that the hub gets twice.
    ///   - late: The share of those that the hub gets after later ones, when the device has given them up.
    ///   - delaySeconds: How long each is on its way.
    public init(
        lost: Double = 0,
        unanswered: Double = 0,
        doubled: Double = 0,
        late: Double = 0,
        delaySeconds: ClosedRange<Double> = 0...0.002
    ) {
        shares = [.lost: lost, .unanswered: unanswered, .doubled: doubled, .late: late]
        self.delaySeconds = delaySeconds
        check()
    }

    /// What was changed since it was made is checked as it is used.
    func check() {
        precondition(
            isPossible,
            "shares of faults are 0 or more and 1 at most together, and no message takes less than no time or for "
                + "ever: \(shares), \(delaySeconds)"
        )
    }

    /// Whether a line can be so.
    var isPossible: Bool {
        // In one order, which a dictionary has not: what sums have too much depends on it, and is forgiven.
        let sum = LineFault.allCases.reduce(0) { $0 + (shares[$1] ?? 0) }
        return shares.values.allSatisfy { $0 >= 0 } && sum <= 1 + 1e-9
            && delaySeconds.lowerBound >= 0 && delaySeconds.upperBound.isFinite
    }
}

/// What becomes of each message on a line with faults; pure.
struct FaultyLine: Sendable {
    let faults: LineFaults
    private var numbers: SeededGenerator

    /// So many messages overtake a late one, at most.
    private static let overtakingCountMax = 4

    init(_ faults: LineFaults, _ numbers: SeededGenerator) { (self.faults, self.numbers) = (faults, numbers) }

    struct Fate {
        /// Nil for: it arrives, and so does its answer.
        var fault: LineFault?
        var delaySeconds: Double
        /// How many later messages come before it, if it is late.
        var overtakingCount: Int
    }

    mutating func next() -> Fate {
        // Always as many numbers, whatever comes of it.
        var share = Double.random(in: 0..<1, using: &numbers)
        let delay = Double.random(in: faults.delaySeconds, using: &numbers)
        let overtakingCount = Int.random(in: 1...Self.overtakingCountMax, using: &numbers)
        for fault in LineFault.allCases {
            share -= faults.shares[fault] ?? 0
            if share < 0 { return Fate(fault: fault, delaySeconds: delay, overtakingCount: overtakingCount) }
        }
        return Fate(fault: nil, delaySeconds: delay, overtakingCount: overtakingCount)
    }
}

// Lines with faults.
extension WorldDevice {
    /// Has the line to the hub lose, double, delay and reorder messages, at random by the world's seed. A device takes for lost
    /// what it has no answer to, and asks again within milliseconds.
    ///
    /// - Parameter faults: How often what happens.
    public func disturbLine(_ faults: LineFaults = .some) {
        faults.check()
        line.disturb(faults)
    }

    /// Ends `disturbLine`. What is late arrives.
    public func calmLine() { line.calm() }

    /// How often what has befallen messages of this device since it was made.
    public var lineFaultCounts: [LineFault: Int] { line.faultCounts }
}

extension DocumentWorld {
    /// Has the lines of all devices that there are now lose, double, delay and reorder messages; see `WorldDevice.disturbLine`.
    ///
    /// - Parameter faults: How often what happens.
    public func disturbLines(_ faults: LineFaults = .some) {
        for device in allDevices { device.disturbLine(faults) }
    }

    /// Ends `disturbLines`.
    public func calmLines() { for device in allDevices { device.calmLine() } }
}
