internal import Cryptography
internal import Foundation
internal import Locks

/// What is random in a world: each part of it has numbers of its own, so that how often one asks is nothing to the others.
struct WorldSeed: Sendable {
    let value: UInt64

    static let variable = "SHEAF_SEED"

    /// - Parameters:
    ///   - seed: Nil takes that of the environment, else a random one.
    ///   - environment: This process's.
    /// - Throws: `WorldSeedFailure` where that of the environment is none.
    init(
        _ seed: UInt64?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(WorldSeedFailure) {
        if let seed {
            value = seed
        } else if let text = environment[Self.variable], !text.isEmpty {
            // Another seed than the one that was meant would play another world, and say nothing of it.
            guard let given = UInt64(text) else { throw WorldSeedFailure(text: text) }
            value = given
        } else {
            value = .random(in: 1...999_999)
        }
    }

    enum Part {
        case test, names
        case line(Int)

        fileprivate var number: UInt64 {
            switch self {
            case .test: 1
            case .names: 2
            case .line(let index): 16 + UInt64(index)
            }
        }
    }

    func numbers(for part: Part) -> SeededGenerator {
        // Far from one another, also for seeds that are neighbours.
        var mixer = SeededGenerator(seed: value &+ part.number &* 0xD6E8_FEB8_6659_FD93)
        return SeededGenerator(seed: mixer.next())
    }

    /// How a failure says it.
    static func replay(_ seed: UInt64) -> String {
        "Seed \(seed); replay with \(variable)=\(seed), as far as threads allow."
    }
}

/// `SHEAF_SEED` in the environment is no seed.
public struct WorldSeedFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What it says.
    public let text: String

    /// In a sentence for a person.
    public var description: String {
        """
        \(WorldSeed.variable) is “\(text)”, which is no seed: that is a whole number from 0 to \(UInt64.max).
        """
    }
}

/// Bytes that a seed gives again: for keys of devices that are make-believe. Any thread.
final class SeededBytes: Sendable {
    private let numbers: Locked<SeededGenerator>

    init(_ numbers: SeededGenerator) { self.numbers = Locked(numbers) }

    func make(_ byteCount: Int) throws(CryptographyError) -> [UInt8] {
        numbers.withLock { numbers in (0..<byteCount).map { _ in .random(in: 0...255, using: &numbers) } }
    }
}
