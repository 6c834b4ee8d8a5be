import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Conflicts that links have lost, or won.
@Suite("Links in conflict, on two devices", .onOwnThreads, .timeLimit(.minutes(2)))
struct LinkConflictTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func url(_ name: String, on device: TestDevice) -> URL {
        device.folder.appendingPathComponent(name)
    }

    private func put(_ text: String, _ name: String, asLink isLink: Bool, on device: TestDevice) throws {
        let new = pair.base.appendingPathComponent(UUID().uuidString)
        if isLink {
            try #require(symlink(text, new.path) == 0)
        } else {
            try Data(text.utf8).write(to: new)
        }
        try #require(rename(new.path, device.path(name)) == 0)
    }

    /// What has lost on a device, as items are described.
    private func lost(_ name: String, on device: TestDevice) throws -> [String] {
        try VersionStore.$shared.withValue(device.versions) {
            try (NSFileVersion.unresolvedConflictVersionsOfItem(at: url(name, on: device)) ?? []).map {
                let place = try #require(FilePath($0.url))
                guard try FileStamp(of: place).kind == .symbolicLink else {
                    return String(decoding: try Data(contentsOf: $0.url), as: UTF8.self)
                }
                return "link to \(try FileReading.symbolicLinkText(at: place))"
            }
        }
    }

    enum Change: CaseIterable {
        /// A link on both devices; a link here and an edit there, and the other way round.
        case links, linkFirst, fileFirst
        var isLink: (one: Bool, two: Bool) { (self != .fileFirst, self != .linkFirst) }
    }

    @Test(
        "What was made of an item on two devices, one of them links, is a conflict that is listed, moved and settled",
        arguments: Change.allCases
    )
    func conflict(_ change: Change) throws {
        // Where it leads is nobody's business.
        try one.write("target", to: "other.bin")
        try put("first", "l.bin", asLink: change == .links, on: one)
        pair.wait { two.description(of: "l.bin") == one.description(of: "l.bin") && pair.isSettled }
        two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        try put("other.bin", "l.bin", asLink: change.isLink.one, on: one)
        pair.wait { one.running?.isInStepNow == true }
        try put("nowhere", "l.bin", asLink: change.isLink.two, on: two)
        two.goOnline()
        let won = change.isLink.one ? "link to other.bin" : "644 other.bin"
        let expected = [change.isLink.two ? "link to nowhere" : "nowhere"]
        func isSo(_ name: String) -> Bool {
            [one, two].allSatisfy { device in
                device.description(of: name) == won && (try? lost(name, on: device)) == expected
            }
        }
        pair.wait { isSo("l.bin") && pair.isSettled }
        #expect(isSo("l.bin"), "\(one.said) and \(two.said)")
        try FileManager.default.createDirectory(atPath: one.path("f"), withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: one.path("l.bin"), toPath: one.path("f/m.bin"))
        pair.wait { isSo("f/m.bin") && pair.isSettled }
        #expect(isSo("f/m.bin"))
        #expect(try lost("other.bin", on: one).isEmpty && lost("other.bin", on: two).isEmpty)
        try two.versions.settle(try two.versions.unresolvedConflicts(at: url("f/m.bin", on: two)))
        pair.wait { (try? lost("f/m.bin", on: one)) == [] && (try? lost("f/m.bin", on: two)) == [] }
        pair.wait { pair.isSettled && two.description(of: "f/m.bin") == won }
        try pair.expectRest()
        pair.end()
    }

    @Test(
        "A link has what has lost against it take its place, and what it leads to stays",
        arguments: [true, false]
    )
    func restored(isLink: Bool) throws {
        try one.write("target", to: "other.bin")
        try put("first", "l.bin", asLink: isLink, on: one)
        pair.wait { two.description(of: "l.bin") == one.description(of: "l.bin") && pair.isSettled }
        two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        try put("other.bin", "l.bin", asLink: true, on: one)
        pair.wait { one.running?.isInStepNow == true }
        try put("nowhere", "l.bin", asLink: isLink, on: two)
        two.goOnline()
        pair.wait { (try? lost("l.bin", on: one).count) == 1 && pair.isSettled }
        try VersionStore.$shared.withValue(one.versions) {
            let place = url("l.bin", on: one)
            let version = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: place)?.first)
            try version.replaceItem(at: place)
        }
        let expected = isLink ? "link to nowhere" : "644 nowhere"
        pair.wait { one.description(of: "l.bin") == expected && two.description(of: "l.bin") == expected }
        for device in [one, two] { #expect(device.text("other.bin") == "target") }
        pair.end()
    }

    @Test(
        "What a link leads to out of the folder stays there, also what is written as the link is replaced",
        arguments: [true, false]
    )
    func replaced(byLink isLink: Bool) throws {
        let outside = pair.base.appendingPathComponent("notes.log")
        try Data("private".utf8).write(to: outside)
        one.stop()
        let run = SeenRun()
        try run.start(one)
        defer { run.stop() }
        func isSettled() -> Bool {
            two.status?.isSettled == true && (try? run.sync { $0.isSettled }) == true
        }
        try put(outside.path, "l.bin", asLink: true, on: one)
        pair.wait { two.description(of: "l.bin") == one.description(of: "l.bin") && isSettled() }
        let count = pair.hub.entryCount
        try put("nowhere", "l.bin", asLink: isLink, on: two)
        pair.wait { one.description(of: "l.bin") == (isLink ? "link to nowhere" : "644 nowhere") }
        let file = try FileHandle(forWritingTo: outside)
        try file.seekToEnd()
        try file.write(contentsOf: Data(" words".utf8))
        try file.close()
        pair.wait { isSettled() }
        // Whatever is held is looked at now.
        try run.sync { $0.lookAtLate() }
        pair.wait { isSettled() }
        for device in [one, two] { #expect(try lost("l.bin", on: device).isEmpty) }
        // Of what took its place.
        #expect(pair.hub.entryCount == count + 1)
        #expect(try Data(contentsOf: outside) == Data("private words".utf8))
        run.stop()
        pair.end()
    }
}
