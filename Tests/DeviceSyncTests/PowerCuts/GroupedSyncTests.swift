import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// How often a device makes something last.
private final class SyncCount: SystemCallObserver {
    private let folders: [String]
    private let calls: Locked<[String]> = Locked([])

    init(_ device: TestDevice) {
        folders = [device.folder.path, device.memoryFolder.path].map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    }

    func willMake(_ call: SystemCall) -> CInt { 0 }

    func didMake(_ call: SystemCall) {
        switch call.effect {
        case .sync, .syncVolume: break
        default: return
        }
        guard folders.contains(where: { (call.path.string + "/").hasPrefix($0) }) else { return }
        calls.withLock { $0.append("\(call.name) \(call.path.string)") }
    }

    var all: [String] { calls.withLock { $0 } }
}

@Suite("Many files are made durable together", .onOwnThreads, .timeLimit(.minutes(3)))
struct GroupedSyncTests {
    @Test("A hundred arrivals are made durable by far fewer calls than there are files, and not by none")
    func arrivals() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        two.stop()
        for number in 0..<100 { try one.write("text \(number)", to: "folder \(number % 4)/\(number).txt") }
        #expect(one.wait { pair.hub.entryCount >= 104 && one.status?.isSettled == true })
        let count = SyncCount(two)
        SystemCallObservation.add(count)
        defer { SystemCallObservation.remove(count) }
        try two.start()
        pair.wait { two.contents.count == 104 && pair.isSettled }
        #expect((1...40).contains(count.all.count), "\(count.all.count): \(count.all)")
        pair.end()
    }
}
