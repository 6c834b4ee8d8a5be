import DocumentTesting
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

@testable import DeviceSync

/// Neither lets what is staged get to its place nor be removed, in one folder.
private final class StuckStaging: SystemCallObserver {
    private let start: String
    private let isOver = Locked(false)

    init(in folder: URL) { start = folder.path + "/" }

    func end() { isOver.withLock { $0 = true } }

    func willMake(_ call: SystemCall) -> CInt {
        guard !isOver.withLock({ $0 }), ["renameat2", "renameat", "unlinkat", "linkat"].contains(call.name)
        else { return 0 }
        return call.path.string.hasPrefix(start) && call.path.name.hasSuffix("a.txt") ? EIO : 0
    }

    func didMake(_ call: SystemCall) {}
}

@Suite("What a failing disk leaves beside documents", .onOwnThreads, .timeLimit(.minutes(2)))
struct UnfinishedTests {
    private func leftovers(_ device: TestDevice) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.folder.path).filter {
            $0.hasPrefix(".sheaf-") && $0.contains("a.txt")
        }
    }

    @Test("What a killed process has laid out in the device's memory is gone when the next one has begun")
    func laidOut() throws {
        let pair = try DevicePair()
        let two = pair.two
        two.stop()
        func names() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: two.memory.string))
        }
        let kept = try names()
        let id = UUID().uuidString
        for start in ["conflict", "late", "merge", "remote", "repair", "values"] {
            let folder = two.memoryFolder.appendingPathComponent("\(start)-\(id)/mine", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("text".utf8).write(to: folder.appendingPathComponent("a.txt"))
        }
        // Nobody knows whose this is.
        let others: Set = ["merge-notes", "other-\(id)"]
        for name in others { try Data().write(to: two.memoryFolder.appendingPathComponent(name)) }
        try two.start()
        let left = try names().subtracting(kept)
        #expect(left.isSuperset(of: others) && !left.contains { $0.hasSuffix(id) && $0 != "other-\(id)" })
        pair.end()
    }

    @Test("It is cleared away once that is possible, also if its document is gone by then")
    func cleared() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("first", to: "a.txt")
        pair.expectBoth(["a.txt": "644 first"])
        let staging = StuckStaging(in: two.folder)
        SystemCallObservation.add(staging)
        defer { SystemCallObservation.remove(staging) }
        try one.write("second", to: "a.txt")
        pair.wait { two.said.contains { if case .failed("a.txt", _) = $0 { true } else { false } } }
        #expect(try leftovers(two).count == 1)
        try FileManager.default.removeItem(at: one.folder.appendingPathComponent("a.txt"))
        pair.wait {
            two.said.contains {
                if case .failed("a.txt", let why) = $0 { why.contains("removed") } else { false }
            }
        }
        staging.end()
        two.running?.tryAgain()
        pair.wait { (try? leftovers(two)) == [] }
        pair.expectBoth([:])
        pair.end()
    }
}
