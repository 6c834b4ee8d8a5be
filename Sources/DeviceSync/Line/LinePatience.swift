internal import Dispatch

/// For how long a line that is lost is waited for where a person waits, too: who carries a telephone into the next room is not to
/// begin anew, and who has no line at all is to hear of that.
///
/// What is asked again by it MUST be the same when it is done twice: its answer may be all that was lost.
struct LinePatience: Sendable {
    private static let secondsMax = 60.0

    private let pauseSeconds: Double
    /// Whether there has been a line: what was never there is not waited for.
    private var wasThere: Bool
    /// Since when there is no line; nil while there is one.
    private var lost: DispatchTime?

    /// - Parameters:
    ///   - wasThere: Whether there has been a line already.
    ///   - pauseSeconds: How long it waits before each further try.
    init(wasThere: Bool, pauseSeconds: Double = 2) {
        (self.wasThere, self.pauseSeconds) = (wasThere, pauseSeconds)
    }

    /// Something was answered.
    mutating func regain() { (wasThere, lost) = (true, nil) }

    /// Nothing was answered.
    ///
    /// - Returns: For how many seconds to wait before it is tried again; nil where that is no use.
    mutating func pause(after failure: LineFailure) -> Double? {
        guard wasThere else { return nil }
        let now = DispatchTime.now()
        let since = lost ?? now
        lost = since
        // Where somebody has to do something, to ask once more changes nothing.
        guard failure.remedy == nil,
            now.uptimeNanoseconds - since.uptimeNanoseconds < UInt64(Self.secondsMax * 1e9)
        else { return nil }
        return pauseSeconds
    }
}
