import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing
import Vault

@testable import DeviceSync

/// What root may do anyway, so that it is tried as another user.
@Suite(
    "Packages that nobody may write to",
    .onOwnThreads,
    .timeLimit(.minutes(2)),
    .enabled(if: geteuid() == 0, "only root can be another user")
)
struct ReadOnlyPackagesTests {
    /// Does something as user 1001, in a process of its own, which has its temporary files where he may write.
    private static func asOther(_ body: () throws -> Void) throws {
        // Short enough for a socket in it.
        let base = "/dev/shm/\(UUID().uuidString.prefix(4))"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: base) }
        try #require(chmod(base, 0o777) == 0)
        for name in ["TMPDIR", "HOME"] { try #require(setenv(name, base, 1) == 0) }
        try #require(setegid(1001) == 0 && seteuid(1001) == 0)
        defer {
            _ = seteuid(0)
            _ = setegid(0)
        }
        do { try body() } catch { Issue.record(error) }
    }

    /// Does something with a package that nobody may write to else.
    private static func open(
        _ package: String,
        on device: TestDevice,
        as other: String? = nil,
        _ body: () throws -> Void
    ) throws {
        chmod(device.path(package), 0o755)
        try body()
        try #require(chmod(device.path(other ?? package), 0o555) == 0)
    }

    /// What lies in a device's memory that is laid out for a moment.
    private static func laidOut(on device: TestDevice) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.memory.string).filter { name in
            UUID(uuidString: String(name.suffix(36))) != nil
        }
    }

    @Test("Nothing stays of what is laid out of them to be merged, and to be shown as in conflict")
    func inConflict() async {
        await #expect(processExitsWith: .success) { try Self.asOther(Self.comeIntoConflict) }
    }

    private static func comeIntoConflict() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try open("p.rtfd", on: one) { try one.write("text", to: "p.rtfd/a.bin") }
        pair.wait { two.text("p.rtfd/a.bin") == "text" && pair.isSettled }
        two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        let entryCount = pair.hub.entryCount
        try open("p.rtfd", on: one) { try one.put("mine", at: "p.rtfd/a.bin") }
        #expect(one.wait { one.isInStep(at: pair.hub.entryCount) && pair.hub.entryCount > entryCount })
        try open("p.rtfd", on: two) { try two.put("theirs", at: "p.rtfd/a.bin") }
        two.goOnline()
        pair.wait { [one, two].allSatisfy { (try? $0.conflictCount("p.rtfd")) == 1 } && pair.isSettled }
        for device in [one, two] { #expect(try laidOut(on: device) == []) }
        // Nor of what a document lays out.
        let url = two.folder.appendingPathComponent("p.rtfd", isDirectory: true)
        let former = try two.versions.keep(url, VersionKeeping(.autosave)).version
        let member = (path: try #require(MemberPath(["a.bin"])), former: former)
        let late = Data("late".utf8)
        _ = try two.versions.keepConflict(contents: late, of: url, in: member, dated: Date(), .autosave)
        let temporary = FileManager.default.temporaryDirectory.path
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary)
        #expect(names.filter { $0.hasPrefix("sheaf-version-") } == [])
        pair.end()
    }

    @Test("They come to other devices, and change, move and go there")
    func all() async {
        await #expect(processExitsWith: .success) {
            try Self.asOther {
                let pair = try DevicePair()
                let (one, two) = (pair.one, pair.two)
                func expectBoth(_ text: String, in package: String) {
                    pair.wait {
                        two.text(package + "/TXT.rtf") == text && two.descriptions[package] == "555 folder"
                            && two.descriptions == one.descriptions && pair.isSettled
                    }
                }
                try Self.open("p.rtfd", on: one) {
                    try one.write("first", to: "p.rtfd/TXT.rtf")
                    try one.write("deep", to: "p.rtfd/deep/a.txt")
                    try #require(chmod(one.path("p.rtfd/deep"), 0o555) == 0)
                }
                expectBoth("first", in: "p.rtfd")
                try Self.open("p.rtfd", on: one) { try one.put("second", at: "p.rtfd/TXT.rtf") }
                expectBoth("second", in: "p.rtfd")
                try Self.open("p.rtfd", on: one) {
                    for number in 0..<100 { try one.write("\(number)", to: "p.rtfd/\(number).txt") }
                    try one.put("third", at: "p.rtfd/TXT.rtf")
                }
                expectBoth("third", in: "p.rtfd")
                let files = FileManager.default
                try files.createDirectory(atPath: one.path("there"), withIntermediateDirectories: false)
                try Self.open("p.rtfd", on: one, as: "there/p.rtfd") {
                    try #require(rename(one.path("p.rtfd"), one.path("there/p.rtfd")) == 0)
                }
                expectBoth("third", in: "there/p.rtfd")
                for folder in ["there/p.rtfd/deep", "there/p.rtfd"] {
                    try #require(chmod(one.path(folder), 0o755) == 0)
                }
                try files.removeItem(atPath: one.path("there"))
                pair.wait { one.contents.isEmpty && two.contents.isEmpty && pair.isSettled }
                pair.end()
            }
        }
    }
}
