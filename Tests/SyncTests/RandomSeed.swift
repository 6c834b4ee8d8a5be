import Foundation
import SeededNumbers

/// The numbers of a random test, which prints how it is told again: `SYNC_SEED=...`.
func seededNumbers(for what: String) -> SplitMix64 {
    let seed =
        ProcessInfo.processInfo.environment["SYNC_SEED"].flatMap { UInt64($0) }
        ?? .random(in: 1...999_999)
    print("\(what): SYNC_SEED=\(seed)")
    return SplitMix64(seed: seed)
}
