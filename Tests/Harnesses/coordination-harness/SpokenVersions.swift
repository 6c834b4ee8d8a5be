import Coordination
import Foundation

/// Which versions of the agent's format a process of the harness speaks: `1-2`, or `1-1` for one of an earlier release.
enum SpokenVersions {
    /// Names the file that says which the next agent speaks. Whoever starts one hands it on.
    static let variable = "COORDINATION_AGENT_VERSIONS"

    /// Those of all releases.
    static let all = ClientHello.versions

    static func range(_ text: String) throws -> ClosedRange<UInt64> {
        let numbers = text.split(separator: "-").compactMap { UInt64($0) }
        guard numbers.count == 2, numbers[0] <= numbers[1] else {
            throw HarnessFailure("“\(text)” are no versions")
        }
        return numbers[0]...numbers[1]
    }

    static func text(_ versions: ClosedRange<UInt64>) -> String {
        "\(versions.lowerBound)-\(versions.upperBound)"
    }

    /// What the file says; nil when none is named.
    static func ofNextAgent() throws -> ClosedRange<UInt64>? {
        guard let path = ProcessInfo.processInfo.environment[variable] else { return nil }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return try range(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
