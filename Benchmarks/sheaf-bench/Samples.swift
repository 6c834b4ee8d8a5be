import Foundation

/// What the runs of one thing took, in seconds or bytes.
struct Samples {
    private var values: [Double] = []

    var count: Int { values.count }
    var median: Double { quantile(0.5) }
    var quartileDistance: Double { quantile(0.75) - quantile(0.25) }

    mutating func add(_ value: Double) {
        values.append(value)
    }

    mutating func add(contentsOf other: Samples) {
        values += other.values
    }

    /// The value that this share of all is not above.
    func quantile(_ share: Double) -> Double {
        precondition(!values.isEmpty, "a figure was asked of no run")
        let sorted = values.sorted()
        let place = share * Double(sorted.count - 1)
        let (low, high) = (sorted[Int(place.rounded(.down))], sorted[Int(place.rounded(.up))])
        return low + (high - low) * (place - place.rounded(.down))
    }
}

/// Seconds by a clock that only goes forward.
func now() -> Double {
    Double(DispatchTime.now().uptimeNanoseconds) / 1e9
}

/// How long a piece of work takes, in seconds.
func seconds(_ work: () throws -> Void) rethrows -> Double {
    let start = now()
    try work()
    return now() - start
}

/// Lets what the last save still has to do come to its end, so that it is not counted against the next.
@MainActor
func rest() async {
    await withCheckedContinuation { rested in
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(8)) { rested.resume() }
    }
}

/// Something that a benchmark needs went wrong: its figures mean nothing.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Of the C call just made.
    static func call(_ name: String, _ item: String) -> BenchmarkFailure {
        BenchmarkFailure("\(name) of \(item) failed: \(String(cString: strerror(errno)))")
    }
}
