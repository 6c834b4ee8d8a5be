import DocumentTesting
import FileSystem
import Foundation
import TestThreads
import Testing

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
