import DocumentFoundation
import FileSystem
import Foundation
import TestThreads
import Testing
import Vault

/// The user's vault, and what becomes of documents without one.
@Suite("The user's versions", .onOwnThreads, .timeLimit(.minutes(3)))
struct VersionStoreTests {
    @Test("The vault is where the base directory specification has data, or where SHEAF_VAULT says")
    func places() {
        let root = URL(fileURLWithPath: "/r")
        let usual = VersionStage.settings(root)
        #expect(usual.vaultFolder?.string == "/r/data/sheaf/vault")
        #expect(usual.stateFolder.string == "/r/state/sheaf")
        #expect(usual.copiesFolder.string == "/r/cache/sheaf/versions")
        #expect(VersionStage.settings(root, vault: "").vaultFolder == usual.vaultFolder)
        #expect(VersionStage.settings(root, vault: "off").vaultFolder == nil)
        #expect(VersionStage.settings(root, vault: "/v/x").vaultFolder?.string == "/v/x")
        let here = FileManager.default.currentDirectoryPath
        #expect(VersionStage.settings(root, vault: "x").vaultFolder?.string == "\(here)/x")
        let home = VersionSettings(environment: ["HOME": "/h", "XDG_DATA_HOME": "no"], hostName: "desk")
        #expect(home.vaultFolder?.string == "/h/.local/share/sheaf/vault")
        #expect(home.stateFolder.string == "/h/.local/state/sheaf")
        #expect(home.copiesFolder.string == "/h/.cache/sheaf/versions")
    }

    @Test("Tests keep nothing in the user's own vault")
    func testsAreApart() {
        let home = VersionSettings(environment: ["HOME": NSHomeDirectory()], hostName: "").vaultFolder
        #expect(VersionSettings.current.vaultFolder != home)
    }

    @Test("A device keeps its identity, and the name that its user has given it")
    func device() throws {
        let stage = try VersionStage()
        try stage.save("one", at: "a.txt")
        let file = stage.root.appendingPathComponent("state/sheaf/device")
        let before = try stage.text(file)
        try Data(before.replacingOccurrences(of: "desk", with: "My desk").utf8).write(to: file)
        let later = try VersionStage(root: stage.root)
        try later.save("two", at: "a.txt")
        let url = try later.save("three", at: "a.txt")
        #expect(try later.others(url).map(\.localizedNameOfSavingComputer) == ["desk", "My desk"])
        try Data("{".utf8).write(to: file)
        try VersionStage(root: stage.root).save("four", at: "a.txt")
        #expect(try stage.text(file).contains("desk"))
    }

    @Test(
        "What another program wrote comes from what was saved before; what lost against another device from nobody knows what"
    )
    func ancestor() throws {
        for (reason, expected) in [(VersionReason.conflict, nil), (.outsideWriter(process: "vi"), "second")] {
            let stage = try VersionStage()
            // Only the first may be what the other device had.
            for text in ["first", "second"] { try stage.save(text, at: "a.txt") }
            let url = try stage.write("won", at: "a.txt")
            let loser = try stage.write("lost", at: "elsewhere.txt")
            let mark = try #require(try FileIdentity.ifPresent(at: FilePath(url.path))?.mark)
            _ = try stage.store.keepConflict(at: FilePath(loser.path), of: url, as: mark, reason)
            let versions = stage.run { NSFileVersion.unresolvedConflictVersionsOfItem(at: url) }
            let version = try #require(versions?.first)
            #expect(try stage.text(version.url) == "lost")
            let ancestor = try stage.store.ancestor(of: version)
            #expect(try ancestor.map { try stage.text($0.url) } == expected)
        }
    }

    @Test("A package that lost against another device is listed, though all dates and the size are the same")
    func packageOfSameDate() throws {
        let stage = try VersionStage()
        for (text, folder) in [("won", "a.rtfd"), ("los", "elsewhere.rtfd")] {
            try stage.write(text, at: "\(folder)/data/state")
        }
        let (url, loser) = (stage.place("a.rtfd"), stage.place("elsewhere.rtfd"))
        func date() throws {
            let date = Date(timeIntervalSince1970: 1_000_000_000)
            for place in [url, loser] {
                for name in ["data/state", "data", ""] {
                    let path = place.appendingPathComponent(name).path
                    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
                }
            }
        }
        try date()
        try stage.keep(url)
        let mark = try #require(try FileIdentity.ifPresent(at: FilePath(url.path))?.mark)
        stage.clock.advance(60)
        _ = try stage.store.keepConflict(at: FilePath(loser.path), of: url, as: mark, .conflict)
        let text = { (url: URL) in try stage.text(url.appendingPathComponent("data/state")) }
        try stage.store.settleConflictsWithItself(at: url)
        let versions = try #require(stage.run { NSFileVersion.unresolvedConflictVersionsOfItem(at: url) })
        #expect(try versions.map { try text($0.url) } == ["los"])
        // What it has become itself is another's no more.
        try stage.write("los", at: "a.rtfd/data/state")
        try date()
        try stage.store.settleConflictsWithItself(at: url)
        #expect(stage.run { NSFileVersion.unresolvedConflictVersionsOfItem(at: url) } == [])
    }

