import DocumentFoundation
import DocumentTesting
import Foundation
import Sync
import SyncMessages
import TestThreads
import Testing
import Vault

@testable import DeviceSync

/// Documents whose sync is paused on one of two devices.
@Suite("Pausing", .onOwnThreads, .timeLimit(.minutes(2)))
struct PausingTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func resume(
        _ path: String,
        _ resumption: SyncResumption = .preserveLocal
    ) throws -> QuestionOutcome {
        let outcome = QuestionOutcome()
        try #require(two.running).resume(path, resumption, done: outcome.take)
        return outcome
    }

    /// Has each device do something that the other one hears of: what came before has been seen, too.
    private func meet(_ name: String) throws {
        try one.write("1", to: "\(name) 1")
        try two.write("2", to: "\(name) 2")
        pair.wait { two.text("\(name) 1") == "1" && one.text("\(name) 2") == "2" }
    }

    private func begin(_ text: String = "a\nb\nc\n") throws {
        try one.write(text, to: "a.txt")
        pair.wait { two.text("a.txt") == text && pair.isSettled }
        try #require(two.running).pause("a.txt", by: "a test")
    }

    @Test(
        "What is done to a paused document waits, here and elsewhere, over a restart, and is merged when it is resumed"
    )
    func merged() throws {
        try begin()
        #expect(two.running?.item("a.txt")?.standing == .paused)
        try two.write("A\nb\nc\n", to: "a.txt")
        try one.write("a\nb\nC\n", to: "a.txt")
        try meet("first")
        #expect(two.text("a.txt") == "A\nb\nc\n" && one.text("a.txt") == "a\nb\nC\n")
        two.stop()
        try two.start()
        try meet("second")
        #expect(two.text("a.txt") == "A\nb\nc\n" && one.text("a.txt") == "a\nb\nC\n")
        let explanation = try #require(two.explanation("a.txt"))
        #expect(explanation.causes.first?.contains("is paused since") == true)
        #expect(explanation.causes.first?.contains("by a test") == true)
        #expect(explanation.next.hasPrefix("Resume it: sheaf resume"))
        #expect(two.status?.stuck["a.txt"]?.contains("paused") == true && two.status?.isSettled == false)
        #expect(try resume("a.txt").isDone)
        pair.wait { one.text("a.txt") == "A\nb\nC\n" && two.text("a.txt") == "A\nb\nC\n" && pair.isSettled }
        #expect(try two.conflicts("a.txt") == [])
        // Resumed is resumed, after a restart, too.
        two.stop()
        try two.start()
        try two.write("more", to: "a.txt")
        pair.wait { one.text("a.txt") == "more" }
        pair.end()
    }

    @Test(
        "What cannot be written down to be resumed stays paused",
        arguments: [SyncResumption.preserveLocal, .dropLocal]
    )
    func unremembered(_ resumption: SyncResumption) throws {
        try begin()
        try two.write("A\nb\nc\n", to: "a.txt")
        try meet("first")
        try two.fillDisk()
        let outcome = try? resume("a.txt", resumption)
        #expect(outcome?.isDone != true)
        two.freeDisk()
        try meet("second")
        #expect(one.text("a.txt") == "a\nb\nc\n" && two.text("a.txt") == "A\nb\nc\n")
        #expect(two.running?.item("a.txt")?.pause != nil)
        #expect(try resume("a.txt").isDone)
        pair.wait { one.text("a.txt") == "A\nb\nc\n" && pair.isSettled }
        pair.end()
    }

    @Test(
        "A process that dies as soon as it is written down that something is resumed has it resumed just so"
    )
    func deathWhileResumed() throws {
        for (name, dropsLocal) in [("kept.txt", false), ("dropped.txt", true)] {
            try one.write("a\nb\nc\n", to: name)
            pair.wait { two.text(name) == "a\nb\nc\n" && pair.isSettled }
            two.stop()
            let run = SeenRun()
            try run.start(two)
            try run.sync { try $0.pause(name, by: "a test") }
            try Data("A\nb\nc\n".utf8).write(to: two.folder.appendingPathComponent(name))
            try one.write("a\nb\nC\n", to: name)
            pair.wait {
                (try? run.sync { run in
                    run.item(at: name).map { run.engine.change(of: $0) == .both } ?? false
                }) == true
            }
            try run.sync { run in
                let item = try #require(run.item(at: name))
                try run.rememberResumed([item], dropsLocal: dropsLocal)
            }
            run.stop()
            try two.start()
            let text = dropsLocal ? "a\nb\nC\n" : "A\nb\nC\n"
            pair.wait { one.text(name) == text && two.text(name) == text && pair.isSettled }
            #expect(try two.conflicts(name) == [])
        }
        pair.end()
    }

    @Test("What cannot be merged becomes a conflict when it is resumed, as if the device had been away")
    func conflict() throws {
        try begin("one\n")
        try two.write("two\n", to: "a.txt")
        try one.write("three\n", to: "a.txt")
        try meet("m")
        _ = try resume("a.txt")
        pair.wait { pair.isSettled && (try? one.conflicts("a.txt"))?.count == 1 }
        #expect(try Set(one.conflicts("a.txt") + [one.text("a.txt") ?? ""]) == ["two\n", "three\n"])
        #expect(one.text("a.txt") == two.text("a.txt"))
        pair.end()
    }

    @Test(
        "Removed elsewhere it stays until it is resumed; renamed and removed here the others hear of it then"
    )
    func removed() throws {
        try begin()
        try one.write("b", to: "b.txt")
        pair.wait { two.text("b.txt") == "b" && pair.isSettled }
        try #require(two.running).pause("b.txt", by: "a test")
        try FileManager.default.removeItem(at: one.folder.appendingPathComponent("a.txt"))
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("b.txt"))
        try meet("m")
        #expect(two.text("a.txt") == "a\nb\nc\n" && one.text("b.txt") == "b")
        _ = try resume("a.txt")
        _ = try resume("b.txt")
        pair.wait { two.text("a.txt") == nil && one.text("b.txt") == nil && pair.isSettled }
        pair.end()
    }

    @Test("A state of a paused document is sent at a stable point; once others have changed it, that fails")
    func offered() throws {
        try begin()
        try two.write("first", to: "a.txt")
        let sent = QuestionOutcome()
        _ = try #require(two.running).offer("a.txt", done: sent.take)
        pair.wait { sent.isDone && one.text("a.txt") == "first" }
        #expect(two.running?.item("a.txt")?.pause != nil)
        try two.write("second", to: "a.txt")
        try one.write("theirs", to: "a.txt")
        try meet("m")
        #expect(one.text("a.txt") == "theirs" && two.text("a.txt") == "second")
        let refused = QuestionOutcome()
        _ = try #require(two.running).offer("a.txt", done: refused.take)
        pair.wait { refused.code == .overtaken }
        let stays = try resume("a.txt", .failOnConflict)
        pair.wait { stays.code == .overtaken }
        #expect(two.running?.item("a.txt")?.pause != nil && one.text("a.txt") == "theirs")
        // What is wanted less is dropped, and stays among the versions.
        #expect(try resume("a.txt", .dropLocal).isDone)
        pair.wait { two.text("a.txt") == "theirs" && pair.isSettled }
        try VersionStore.$shared.withValue(two.versions) {
            let url = two.folder.appendingPathComponent("a.txt")
            let others = try #require(NSFileVersion.otherVersionsOfItem(at: url))
            let texts = others.compactMap { try? String(contentsOf: $0.url, encoding: .utf8) }
            #expect(texts.contains("second") && others.allSatisfy { !$0.isConflict })
        }
        try #require(two.running).pause("a.txt", by: "a test")
        try two.write("third", to: "a.txt")
        let followed = try resume("a.txt", .failOnConflict)
        pair.wait { followed.isDone && one.text("a.txt") == "third" && pair.isSettled }
        #expect(two.running?.item("a.txt")?.pause == nil)
        pair.end()
    }

    @Test(
        "What cannot be read or kept is not said to be sent, and stays paused",
        arguments: [nil, WorldDevice.DiskAccess.reading]
    )
    func unread(_ fails: WorldDevice.DiskAccess?) throws {
        try begin()
        let running = try #require(two.running)
        let file = two.folder.appendingPathComponent("a.txt")
        if let fails { try two.breakDisk(fails, at: file) } else { try two.fillDisk() }
        try two.write("new", to: "a.txt")
        let sent = QuestionOutcome()
        _ = try running.offer("a.txt", done: sent.take)
        #expect(sent.code == .failed)
        let resumed = try resume("a.txt", .failOnConflict)
        #expect(resumed.code == .failed)
        #expect(running.item("a.txt")?.pause != nil)
        if fails == nil { two.freeDisk() } else { two.mendDisk() }
        try meet("m")
        #expect(one.text("a.txt") == "a\nb\nc\n" && two.text("a.txt") == "new")
        let followed = try resume("a.txt", .failOnConflict)
        pair.wait { followed.isDone && one.text("a.txt") == "new" && pair.isSettled }
        #expect(running.item("a.txt")?.pause == nil)
        pair.end()
    }

    @Test("What was removed here and changed elsewhere stays paused where that is to be no conflict")
    func removedAndChanged() throws {
        try begin()
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("a.txt"))
        try one.write("theirs", to: "a.txt")
        try meet("m")
        var stays = try resume("a.txt", .failOnConflict)
        pair.wait {
            // That it is gone is looked at a moment later.
            if stays.code == .busy { stays = (try? resume("a.txt", .failOnConflict)) ?? stays }
            return stays.code == .overtaken
        }
        #expect(two.text("a.txt") == nil && two.running?.item("a.txt")?.pause != nil)
        _ = try resume("a.txt")
        pair.wait { two.text("a.txt") == "theirs" && pair.isSettled }
        pair.end()
    }

    @Test("What was saved or renamed a moment ago is what is paused under its name")
    func pausedAtOnce() throws {
        try one.write("old", to: "a.txt")
        try one.write("else", to: "folder/c.txt")
        pair.wait { two.text("a.txt") == "old" && two.text("folder/c.txt") == "else" && pair.isSettled }
        two.stop()
        let run = SeenRun()
        try run.start(two)
        try run.sync { run in
            // Nothing has been heard of it when it is paused.
            try two.write("new", to: "new.txt")
            try run.pause("new.txt", by: "a test")
            #expect(Set(run.paused.keys) == [try #require(run.item(at: "new.txt"))])
        }
        try run.sync { run in
            let source = two.folder.appendingPathComponent("a.txt")
            let target = two.folder.appendingPathComponent("folder/b.txt")
            try FileManager.default.moveItem(at: source, to: target)
            try two.write("other", to: "a.txt")
            try run.pause("a.txt", by: "a test")
            #expect(run.paused[try #require(run.item(at: "a.txt"))] != nil)
        }
        // What has the name is held up, whichever of the two is taken for the document that had it; the other one is not.
        pair.wait { one.text("folder/b.txt") == "old" }
        try one.write("more", to: "folder/b.txt")
        pair.wait { two.text("folder/b.txt") == "more" }
        #expect(one.text("new.txt") == nil && one.text("a.txt") != "other" && two.text("a.txt") == "other")
        run.stop()
        pair.end()
    }

    @Test("Another item wants the name of a paused one: it waits, and neither is moved")
    func name() throws {
        try begin()
        try two.write("mine", to: "a.txt")
        // What is new at the name of what was renamed a moment ago would be that.
        try one.write("new", to: "c.txt")
        pair.wait { two.text("c.txt") == "new" }
        let files = FileManager.default
        func move(_ source: String, _ target: String) throws {
            try files.moveItem(
                at: one.folder.appendingPathComponent(source),
                to: one.folder.appendingPathComponent(target)
            )
        }
        try move("a.txt", "b.txt")
        try move("c.txt", "a.txt")
        try meet("m")
        #expect(two.text("a.txt") == "mine" && two.text("b.txt") == nil)
        _ = try resume("a.txt")
        pair.wait { one.text("b.txt") == "mine" && two.text("b.txt") == "mine" && pair.isSettled }
        #expect(two.text("a.txt") == "new" && one.contents == two.contents)
        pair.end()
    }

    @Test("FileManager pauses, fetches beside, sends and resumes; resource values tell")
    func fileManager() async throws {
        try begin()
        _ = try resume("a.txt")
        try await pair.served {
            let url = two.folder.appendingPathComponent("a.txt")
            let keys: Set<URLResourceKey> = [
                .ubiquitousItemIsSyncPausedKey, .ubiquitousItemSupportedSyncControlsKey,
            ]
            var values = try url.resourceValues(forKeys: keys)
            #expect(values.ubiquitousItemIsSyncPaused == false)
            #expect(values.ubiquitousItemSupportedSyncControls == [.pauseSync, .failUploadOnConflict])
            let files = FileManager.default
            try await files.pauseSyncForUbiquitousItem(at: url)
            values = try url.resourceValues(forKeys: keys)
            #expect(values.ubiquitousItemIsSyncPaused == true)
            try two.write("mine", to: "a.txt")
            _ = try await files.uploadLocalVersionOfUbiquitousItem(
                at: url,
                withConflictResolutionPolicy: .conflictPolicyFailOnConflict
            )
            pair.wait { one.text("a.txt") == "mine" }
            try one.write("theirs", to: "a.txt")
            try meet("m")
            let theirs = try await files.fetchLatestRemoteVersionOfItem(at: url)
            #expect(try String(contentsOf: theirs.url, encoding: .utf8) == "theirs")
            #expect(two.text("a.txt") == "mine" && !theirs.isConflict)
            try two.write("mine again", to: "a.txt")
            let failure = await #expect(throws: CocoaError.self) {
                try await files.resumeSyncForUbiquitousItem(at: url, with: .afterUploadWithFailOnConflict)
            }
            #expect(failure?.code == .fileWriteUnknown)
            #expect((failure?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == -2015)
            try await files.resumeSyncForUbiquitousItem(at: url, with: .dropLocalChanges)
            pair.wait { two.text("a.txt") == "theirs" && pair.isSettled }
        }
        pair.end()
    }

    private func expectNoneAtHub(_ name: String) async throws {
        let url = two.folder.appendingPathComponent(name)
        let failure = await #expect(throws: CocoaError.self) {
            _ = try await FileManager.default.fetchLatestRemoteVersionOfItem(at: url)
        }
        #expect(failure?.code == .fileNoSuchFile, "\(name)")
    }

    @Test("What the hub does not have cannot be fetched: it was removed elsewhere, or never sent")
    func absent() async throws {
        try begin()
        try FileManager.default.removeItem(at: one.folder.appendingPathComponent("a.txt"))
        // It differs from what the hub has once that is known.
        pair.wait { two.running?.item("a.txt")?.isSettled == false }
        two.line.cut()
        pair.wait { two.status?.line == .down }
        try two.write("new", to: "b.txt")
        pair.wait { (try? two.running?.pause("b.txt", by: "a test")) != nil }
        two.line.mend()
        pair.wait { two.status?.line == .up }
        try await pair.served {
            try await expectNoneAtHub("a.txt")
            try await expectNoneAtHub("b.txt")
        }
        #expect(two.text("a.txt") == "a\nb\nc\n" && two.text("b.txt") == "new")
        pair.end()
    }

    @Test("Of a paused document, contents that are not here come first, then what others have made of it")
    func evicted() async throws {
        try one.write("mine", to: "a.txt")
        pair.wait { two.text("a.txt") == "mine" && pair.isSettled }
        try #require(two.running).evict("a.txt")
        pair.wait { two.said.contains(.freed) }
        try #require(two.running).pause("a.txt", by: "a test")
        try await pair.served {
            let (files, url) = (FileManager.default, two.folder.appendingPathComponent("a.txt"))
            let same = try await files.fetchLatestRemoteVersionOfItem(at: url)
            #expect(two.text("a.txt") == "mine")
            #expect(try String(contentsOf: same.url, encoding: .utf8) == "mine")
            #expect(two.running?.item("a.txt")?.pause != nil)
            let freedCount = two.said.filter { $0 == .freed }.count
            try await files.resumeSyncForUbiquitousItem(at: url, with: .preserveLocalChanges)
            pair.wait { pair.isSettled }
            try #require(two.running).evict("a.txt")
            pair.wait { two.said.filter { $0 == .freed }.count > freedCount }
            try #require(two.running).pause("a.txt", by: "a test")
            try one.put("theirs", at: "a.txt")
            pair.wait { two.running?.item("a.txt")?.isSettled == false }
            let theirs = try await files.fetchLatestRemoteVersionOfItem(at: url)
            #expect(try String(contentsOf: theirs.url, encoding: .utf8) == "theirs")
            #expect(two.text("a.txt") == "mine")
        }
        pair.end()
    }
}
