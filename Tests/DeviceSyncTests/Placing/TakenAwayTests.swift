import DocumentTesting
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

@testable import DeviceSync

/// Somebody waits for what comes into a folder, and takes it away at once: as a program does that prints whatever is put there.
@Suite("What is taken away as it comes", .onOwnThreads, .timeLimit(.minutes(2)))
struct TakenAwayTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// Takes a file away in the very moment in which it has got its name.
    private final class Taker: SystemCallObserver {
        private let path: String
        private let target: String?
        private let taken = Locked(0)

        /// - Parameter target: Where it goes; nil for nowhere.
        init(_ path: String, to target: String?) { (self.path, self.target) = (path, target) }

        var count: Int { taken.withLock { $0 } }

        func willMake(_ call: SystemCall) -> CInt { 0 }

        func didMake(_ call: SystemCall) {
            guard call.name == "renameat2", call.path.string == path else { return }
            guard (target.map { rename(path, $0) } ?? unlink(path)) == 0 else { return }
            taken.withLock { $0 += 1 }
        }
    }

    @Test(
        "It does not come again, and is gone everywhere; or is where it has been put",
        arguments: ["new", "among others", "newer"],
        [nil, "done.txt"]
    )
    func taken(_ coming: String, target: String?) throws {
        if coming == "newer" {
            try one.write("old", to: "a.txt")
            pair.wait { two.text("a.txt") == "old" && pair.isSettled }
        }
        let taker = Taker(two.path("a.txt"), to: target.map(two.path))
        SystemCallObservation.add(taker)
        defer { SystemCallObservation.remove(taker) }
        var expected: [String: String] = [:]
        if coming == "among others" {
            two.goOffline()
            for number in 0..<20 {
                try one.write("another", to: "\(number).txt")
                expected["\(number).txt"] = "another"
            }
        }
        try one.write("new", to: "a.txt")
        if coming == "among others" {
            pair.wait { one.running?.isInStepNow == true }
            two.goOnline()
        }
        if let target { expected[target] = "new" }
        pair.wait {
            taker.count == 1 && two.contents == expected && one.contents == expected && pair.isSettled
        }
        #expect(taker.count == 1)
        pair.end()
    }
}
