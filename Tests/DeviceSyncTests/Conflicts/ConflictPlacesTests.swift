import DocumentFoundation
import FileSystem
import Foundation
import SyncMessages
import TestFolders
import TestThreads
import Testing
import Vault

@testable import DeviceSync
@testable import DocumentTesting

/// What is in conflict where documents bear no marks: its place tells whose versions those are.
@Suite("Conflicts on volumes without marks", .onOwnThreads, .timeLimit(.minutes(2)))
struct ConflictPlacesTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// Has the first device win against the second.
    private func part(_ name: String) throws {
        try one.write("base", to: name)
        pair.wait { two.text(name) == "base" && pair.isSettled }
        two.line.cut()
        pair.wait { two.status?.line == .down }
        try one.write("one", to: name)
        pair.wait { one.status?.isSettled == true }
        try two.write("two", to: name)
        two.line.mend()
        pair.wait { one.text(name) == "one" && two.text(name) == "one" && pair.isSettled }
    }

    @Test(
        "It is listed, comes along where the document is moved on another device, and is settled for all",
        arguments: [false, true]
    )
    func listed(hasVersions: Bool) throws {
        let volume = LimitedVolume(two.folder.path, .withoutDress)
        defer { volume.end() }
        if hasVersions {
            // An app has kept some before, under a mark that only the place has.
            try two.write("base", to: "a.bin")
            let url = two.folder.appendingPathComponent("a.bin")
            _ = try two.versions.keep(url, VersionKeeping(.explicit))
            pair.wait { one.text("a.bin") == "base" && pair.isSettled }
        }
        try part("a.bin")
        #expect(try one.conflicts("a.bin") == ["two"])
        #expect(try two.conflicts("a.bin") == ["two"])
        try FileManager.default.moveItem(atPath: one.path("a.bin"), toPath: one.path("b.bin"))
        pair.wait { two.text("b.bin") == "one" && (try? two.conflicts("b.bin")) == ["two"] && pair.isSettled }
        let url = two.folder.appendingPathComponent("b.bin")
        try VersionStore.$shared.withValue(two.versions) {
            for version in try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)) {
                version.isResolved = true
            }
        }
        pair.wait { (try? one.conflicts("b.bin")) == [] && pair.isSettled }
        pair.end()
    }

    @Test("What an app has kept there is shown on all devices")
    func kept() throws {
        let volume = LimitedVolume(two.folder.path, .withoutDress)
        defer { volume.end() }
        for name in ["a.bin", "b.bin"] { try one.write("text", to: name) }
        pair.wait { two.text("a.bin") == "text" && two.text("b.bin") == "text" && pair.isSettled }
        for name in ["a.bin", "b.bin"] {
            let url = two.folder.appendingPathComponent(name)
            _ = try two.versions.keep(url, VersionKeeping(.explicit))
            _ = try two.versions.keepConflict(contents: Data("other".utf8), of: url, dated: Date(), .autosave)
        }
        // Read together they are looked at together.
        for name in ["a.bin", "b.bin"] { try two.put("saved", at: name) }
        pair.wait {
            ["a.bin", "b.bin"].allSatisfy { one.text($0) == "saved" && (try? one.conflicts($0)) == ["other"] }
                && pair.isSettled
        }
        pair.end()
    }

    @Test(
        "A vault that is gone has settled nothing: what is in conflict is shown anew, and on no device settled"
    )
    func vaultGone() throws {
        try part("a.bin")
        #expect(try one.conflicts("a.bin") == ["two"])
        one.stop()
        let vault = one.home.appendingPathComponent(".local/share/sheaf/vault")
        try FileManager.default.removeItem(at: vault)
        one.openVersionsAnew()
        try one.start()
        pair.wait { (try? one.conflicts("a.bin")) == ["two"] && pair.isSettled }
        #expect(try two.conflicts("a.bin") == ["two"])
        // Settled there, it is.
        let url = one.folder.appendingPathComponent("a.bin")
        try VersionStore.$shared.withValue(one.versions) {
            for version in try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)) {
                version.isResolved = true
            }
        }
        pair.wait { (try? two.conflicts("a.bin")) == [] && pair.isSettled }
        pair.end()
    }
}
