import DocumentTesting
import Foundation
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// A device whose folder is on a volume that ignores case, as those of cameras and sticks do.
@Suite("Volumes that ignore case, on two devices", .onOwnThreads, .timeLimit(.minutes(2)))
struct CaseBlindTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair(isSecondToStart: false) }

    /// Runs something with the second device's folder on such a volume; not where the machine has none.
    private func mounted(_ body: () throws -> Void) throws {
        let volume: CaseBlindVolume
        do {
            volume = try CaseBlindVolume(at: two.folder, in: pair.base)
        } catch let reason as CaseBlindVolume.Unavailable {
            pair.end()
            return print("a volume that ignores case: not tried: \(reason)")
        }
        try withExtendedLifetime(volume) {
            try two.start()
            try body()
            pair.end()
        }
    }

    private func rename(_ name: String, to other: String, on device: TestDevice) throws {
        try FileManager.default.moveItem(
            at: device.folder.appendingPathComponent(name),
            to: device.folder.appendingPathComponent(other)
        )
    }

    private func names(_ device: TestDevice) -> [String] { device.contents.keys.sorted() }

    @Test("A name that gets other capitals elsewhere gets them here, and keeps them")
    func renamed() throws {
        try mounted {
            try one.write("text", to: "letter.txt")
            try one.write("member", to: "folder/member.txt")
            pair.wait { two.contents == one.contents && pair.isSettled }
            try rename("letter.txt", to: "Letter.txt", on: one)
            try rename("folder", to: "FOLDER", on: one)
            pair.wait { names(two) == ["FOLDER", "FOLDER/member.txt", "Letter.txt"] && pair.isSettled }
            // Nobody takes it for a rename back.
            two.stop()
            try two.start()
            pair.wait { pair.isSettled }
            #expect(names(one) == ["FOLDER", "FOLDER/member.txt", "Letter.txt"])
            #expect(names(two) == names(one))
            #expect(two.text("Letter.txt") == "text")
            try one.write("newer", to: "Letter.txt")
            try rename("Letter.txt", to: "LETTER.txt", on: one)
            pair.wait { two.text("LETTER.txt") == "newer" && names(two) == names(one) && pair.isSettled }
            // The other way round.
            try rename("LETTER.txt", to: "between", on: two)
            try rename("between", to: "letter.txt", on: two)
            pair.wait { names(one).contains("letter.txt") && names(one) == names(two) && pair.isSettled }
        }
    }

    @Test("Of two names that differ in capitals alone one waits, with a reason, and comes with another name")
    func both() throws {
        try mounted {
            try one.write("first", to: "letter.txt")
            pair.wait { two.text("letter.txt") == "first" && pair.isSettled }
            try one.write("second", to: "Letter.txt")
            pair.wait { two.status?.stuck["Letter.txt"] != nil }
            let explanation = try #require(two.explanation("Letter.txt"))
            #expect(!explanation.isSettled && !explanation.next.isEmpty, "\(explanation)")
            #expect(names(two) == ["letter.txt"] && two.text("letter.txt") == "first")
            #expect(names(one) == ["Letter.txt", "letter.txt"])
            try two.write("edited", to: "letter.txt")
            pair.wait { one.text("letter.txt") == "edited" }
            #expect(one.text("Letter.txt") == "second")
            try rename("Letter.txt", to: "Another.txt", on: one)
            pair.wait { two.contents == one.contents && pair.isSettled }
            #expect(two.text("Another.txt") == "second" && two.text("letter.txt") == "edited")
        }
    }
}
