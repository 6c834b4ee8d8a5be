import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What items are beside their names and bytes.
@Suite("What documents bear is the same on two devices", .onOwnThreads, .timeLimit(.minutes(2)))
struct DressTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    @Test("Extended attributes come, change and go, of a file, a package and what is in it")
    func attributes() throws {
        let names = ["a.txt", "p.rtfd", "p.rtfd/TXT.rtf"]
        try one.write("text", to: "a.txt")
        try one.write("text", to: "p.rtfd/TXT.rtf")
        func expect(_ attributes: String) {
            let space = attributes.isEmpty ? "" : " "
            pair.expectBoth([
                "a.txt": "644\(space)\(attributes) text",
                "p.rtfd": "755\(space)\(attributes) folder",
                "p.rtfd/TXT.rtf": "644\(space)\(attributes) text",
            ])
        }
        func set(_ attribute: String, _ value: String?, on device: TestDevice) throws {
            for name in names { try device.setAttribute(attribute, to: value, of: name) }
        }
        expect("")
        try set("user.n", "first", on: one)
        expect("user.n=first")
        try set("user.n", "second", on: one)
        expect("user.n=second")
        try set("user.m", "other", on: two)
        expect("user.m=other user.n=second")
        try set("user.n", nil, on: one)
        expect("user.m=other")
        try set("user.m", nil, on: one)
        expect("")
        try pair.expectRest()
        pair.end()
    }

    @Test("Permissions alone are a change, of a file, a package and what is in it")
    func permissions() throws {
        try one.write("text", to: "a.sh")
        try one.write("text", to: "p.rtfd/TXT.rtf")
        func expect(_ file: String, _ package: String, _ member: String) {
            pair.expectBoth([
                "a.sh": "\(file) text", "p.rtfd": "\(package) folder", "p.rtfd/TXT.rtf": "\(member) text",
            ])
        }
        expect("644", "755", "644")
        try one.setPermissions(0o755, of: "a.sh")
        expect("755", "755", "644")
        try two.setPermissions(0o600, of: "p.rtfd/TXT.rtf")
        expect("755", "755", "600")
        try one.setPermissions(0o700, of: "p.rtfd")
        expect("755", "700", "600")
        try two.setPermissions(0o444, of: "a.sh")
        expect("444", "700", "600")
        // What nobody may write to is another all the same when it is changed elsewhere.
        try one.setPermissions(0o644, of: "a.sh")
        try one.write("longer text", to: "a.sh")
        pair.expectBoth([
            "a.sh": "644 longer text", "p.rtfd": "700 folder", "p.rtfd/TXT.rtf": "600 text",
        ])
        try pair.expectRest()
        pair.end()
    }

    @Test("A program that is merged stays one, and keeps what either side has given it")
    func merged() throws {
        try one.write("one\ntwo\nthree\n", to: "a.txt")
        pair.expectBoth(["a.txt": "644 one\ntwo\nthree\n"])
        pair.two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        try one.write("ONE\ntwo\nthree\n", to: "a.txt")
        try one.setAttribute("user.one", to: "1", of: "a.txt")
        try two.write("one\ntwo\nTHREE\n", to: "a.txt")
        try two.setPermissions(0o755, of: "a.txt")
        try two.setAttribute("user.two", to: "2", of: "a.txt")
        two.goOnline()
        pair.expectBoth(["a.txt": "755 user.one=1 user.two=2 ONE\ntwo\nTHREE\n"])
        pair.end()
    }

    @Test("Bytes that one side has changed and permissions that the other has are no conflict")
    func mergedWithoutBytes() throws {
        try one.write("bytes", to: "a.bin")
        pair.expectBoth(["a.bin": "644 bytes"])
        two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        try one.write("other bytes", to: "a.bin")
        try two.setPermissions(0o755, of: "a.bin")
        two.goOnline()
        pair.expectBoth(["a.bin": "755 other bytes"])
        #expect(try one.conflicts("a.bin").isEmpty && two.conflicts("a.bin").isEmpty)
        pair.end()
    }

    @Test(
        "An attribute that both set to different values is a conflict, and both are kept with what they bear"
    )
    func attributeInConflict() throws {
        try one.write("one\ntwo\nthree\n", to: "a.txt")
        pair.expectBoth(["a.txt": "644 one\ntwo\nthree\n"])
        two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        try one.write("ONE\ntwo\nthree\n", to: "a.txt")
        try one.setAttribute("user.tag", to: "red", of: "a.txt")
        #expect(one.wait { one.isInStep(at: pair.hub.entryCount) && pair.hub.entryCount > 1 })
        try two.write("one\ntwo\nTHREE\n", to: "a.txt")
        try two.setAttribute("user.tag", to: "blue", of: "a.txt")
        two.goOnline()
        pair.expectBoth(["a.txt": "644 user.tag=red ONE\ntwo\nthree\n"])
        #expect(
            two.wait { (try? one.conflicts("a.txt").count) == 1 && (try? two.conflicts("a.txt").count) == 1 }
        )
        pair.end()
    }

    /// Has both devices have a document, then each make something else of it apart: what the second has made loses.
    private func part(
        _ file: String,
        _ first: (TestDevice) throws -> Void,
        _ second: (TestDevice) throws -> Void
    ) throws {
        try one.write("text", to: file)
        pair.wait { two.text(file) == "text" && pair.isSettled }
        two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        let entryCount = pair.hub.entryCount
        try first(one)
        #expect(one.wait { one.isInStep(at: pair.hub.entryCount) && pair.hub.entryCount > entryCount })
        try second(two)
        two.goOnline()
    }

    private func expectConflicts(_ name: String, _ count: Int, _ location: SourceLocation = #_sourceLocation)
    {
        let isSo = two.wait { [one, two].allSatisfy { (try? $0.conflictCount(name)) == count } }
        #expect(isSo, "\(one.said) and \(two.said)", sourceLocation: location)
    }

    /// Chooses what has lost, on the first device.
    private func chooseOther(_ name: String) throws {
        var failure: NSError?
        NSFileCoordinator().coordinate(
            writingItemAt: one.folder.appendingPathComponent(name),
            error: &failure
        ) { url in
            do {
                try VersionStore.$shared.withValue(one.versions) {
                    let version = try #require(one.versions.unresolvedConflicts(at: url).first)
                    #expect(try version.replaceItem(at: url) == url)
                    version.isResolved = true
                }
            } catch { Issue.record(error) }
        }
        #expect(failure == nil)
    }

    @Test(
        "An attribute alone is a conflict that is shown on both, also when somebody has opened the document, and can be settled",
        arguments: [("a.txt", "a.txt"), ("p.rtfd", "p.rtfd"), ("p.rtfd", "p.rtfd/TXT.rtf")]
    )
    func attributeAlone(name: String, place: String) throws {
        let file = name == "a.txt" ? name : "p.rtfd/TXT.rtf"
        try part(
            file,
            { try $0.setAttribute("user.tag", to: "red", of: place) },
            { try $0.setAttribute("user.tag", to: "blue", of: place) }
        )
        let items =
            name == file
            ? ["a.txt": "644 text"] : ["p.rtfd": "755 folder", "p.rtfd/TXT.rtf": "644 text"]
        func with(_ tag: String) -> [String: String] {
            var items = items
            items[place] = items[place]?.replacingOccurrences(of: " ", with: " user.tag=\(tag) ")
            return items
        }
        pair.expectBoth(with("red"))
        expectConflicts(name, 1)
        // As documents do that are opened.
        for device in [one, two] {
            let versions = device.versions
            ItemUser(of: name, on: device) { try versions.settleConflictsWithItself(at: $0) }.end()
        }
        pair.wait { pair.isSettled }
        expectConflicts(name, 1)
        try chooseOther(name)
        pair.expectBoth(with("blue"))
        expectConflicts(name, 0)
        try pair.expectRest()
        pair.end()
    }

    @Test("A version that has lost comes with what it bore when it is chosen, and with nothing else")
    func chosen() throws {
        try part(
            "build.sh",
            {
                try $0.write("mine", to: "build.sh")
                try $0.setAttribute("user.one", to: "1", of: "build.sh")
            },
            {
                try $0.write("theirs", to: "build.sh")
                try $0.setAttribute("user.two", to: "2", of: "build.sh")
                try $0.setPermissions(0o755, of: "build.sh")
            }
        )
        pair.expectBoth(["build.sh": "644 user.one=1 mine"])
        expectConflicts("build.sh", 1)
        let mark = try FileIdentity.mark(at: FilePath(one.path("build.sh")))
        try chooseOther("build.sh")
        pair.expectBoth(["build.sh": "755 user.two=2 theirs"])
        expectConflicts("build.sh", 0)
        #expect(try FileIdentity.mark(at: FilePath(one.path("build.sh"))) == mark && mark != nil)
        pair.end()
    }

    @Test("A member of a package that one has tagged and the other removed is a conflict")
    func taggedAndRemoved() throws {
        for name in ["TXT.rtf", "image"] { try one.write(name, to: "p.rtfd/\(name)") }
        var items = ["p.rtfd": "755 folder", "p.rtfd/TXT.rtf": "644 TXT.rtf", "p.rtfd/image": "644 image"]
        pair.expectBoth(items)
        two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        try one.setAttribute("user.tag", to: "red", of: "p.rtfd/image")
        #expect(one.wait { one.isInStep(at: pair.hub.entryCount) && pair.hub.entryCount > 1 })
        try FileManager.default.removeItem(atPath: two.path("p.rtfd/image"))
        two.goOnline()
        items["p.rtfd/image"] = "644 user.tag=red image"
        pair.expectBoth(items)
        #expect(two.wait { [one, two].allSatisfy { (try? $0.conflictCount("p.rtfd")) == 1 } })
        pair.end()
    }

    @Test("Symbolic links, empty files and empty folders come, change and go")
    func linksAndNothing() throws {
        try one.makeLink("l", to: "nowhere/at all")
        try one.write("", to: "empty.txt")
        try one.makeFolder("folder/empty")
        try one.makeLink("folder/up", to: "../empty.txt")
        var expected = [
            "l": "link to nowhere/at all", "empty.txt": "644 ", "folder": "755 folder",
            "folder/empty": "755 folder", "folder/up": "link to ../empty.txt",
        ]
        pair.expectBoth(expected)
        try FileManager.default.removeItem(atPath: two.path("l"))
        try two.makeLink("l", to: "empty.txt")
        try FileManager.default.removeItem(atPath: one.path("folder/empty"))
        expected["l"] = "link to empty.txt"
        expected["folder/empty"] = nil
        pair.expectBoth(expected)
        try FileManager.default.removeItem(atPath: one.path("folder/up"))
        try one.write("no more", to: "empty.txt")
        expected["folder/up"] = nil
        expected["empty.txt"] = "644 no more"
        pair.expectBoth(expected)
        try pair.expectRest()
        pair.end()
    }

    @Test("A package with links comes once, and nobody sends it back")
    func packageWithLinks() throws {
        try one.write("text", to: "p.rtfd/a")
        try one.write("deep", to: "p.rtfd/Pages/1")
        try one.makeLink("p.rtfd/l", to: "a")
        try one.makeLink("p.rtfd/Pages/up", to: "../nothing")
        var expected = [
            "p.rtfd": "755 folder", "p.rtfd/a": "644 text", "p.rtfd/l": "link to a",
            "p.rtfd/Pages": "755 folder", "p.rtfd/Pages/1": "644 deep",
            "p.rtfd/Pages/up": "link to ../nothing",
        ]
        pair.expectBoth(expected)
        try pair.expectRest()
        let entryCount = pair.hub.entryCount
        try two.write("other text", to: "p.rtfd/a")
        expected["p.rtfd/a"] = "644 other text"
        pair.expectBoth(expected)
        #expect(pair.hub.entryCount == entryCount + 1)
        try pair.expectRest()
        pair.end()
    }

    @Test("What the folder's volume on one device does not hold is not lost on the other")
    func poorVolume() throws {
        let volume = LimitedVolume(two.folder.path, .withoutDress)
        defer { volume.end() }
        try one.write("text", to: "a.sh")
        try one.write("text", to: "p.rtfd/TXT.rtf")
        for name in ["a.sh", "p.rtfd/TXT.rtf"] {
            try one.setPermissions(0o750, of: name)
            try one.setAttribute("user.note", to: "kept", of: name)
        }
        let full = [
            "a.sh": "750 user.note=kept text", "p.rtfd": "755 folder",
            "p.rtfd/TXT.rtf": "750 user.note=kept text",
        ]
        let poor = ["a.sh": "644 text", "p.rtfd": "755 folder", "p.rtfd/TXT.rtf": "644 text"]
        func expect(_ full: [String: String], _ poor: [String: String]) {
            let isSo = two.wait {
                one.descriptions == full && two.descriptions == poor
                    && [one, two].allSatisfy { $0.isInStep(at: pair.hub.entryCount) }
            }
            #expect(isSo, "\(one.descriptions) and \(two.descriptions); \(one.said) and \(two.said)")
        }
        expect(full, poor)
        try pair.expectRest()
        // What is written there goes to the other device, and nothing else.
        try two.write("other text", to: "a.sh")
        try two.write("other text", to: "p.rtfd/TXT.rtf")
        let changed = full.mapValues { $0.replacingOccurrences(of: " text", with: " other text") }
        expect(changed, poor.mapValues { $0.replacingOccurrences(of: " text", with: " other text") })
        try one.write("last", to: "p.rtfd/TXT.rtf")
        expect(
            changed.merging(["p.rtfd/TXT.rtf": "750 user.note=kept last"]) { $1 },
            ["a.sh": "644 other text", "p.rtfd": "755 folder", "p.rtfd/TXT.rtf": "644 last"]
        )
        try pair.expectRest()
        pair.end()
    }

    @Test(
        "Permissions and attributes of a folder stay on the device where it has them, and are nothing to send"
    )
    func folder() throws {
        try one.write("text", to: "folder/a.txt")
        let expected = ["folder": "755 folder", "folder/a.txt": "644 text"]
        pair.expectBoth(expected)
        let entryCount = pair.hub.entryCount
        try one.setPermissions(0o700, of: "folder")
        try one.setAttribute("user.n", to: "here", of: "folder")
        try one.write("more text", to: "folder/a.txt")
        #expect(two.wait { two.text("folder/a.txt") == "more text" })
        #expect(pair.hub.entryCount == entryCount + 1)
        #expect(one.description(of: "folder") == "700 user.n=here folder")
        #expect(two.description(of: "folder") == "755 folder")
        try pair.expectRest()
        pair.end()
    }
}
