import DocumentTesting
import Foundation
import Locks
import TestThreads
import Testing
import UIKit

/// A text, one line a thing.
private final class Note: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

@Suite("A world of several devices", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct DocumentWorldTests {
    private func write(
        _ text: String,
        _ name: String = "a.txt",
        on device: WorldDevice,
        in world: DocumentWorld
    ) async throws {
        let url = device.folder.appendingPathComponent(name)
        if FileManager.default.fileExists(atPath: url.path) {
            try await world.edit(Note.init, name, on: device) { $0.text = text }
        } else {
            try await world.create(Note.init, name, on: device) { $0.text = text }
        }
    }

    private func text(
        _ name: String = "a.txt",
        on device: WorldDevice,
        in world: DocumentWorld
    ) async throws -> String {
        var text = ""
        try await world.look(Note.init, name, on: device) { text = $0.text }
        return text
    }

    @Test("A document edited on two devices, one of them offline, is merged")
    func merged() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await write("one\ntwo\nthree\nfour\n", on: phone, in: world)
        try await world.settle()
        pad.goOffline()
        try await write("ONE\ntwo\nthree\nfour\n", on: phone, in: world)
        try await write("one\ntwo\nthree\nFOUR\n", on: pad, in: world)
        pad.goOnline()
        try await world.settle()
        for device in [phone, pad] {
            #expect(try await text(on: device, in: world) == "ONE\ntwo\nthree\nFOUR\n")
        }
        try world.end()
    }

    /// Steps aside once it has had the main thread.
    private final class MainThreadPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
        // Sendable because nothing stored changes.
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        let asked = AsyncStream.makeStream(of: Void.self)
        let mayGoOn = DispatchSemaphore(value: 0)
        let hasHadMainThread = Locked(false)

        init(_ url: URL) { presentedItemURL = url }

        func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
            asked.continuation.yield()
            mayGoOn.wait()
            DispatchQueue.main.sync { hasHadMainThread.withLock { $0 = true } }
            mayGoOn.signal()
            writer(nil)
        }
    }

    @Test("A world comes to rest although one of its devices waits for somebody who needs the main thread")
    func mainThread() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await write("one\n", on: phone, in: world)
        try await world.settle()
        let presenter = MainThreadPresenter(pad.folder.appendingPathComponent("a.txt"))
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        try await write("two\n", on: phone, in: world)
        var asked = presenter.asked.stream.makeAsyncIterator()
        await asked.next()
        presenter.mayGoOn.signal()
        try await world.settle()
        // And not because it was given up.
        #expect(presenter.hasHadMainThread.withLock { $0 })
        NSFileCoordinator.removeFilePresenter(presenter)
        #expect(try await text(on: pad, in: world) == "two\n")
        try world.end()
    }

    @Test("What README shows")
    func readme() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Note.init, "a.txt", on: phone) { $0.text = "one\ntwo\nthree\n" }
        try await world.settle()
        pad.goOffline()
        try await world.edit(Note.init, "a.txt", on: phone) { $0.text = "ONE\ntwo\nthree\n" }
        try await world.edit(Note.init, "a.txt", on: pad) { $0.text = "one\ntwo\nTHREE\n" }
        pad.goOnline()
        try await world.settle()
        try await world.look(Note.init, "a.txt", on: phone) { #expect($0.text == "ONE\ntwo\nTHREE\n") }
    }

    @Test("What cannot be merged is a conflict on both devices, until one of them has settled it")
    func conflict() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await write("one\n", on: phone, in: world)
        try await world.settle()
        pad.goOffline()
        try await write("of the phone\n", on: phone, in: world)
        try await write("of the pad\n", on: pad, in: world)
        try await world.settle()
        pad.goOnline()
        try await world.settle()
        for device in [phone, pad] {
            let url = device.folder.appendingPathComponent("a.txt")
            #expect(try await text(on: device, in: world) == "of the phone\n")
            let versions = try device.unresolvedConflicts(of: url)
            #expect(try versions.map { try String(contentsOf: $0.url, encoding: .utf8) } == ["of the pad\n"])
        }
        try world.end()
    }

    @Test("An evicted document comes back over a slow line")
    func evicted() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await write("far away\n", on: phone, in: world)
        try await world.settle()
        let url = pad.folder.appendingPathComponent("a.txt")
        try pad.evict(url)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        try await world.settle()
        pad.slowDown(toSeconds: 0.05)
        try await pad.download(url)
        #expect(try await text(on: pad, in: world) == "far away\n")
        try world.end()
    }

    @Test("No contents leave a device that is stopped, or come to it, and it is said that it is stopped")
    func stopped() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await write("here\n", on: phone, in: world)
        try await write("away\n", "b.txt", on: phone, in: world)
        try await world.settle()
        let (here, away) = (
            pad.folder.appendingPathComponent("a.txt"), pad.folder.appendingPathComponent("b.txt")
        )
        try pad.evict(away)
        pad.stop()
        let evicting = #expect(throws: CocoaError.self) { try pad.evict(here) }
        let downloading = await #expect(throws: CocoaError.self) { try await pad.download(away) }
        for error in [evicting, downloading] {
            #expect(error?.code == .ubiquitousFileUbiquityServerNotAvailable)
            let why = error?.userInfo[NSLocalizedDescriptionKey] as? String
            #expect(why?.contains("pad is stopped") == true)
        }
        #expect(FileManager.default.fileExists(atPath: here.path))
        try pad.start()
        try await pad.download(away)
        #expect(try await text("b.txt", on: pad, in: world) == "away\n")
        try world.end()
    }

    @Test("A device that runs is started anew, and no two have one name, nor one that is no folder's")
    func startedTwice() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        try pad.start()
        try pad.start()
        #expect(pad.isStarted && pad.isOnline)
        try await write("one\n", on: phone, in: world)
        try await world.settle()
        #expect(try await text(on: pad, in: world) == "one\n")

        for name in ["phone", "", "a/b", "..", "memory of pad"] {
            let failure = #expect(throws: WorldNameFailure.self) { _ = try world.devices([name]) }
            #expect(failure?.name == name)
            #expect(failure.map { "\($0)" }?.contains("“\(name)”") == true)
        }
        try await world.settle()
    }

    @Test("A hub that is put back loses nothing; a world that cannot come to rest says why")
    func hubPutBack() async throws {
        let world = try DocumentWorld()
        let all = try world.devices(["phone", "pad", "desk"])
        world.backUpHub()
        try await write("kept\n", on: all[1], in: world)
        try await world.settle()
        world.restoreHub()
        try await world.settle()
        for device in all { #expect(try await text(on: device, in: world) == "kept\n") }
        all[0].goOffline()
        try await write("alone\n", "b.txt", on: all[0], in: world)
        #expect(all[0].explain(all[0].folder.appendingPathComponent("b.txt")).count > 1)
        try await world.settle()
        #expect(!FileManager.default.fileExists(atPath: all[1].folder.appendingPathComponent("b.txt").path))
        try world.end()
    }

    @Test("A world ends while what was closed a moment ago still takes files away")
    func endsWithOthersAtWork() throws {
        let world = try DocumentWorld()
        let phone = try world.devices(["phone"])[0]
        let files = (0..<2_000).map { phone.folder.appendingPathComponent("\($0).txt") }
        phone.stop()
        for file in files { try Data().write(to: file) }
        let others = Thread {
            // Some are the world's to remove.
            for file in files.reversed() { unlink(file.path) }
        }
        others.start()
        try world.end()
        #expect(!FileManager.default.fileExists(atPath: phone.folder.path))
    }
}
