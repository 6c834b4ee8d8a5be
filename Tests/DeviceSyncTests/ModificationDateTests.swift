import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import Testing

@testable import DeviceSync

/// When documents were last modified, on two devices.
@Suite("Modification dates", .timeLimit(.minutes(2)))
struct ModificationDateTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// Nanoseconds since 1970.
    private func modified(_ name: String, on device: TestDevice) throws -> Int64 {
        let path = FilePath(device.folder.path).appending(name)
        return ItemTrace(try #require(try FolderScan.status(at: path))).modified
    }

    @Test("A document that comes together with many others is not from 1970")
    func arrivingTogether() throws {
        try one.write("first", to: "first.txt")
        let began = try modified("first.txt", on: one)
        let names = (0..<200).map { "\($0).txt" }
        two.line.cut()
        for name in names { try one.write(name, to: name) }
        #expect(one.wait { one.status?.isSettled == true })
        two.line.mend()
        pair.wait { names.allSatisfy { two.text($0) == $0 } }
        for name in names { #expect(try modified(name, on: two) >= began, "\(name)") }
        pair.end()
    }
}
