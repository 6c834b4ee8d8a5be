import DocumentTesting
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Whoever removes what another has edited is told that it stays, in the log and where it is explained.
@Suite("Removed here, edited there", .onOwnThreads, .timeLimit(.minutes(2)))
struct SurvivorsOnDevicesTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func remove(_ name: String, on device: TestDevice) throws {
        try FileManager.default.removeItem(at: device.folder.appendingPathComponent(name))
    }

    @Test("A document", arguments: [false, true])
    func document(isRemovalFirst: Bool) throws {
        try one.write("first", to: "a.txt")
        pair.wait { two.text("a.txt") == "first" && pair.isSettled }
        // Each does what it does without the other, and one of the two comes first.
        one.goOffline()
        two.goOffline()
        try remove("a.txt", on: one)
        try two.write("edited", to: "a.txt")
        #expect(one.wait { one.status?.itemCount == 0 } && two.wait { two.status?.unsettledCount == 1 })
        let (first, second) = isRemovalFirst ? (one, two) : (two, one)
        first.goOnline()
        #expect(first.wait { first.status?.isSettled == true })
        second.goOnline()
        pair.wait { one.text("a.txt") == "edited" && pair.isSettled }
        #expect(one.said.contains(.survived(path: "a.txt", by: "“device 2”", isFolder: false)), "\(one.said)")
        #expect(!two.said.contains { if case .survived = $0 { true } else { false } })
        let told = "It was removed here and edited on “device 2”: the edit stays."
        #expect(one.explanation("a.txt")?.notes == [told] && two.explanation("a.txt")?.notes == [])
        // A start forgets nothing; an edit ends it.
        one.stop()
        try one.start()
        pair.wait { pair.isSettled }
        #expect(one.explanation("a.txt")?.notes == [told])
        try one.write("newer", to: "a.txt")
        pair.wait { two.text("a.txt") == "newer" && pair.isSettled }
        #expect(one.explanation("a.txt")?.notes == [])
        pair.end()
    }

    @Test("A folder, into which something was put")
    func folder() throws {
        try one.write("first", to: "f/a.txt")
        pair.wait { two.text("f/a.txt") == "first" && pair.isSettled }
        one.goOffline()
        two.goOffline()
        try remove("f", on: one)
        try two.write("new", to: "f/b.txt")
        #expect(one.wait { one.status?.itemCount == 0 } && two.wait { two.status?.unsettledCount == 1 })
        one.goOnline()
        #expect(one.wait { one.status?.isSettled == true })
        two.goOnline()
        pair.wait { one.contents == ["f": "/", "f/b.txt": "new"] && pair.isSettled }
        #expect(one.said.contains(.survived(path: "f", by: "“device 2”", isFolder: true)), "\(one.said)")
        #expect(
            one.explanation("f")?.notes == [
                "It was removed here, and “device 2” has put something into it: it stays, with that."
            ]
        )
        pair.end()
    }
}
