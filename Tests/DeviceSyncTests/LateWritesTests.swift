import DocumentTesting
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

@testable import DeviceSync

/// What programs write into files that they have open as these are replaced or removed.
@Suite("Late writes", .onOwnThreads, .timeLimit(.minutes(2)))
struct LateWritesTests {
    /// Somebody who has a file open, and writes into it and closes it as it is removed.
    private final class Writer: SystemCallObserver {
        private let folder: String
        private let isBefore: Bool
        private let file: Locked<CInt>

        /// - Parameter isBefore: Whether he does so just before the file has no name any more.
        init(_ name: String, on device: TestDevice, isBefore: Bool) throws {
            (folder, self.isBefore) = (device.folder.path + "/", isBefore)
            let file = open(device.path(name), O_WRONLY | O_APPEND)
            try #require(file >= 0)
            self.file = Locked(file)
        }

        var isDone: Bool { file.withLock { $0 < 0 } }

        func willMake(_ call: SystemCall) -> CInt {
            if isBefore { write(call) }
            return 0
        }

        func didMake(_ call: SystemCall) { if !isBefore { write(call) } }

        private func write(_ call: SystemCall) {
            guard call.name == "unlinkat", call.path.string.hasPrefix(folder),
                call.path.name.hasPrefix(".sheaf-removed-")
            else { return }
            file.withLock { file in
                guard file >= 0 else { return }
                let bytes = Array(" and late".utf8)
                #expect(Foundation.write(file, bytes, bytes.count) == bytes.count)
                #expect(close(file) == 0)
                file = -1
            }
        }
    }

    @Test(
        "What a program writes into a file that is just being removed is the document again, on all devices",
        arguments: [true, false],
        ["a.txt", "folder/a.txt"]
    )
    func removed(isBefore: Bool, name: String) throws {
        let pair = try DevicePair.holding("first", as: name)
        let (one, two) = (pair.one, pair.two)
        try #require(chmod(one.path(name), 0o640) == 0)
        pair.wait { two.description(of: name) == "640 first" && pair.isSettled }
        let writer = try Writer(name, on: two, isBefore: isBefore)
        SystemCallObservation.add(writer)
        defer { SystemCallObservation.remove(writer) }
        try FileManager.default.removeItem(atPath: one.path(String(name.split(separator: "/")[0])))
        pair.wait { writer.isDone }
        // Where its folder has gone as well, it is where that was.
        let names = [name, "a.txt"]
        func isSo() -> Bool {
            [one, two].allSatisfy { device in
                names.contains { device.description(of: $0) == "640 first and late" }
            }
        }
        pair.wait { isSo() && pair.isSettled }
        for device in [one, two] {
            #expect(device.contents.values.filter { $0 != "/" } == ["first and late"], "\(device.said)")
            for name in names where device.text(name) != nil { #expect(try device.conflicts(name).isEmpty) }
        }
        pair.end()
    }

    @Test("A file that is removed under one of its names, and written under another, stays removed")
    func otherName() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let two = pair.two
        let outside = pair.base.appendingPathComponent("outside.txt")
        try #require(link(two.path("a.txt"), outside.path) == 0)
        pair.wait { pair.isSettled }
        let writer = try Writer("a.txt", on: two, isBefore: false)
        SystemCallObservation.add(writer)
        defer { SystemCallObservation.remove(writer) }
        try FileManager.default.removeItem(atPath: pair.one.path("a.txt"))
        pair.wait { writer.isDone && two.said.contains(.removed(path: "a.txt")) }
        // Of what comes after the removal, this comes after the look at what was written.
        try pair.one.write("beside", to: "b.txt")
        pair.wait { two.text("b.txt") == "beside" && pair.isSettled }
        for device in [pair.one, two] { #expect(device.contents == ["b.txt": "beside"]) }
        #expect(try Data(contentsOf: outside) == Data("first and late".utf8))
        pair.end()
    }
}
