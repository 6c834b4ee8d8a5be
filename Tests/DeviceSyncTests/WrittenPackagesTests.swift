import DocumentTesting
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Packages that programs write into, while others take them away or make them others. How a package looks itself says
/// nothing of what is written into it.
@Suite("Packages that are written", .onOwnThreads, .timeLimit(.minutes(2)))
struct WrittenPackagesTests {
    enum Deed: String, CaseIterable, CustomTestStringConvertible {
        case removed = "is removed"
        case memberRemoved = "lacks a file then"
        case deepMember = "has another file in a folder in it"

        var testDescription: String { rawValue }
    }

    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws {
        pair = try DevicePair()
        for name in ["a.txt", "b.txt", "Pages/1.txt"] { try one.write("1", to: "p.rtfd/\(name)") }
        let pair = pair
        pair.wait { pair.two.text("p.rtfd/Pages/1.txt") == "1" && pair.isSettled }
    }

    private func wait(_ location: SourceLocation = #_sourceLocation, until condition: () -> Bool) {
        pair.wait(location, until: condition)
    }

    private func perform(_ deed: Deed) throws {
        switch deed {
        case .removed: try FileManager.default.removeItem(atPath: two.path("p.rtfd"))
        case .memberRemoved: try FileManager.default.removeItem(atPath: two.path("p.rtfd/b.txt"))
        case .deepMember: try two.write("2", to: "p.rtfd/Pages/1.txt")
        }
    }

    /// Waits until the first device has heard of all that the second one has done.
    private func waitUntilHeard(_ name: String) throws {
        wait { two.status?.isSettled == true }
        try two.write("heard", to: name)
        wait { one.text(name) == "heard" }
    }

    @Test(
        "What a program has written into a package stays, when the package elsewhere meanwhile",
        arguments: Deed.allCases
    )
    func open(_ deed: Deed) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: one.path("p.rtfd/a.txt")))
        try file.write(contentsOf: Data("written".utf8))
        wait { one.status?.stuck["p.rtfd"]?.contains("writ") == true }
        try perform(deed)
        try waitUntilHeard("heard.txt")
        #expect(one.text("p.rtfd/a.txt") == "written")
        try file.close()
        wait {
            one.text("p.rtfd/a.txt") == "written" && two.text("p.rtfd/a.txt") == "written" && pair.isSettled
        }
        if deed == .deepMember { #expect(one.text("p.rtfd/Pages/1.txt") == "2") }
        pair.end()
    }

    @Test(
        "What cannot be read of a package is not taken away, when the package elsewhere",
        arguments: Deed.allCases
    )
    func unreadable(_ deed: Deed) throws {
        #expect(mkfifo(one.path("p.rtfd/Pages/pipe"), 0o600) == 0)
        try one.write("written", to: "p.rtfd/Pages/2.txt")
        wait { one.status?.stuck["p.rtfd"]?.contains("pipe") == true }
        try perform(deed)
        try waitUntilHeard("heard.txt")
        #expect(one.text("p.rtfd/Pages/2.txt") == "written")
        try FileManager.default.removeItem(atPath: one.path("p.rtfd/Pages/pipe"))
        wait {
            one.text("p.rtfd/Pages/2.txt") == "written" && two.text("p.rtfd/Pages/2.txt") == "written"
                && pair.isSettled
        }
        pair.end()
    }
}