    @Test(
        "What lost against another device is listed, and not settled, though the document is as old and as large"
    )
    func sameDate() throws {
        let stage = try VersionStage()
        let url = try stage.save("won", at: "a.txt")
        let loser = try stage.write("los", at: "elsewhere.txt")
        for place in [url, loser] {
            let date = Date(timeIntervalSince1970: 1_000_000_000)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: place.path)
        }
        stage.clock.advance(60)
        let mark = try #require(try FileIdentity.ifPresent(at: FilePath(url.path))?.mark)
        _ = try stage.store.keepConflict(at: FilePath(loser.path), of: url, as: mark, .conflict)
        try stage.store.settleConflictsWithItself(at: url)
        let versions = try #require(stage.run { NSFileVersion.unresolvedConflictVersionsOfItem(at: url) })
        #expect(try versions.map { try stage.text($0.url) } == ["los"])
    }

    @Test("Switched off, nothing is kept and nothing written; what cannot be done says so")
    func off() throws {
        let stage = try VersionStage(vault: "off")
        let url = try stage.write("one", at: "a.txt")
        #expect(throws: FileVersionError.self) { try stage.keep(url) }
        #expect(try stage.others(url) == [])
        #expect(stage.run { NSFileVersion.currentVersionOfItem(at: url) } != nil)
        let error = #expect(throws: CocoaError.self) {
            try stage.run { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        }
        #expect(error?.code == .featureUnsupported)
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.root.path) == ["a.txt"])
        #expect(stage.reports.all == [])
    }

    @Test(
        "A vault that cannot be opened is reported once, with the remedy, and tried again a minute later, or when the clock was put back",
        arguments: [61, -10 * 365 * 86400.0]
    )
    func unavailable(secondsLater: Double) throws {
        let stage = try VersionStage()
        let vault = stage.root.appendingPathComponent("data/sheaf/vault")
        try FileManager.default.createDirectory(at: vault, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: vault.path)
        let url = try stage.write("one", at: "a.txt")
        for _ in 1...3 {
            let error = #expect(throws: FileVersionError.self) { try stage.keep(url) }
            #expect(error?.code == .vaultUnavailable)
            #expect(error?.url == url)
        }
        #expect(try stage.others(url) == [])
        #expect(stage.reports.all.count == 1)
        #expect(stage.reports.all.first?.contains("chmod 700") == true)
        #expect(stage.reports.all.first?.contains(vault.path) == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: vault.path)
        stage.clock.advance(secondsLater)
        try stage.keep(url)
        try stage.save("two", at: "a.txt")
        #expect(try stage.texts(url) == ["one"])
    }

    @Test("What cannot be kept is a typed error that names the item")
    func notKept() throws {
        let stage = try VersionStage()
        let package = stage.place("a.rtfd")
        try stage.write("one", at: "a.rtfd/text.txt")
        try stage.shell("mkfifo", package.appendingPathComponent("pipe").path)
        let error = #expect(throws: FileVersionError.self) { try stage.keep(package) }
        #expect(error?.code == .notKept)
        #expect(error?.errorDescription?.contains("a.rtfd") == true)
        #expect(error?.errorDescription?.contains("pipe") == true)
    }

    /// Damages the first object that is kept.
    private func damage(_ stage: VersionStage) throws {
        let packs = stage.root.appendingPathComponent("data/sheaf/vault/packs")
        for pack in try FileManager.default.contentsOfDirectory(atPath: packs.path) {
            let place = packs.appendingPathComponent(pack)
            var bytes = try Data(contentsOf: place)
            // The bytes of the first object, behind the pack's header and the record's.
            for index in 112..<min(120, bytes.count) { bytes[index] ^= 0xff }
            let file = try FileHandle(forWritingTo: place)
            try file.write(contentsOf: bytes)
            try file.close()
        }
    }

    @Test(
        "What is damaged is told with the versions that it touches, and put back from the document as it is"
    )
    func repaired() throws {
        let stage = try VersionStage()
        let text = String(repeating: "one", count: 100)
        let url = try stage.save(text, at: "a.txt")
        try stage.save("two", at: "a.txt")
        try stage.save("other", at: "b.txt")
        let whole = try stage.store.verify()
        #expect(whole.faults == [] && whole.versionCount == 3 && whole.checkedByteCount > 0)
        try damage(stage)
        let broken = try stage.store.verify()
        #expect(broken.brokenVersions.map(\.path) == [url.resolvingSymlinksInPath().path])
        #expect(broken.brokenVersions.map(\.documentName) == ["a.txt"])
        #expect(!broken.faults.isEmpty)
        // The document is another by now.
        #expect(try !stage.store.repair(from: []).faults.isEmpty)
        let missing = FilePath(stage.place("no vault").path)
        #expect(throws: CocoaError.self) { try stage.store.repair(from: [missing]) }
        try stage.write(text, at: "a.txt")
        #expect(try stage.store.repair(from: []).faults == [])
        #expect(try stage.store.verify().faults == [])
        #expect(try stage.texts(url).first == text)
    }

    @Test("What a version takes the place of is kept whole, though what was kept of it was damaged")
    func replacedThoughDamaged() throws {
        let stage = try VersionStage()
        let text = String(repeating: "one", count: 100)
        for text in [text, "two", text] { try stage.save(text, at: "a.txt") }
        let url = stage.place("a.txt")
        let version = try #require(try stage.others(url).last)
        try damage(stage)
        #expect(try !stage.store.verify().brokenVersions.isEmpty)
        try version.replaceItem(at: url)
        #expect(try stage.text(url) == "two")
        #expect(try stage.store.verify().brokenVersions == [])
        #expect(try stage.texts(url).contains(text))
    }

    @Test("A damaged version is an error of Cocoa's, and the item stays as it is")
    func damaged() throws {
        let stage = try VersionStage()
        try stage.save(String(repeating: "one", count: 100), at: "a.txt")
        let url = try stage.save("two", at: "a.txt")
        let version = try #require(try stage.others(url).first)
        try damage(stage)
        let error = #expect(throws: CocoaError.self) { try version.replaceItem(at: url) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(try stage.text(url) == "two")
        #expect(!FileManager.default.fileExists(atPath: version.url.path))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: stage.root.path).filter { $0.hasPrefix(".") }
                == []
        )
    }

    @Test(
        "Versions are thinned by the rules, at most once an hour a document; what was removed is collected later"
    )
    func thinning() throws {
        let stage = try VersionStage()
        let rules = VersionRetention(rules: [.init(ageMax: 100, interval: 0)])
        func save(_ text: String) throws {
            let url = try stage.write(text, at: "a.txt")
            try stage.store.keep(url, VersionKeeping(.autosave, retention: rules))
        }
        for text in ["one", "two", "three"] { try save(text) }
        let url = stage.place("a.txt")
        #expect(try stage.texts(url) == ["one", "two"])
        stage.clock.advance(200)
        try save("four")
        // All are too old, but an hour is not over.
        #expect(try stage.texts(url) == ["one", "two", "three"])
        stage.clock.advance(3600)
        try save("five")
        #expect(try stage.texts(url) == [])
        #expect(try stage.text(url) == "five")
        let collected = stage.root.appendingPathComponent("state/sheaf/vault-collected")
        #expect(FileManager.default.fileExists(atPath: collected.path))
        #expect(stage.reports.all == [])
    }

    @Test("What a version in conflict is to be merged with is not thinned before that is settled")
    func thinnedAncestor() throws {
        let stage = try VersionStage()
        let keeping = VersionKeeping(
            .autosave,
            retention: VersionRetention(rules: [.init(ageMax: 100, interval: 0)])
        )
        func save(_ text: String) throws { try stage.store.keep(try stage.write(text, at: "a.txt"), keeping) }
        for text in ["former", "ancestor"] { try save(text) }
        let url = try stage.write("theirs", at: "a.txt")
        let theirs = try stage.store.keepConflict(
            url,
            VersionKeeping(.outsideWriter(process: ""))
        )
        try save("mine")
        stage.clock.advance(4000)
        try save("mine, later")
        #expect(try stage.texts(url) == ["ancestor", "theirs"])
        let ancestor = try #require(try stage.store.ancestor(of: theirs))
        #expect(try stage.run { try stage.text(ancestor.url) } == "ancestor")
        try stage.store.settle([theirs])
        stage.clock.advance(4000)
        try save("mine, at last")
        #expect(try stage.texts(url) == [])
        #expect(stage.reports.all == [])
    }
}
