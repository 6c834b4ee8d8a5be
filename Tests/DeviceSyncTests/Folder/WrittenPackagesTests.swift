import DocumentFoundation
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
        case member = "has another file in it"

        var testDescription: String { rawValue }
        /// What has nothing to do with the file that is open.
        static let beside: [Deed] = [.removed, .memberRemoved, .deepMember]
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
        case .member: try two.write("2", to: "p.rtfd/a.txt")
        }
    }

    /// What a file is in the versions of the package that are in conflict with it on the first device.
    private func lostTexts(_ member: String) throws -> [String] {
        let package = one.folder.appendingPathComponent("p.rtfd")
        return try VersionStore.$shared.withValue(one.versions) {
            try one.versions.unresolvedConflicts(at: package).map {
                String(decoding: try Data(contentsOf: $0.url.appendingPathComponent(member)), as: UTF8.self)
            }
        }
    }

    /// Waits until the first device has heard of all that the second one has done.
    private func waitUntilHeard(_ name: String) throws {
        wait { two.running?.isInStepNow == true }
        try two.write("heard", to: name)
        wait { one.text(name) == "heard" }
    }

    @Test(
        "What a program has written into a package stays, when the package elsewhere meanwhile",
        arguments: Deed.beside
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
        "A package waits for a program that has a file in it open, though that does not write, when it elsewhere",
        arguments: Deed.allCases
    )
    func openAndQuiet(_ deed: Deed) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: one.path("p.rtfd/a.txt")))
        try file.seekToEnd()
        try perform(deed)
        let program = ProcessInfo.processInfo.processName.prefix(15)
        wait { one.status?.stuck["p.rtfd"]?.contains("open in a program that writes it: \(program)") == true }
        #expect(one.explanation("p.rtfd")?.next == "Close it there; it goes on by itself.")
        for name in ["a.txt", "b.txt", "Pages/1.txt"] { #expect(one.text("p.rtfd/\(name)") == "1") }
        try file.write(contentsOf: Data(" and more".utf8))
        try file.close()
        one.tryAgain()
        wait { pair.isSettled && one.contents == two.contents && one.text("p.rtfd/a.txt") != "1" }
        // Of two edits of one file one is the document, and the other a version in conflict with it.
        let lost = try lostTexts("a.txt")
        #expect(Set(lost + [one.text("p.rtfd/a.txt") ?? ""]).isSuperset(of: ["1 and more"]), "\(lost)")
        #expect(lost.isEmpty == (deed != .member))
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
