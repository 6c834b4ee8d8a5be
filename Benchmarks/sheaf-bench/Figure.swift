import Foundation

/// One line of the report: what we took, beside what a peer took in the same run.
struct Figure: Encodable {
    let id: String
    let what: String
    /// The median of the runs.
    let value: Double
    let unit: String
    /// The distance between the quartiles of the runs, in the same unit.
    let spread: Double
    let runs: Int
    let peer: String?
    let peerValue: Double?
    /// `value` divided by `peerValue`.
    let ratio: Double?
    let goal: String?
    let met: Bool?

    /// What is to be reached.
    enum Goal {
        case valueAtMost(Double)
        /// This many times the peer's value.
        case ratioAtMost(Double)
    }

    init(_ id: String, _ what: String, _ own: Samples, _ unit: Unit, goal: Goal? = nil) {
        self.init(id, what, own, unit, peer: nil, goal)
    }

    init(
        _ id: String,
        _ what: String,
        _ own: Samples,
        _ unit: Unit,
        beside peer: String,
        _ its: Samples,
        goal: Goal? = nil
    ) {
        self.init(id, what, own, unit, peer: (peer, its), goal)
    }

    private init(
        _ id: String,
        _ what: String,
        _ own: Samples,
        _ unit: Unit,
        peer: (name: String, samples: Samples)?,
        _ goal: Goal?
    ) {
        self.id = id
        self.what = what
        self.unit = unit.rawValue
        value = own.median * unit.perBase
        spread = own.quartileDistance * unit.perBase
        runs = own.count
        self.peer = peer?.name
        peerValue = peer.map { $0.samples.median * unit.perBase }
        let ratio = peer.map { own.median / $0.samples.median }
        self.ratio = ratio
        switch goal {
        case .valueAtMost(let limit):
            self.goal = "≤ \(Self.number(limit)) \(unit.rawValue)"
            met = own.median * unit.perBase <= limit
        case .ratioAtMost(let limit):
            self.goal = "≤ \(Self.number(limit)) × peer"
            met = ratio.map { $0 <= limit }
        case nil:
            self.goal = nil
            met = nil
        }
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(value)
    }
}

/// What a figure is told in; times are measured in seconds, memory in bytes.
enum Unit: String {
    case milliseconds = "ms"
    case microseconds = "µs"
    case mebibytes = "MiB"
    case bytes = "B"
    /// Of the kernel's clock for processes: what it counts in.
    case ticks

    var perBase: Double {
        switch self {
        case .milliseconds: 1e3
        case .microseconds: 1e6
        case .mebibytes: 1 / 1_048_576
        case .bytes, .ticks: 1
        }
    }
}
