import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

// What Docs/testing.md shows, as an app's developer would write it: only what is public.

/// A text, as the guide has it.
private final class Note: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

/// Bytes.
private final class Picture: UIDocument {
    var bytes = Data()

    override func contents(forType typeName: String) throws -> Any { bytes }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        bytes = contents as? Data ?? Data()
    }
}

@Suite("What people write who test their documents", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldGuideTests {
    @Test("Edited on both, one of them offline")
    func offline() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices(2)
        try await world.create(ShoppingList.init, "list.txt", on: phone) {
            $0.items = ["milk", "bread", "salt"]
        }
        try await world.settle()

        pad.goOffline()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.insert("tea", at: 0) }
        try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items.append("jam") }
        pad.goOnline()
        try await world.settle()

        for device in [phone, pad] {
            try await world.look(ShoppingList.init, "list.txt", on: device) {
                #expect($0.items == ["tea", "milk", "bread", "salt", "jam"])
            }
        }
    }

    @Test("Some devices come to rest while another cannot")
    func settlingSome() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad, desk) = try world.devices(3)
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
        try pad.fillDisk()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("jam") }
        try await world.settle([phone, desk])
        try await world.look(ShoppingList.init, "list.txt", on: desk) {
            #expect($0.items == ["milk", "jam"])
        }
        await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.2) }
        #expect(pad.isStarted && pad.isOnline)
        desk.goOffline()
        phone.stop()
        #expect(!desk.isOnline && desk.isStarted && !phone.isStarted && phone.isOnline)
    }

    @Test("Notes in random stories")
    func notesInRandomStories() async throws {
        let notes = StoryKind("note", Note.init) { note, mark, _ in note.text += mark + "\n" }
        // Fewer than the guide has: each is told in a second or so.
        for seed in UInt64(1)...3 {
            let story = WorldStory(seed: seed)
            if let report = try await story.report([notes], written: "[notes]") { Issue.record("\(report)") }
        }
    }

    @Test("Over a network on which messages are lost, doubled, late and slow")
    func unreliableNetwork() async throws {
        let world = try DocumentWorld()
        let devices = try world.devices(3)
        world.disturbLines(LineFaults(lost: 0.2, doubled: 0.2, late: 0.1, delaySeconds: 0...0.005))
        for (number, device) in devices.enumerated() {
            try await world.create(ShoppingList.init, "\(number).txt", on: device) {
                $0.items = ["of \(device.name)"]
            }
        }
        try await world.settle()
        for device in devices {
            for (number, author) in devices.enumerated() {
                try await world.look(ShoppingList.init, "\(number).txt", on: device) {
                    #expect($0.items == ["of \(author.name)"])
                }
            }
        }
        try world.end()
    }

    @Test("A conflict, and how a person settles it")
    func conflict() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
        pad.goOffline()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items = ["oat milk"] }
        try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items = ["soy milk"] }
        try await world.settle()
        pad.goOnline()
        try await world.settle()

        let url = pad.folder.appendingPathComponent("list.txt")
        let others = try pad.unresolvedConflicts(of: url)
        #expect(try others.map { try String(contentsOf: $0.url, encoding: .utf8) } == ["soy milk\n"])
        // This device's person keeps what is there, which settles it on all.
        await pad.run { for version in others { version.isResolved = true } }
        try await world.settle()
        #expect(try phone.unresolvedConflicts(of: phone.folder.appendingPathComponent("list.txt")) == [])
        try world.end()
    }

    /// A document of which only its maker has the contents.
    private func evicted() async throws -> (DocumentWorld, phone: WorldDevice, pad: WorldDevice, onPad: URL) {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
        let url = pad.folder.appendingPathComponent("list.txt")
        try pad.evict(url)
        return (world, phone, pad, url)
    }

    @Test("A document whose contents have left the device, and come back over a slow line")
    func evictedAndSlow() async throws {
        let (world, _, pad, url) = try await evicted()
        #expect(!FileManager.default.fileExists(atPath: url.path))
        pad.slowDown(toSeconds: 0.02)
        let start = ContinuousClock.now
        // Opening it has the contents come, as on a device.
        try await world.look(ShoppingList.init, "list.txt", on: pad) { #expect($0.items == ["milk"]) }
        #expect(ContinuousClock.now - start >= .seconds(0.02))

        // Gone again, and nobody to give it back.
        try await world.settle()
        try pad.evict(url)
        pad.goOffline()
        await #expect(throws: WorldDocumentFailure.self) {
            try await world.look(ShoppingList.init, "list.txt", on: pad) { _ in }
        }
        await #expect(throws: (any Error).self) { try await pad.download(url) }
        pad.goOnline()
        try await pad.download(url)
        try await world.look(ShoppingList.init, "list.txt", on: pad) { #expect($0.items == ["milk"]) }
        try world.end()
    }

    @Test("How far contents have come is seen, and who does not want to wait gives up")
    func progressAndCancel() async throws {
        try await openingSlowly { list, opening, pad in
            #expect(list.progress?.isCancelled == false)
            list.progress?.cancel()
            #expect(await opening.value == false)
            #expect(list.failures == [.userCancelled])
        }
    }

    /// Opens the evicted document on the pad, over a line on which that would take minutes, and does something meanwhile.
    private func openingSlowly(
        _ body: @escaping @MainActor @Sendable (ShoppingList, Task<Bool, Never>, WorldDevice) async -> Void
    ) async throws {
        let (world, _, pad, url) = try await evicted()
        pad.slowDown(toSeconds: 600)
        await pad.run { @MainActor in
            let list = ShoppingList(fileURL: url)
            let opening = Task { @MainActor in await list.open() }
            await untilProgressIsAvailable(list)
            await body(list, opening, pad)
        }
        pad.slowDown(toSeconds: 0)
        try world.end()
    }

    @Test("Contents that take long have come once the line is fast again")
    func slowNoMore() async throws {
        try await openingSlowly { list, opening, pad in
            #expect(list.progress?.fractionCompleted == 0)
            pad.slowDown(toSeconds: 0)
            #expect(await opening.value)
            #expect(list.items == ["milk"])
            #expect(await list.close())
        }
    }

    @Test("A large document comes part by part over a slow line, and its progress says so")
    func progressInParts() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices(2)
        var numbers = world.numbers()
        // Nothing makes them fewer.
        let words = (0..<750_000).map { _ in UInt64.random(in: 0...UInt64.max, using: &numbers) }
        let bytes = words.withUnsafeBytes { Data($0) }
        try await world.create(Picture.init, "a.bin", on: phone) { $0.bytes = bytes }
        try await world.settle()
        let url = pad.folder.appendingPathComponent("a.bin")
        try pad.evict(url)
        pad.slowDown(toSeconds: 0.5)
        await pad.run { @MainActor in
            let picture = Picture(fileURL: url)
            let opening = Task { @MainActor in await picture.open() }
            await untilProgressIsAvailable(picture)
            while picture.progress?.fractionCompleted == 0 { await Task.yield() }
            let fraction = picture.progress?.fractionCompleted ?? 1
            #expect(fraction > 0 && fraction < 1)
            pad.slowDown(toSeconds: 0)
            #expect(await opening.value)
            #expect(picture.bytes == bytes)
            #expect(await picture.close())
        }
    }

    private func untilProgressIsAvailable(_ document: UIDocument) async {
        var observer: (any NSObjectProtocol)?
        await withCheckedContinuation { (goOn: CheckedContinuation<Void, Never>) in
            var waiting: CheckedContinuation<Void, Never>? = goOn
            let look = { @MainActor in
                guard document.documentState.contains(.progressAvailable) else { return }
                waiting?.resume()
                waiting = nil
            }
            observer = NotificationCenter.default.addObserver(
                forName: UIDocument.stateChangedNotification,
                object: document,
                queue: nil
            ) { _ in MainActor.assumeIsolated { look() } }
            look()
        }
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }

    @Test("An app finds its container on each device, and what stands how in it")
    func containers() async throws {
        let (world, phone, pad, url) = try await evicted()
        let keys: Set<URLResourceKey> = [.isUbiquitousItemKey, .ubiquitousItemDownloadingStatusKey]
        try await pad.run {
            let container = FileManager.default.url(forUbiquityContainerIdentifier: nil)
            #expect(container?.standardizedFileURL.path == pad.folder.standardizedFileURL.path)
            #expect(FileManager.default.isUbiquitousItem(at: url))
            let values = try url.resourceValues(forKeys: keys)
            #expect(values.ubiquitousItemDownloadingStatus == .notDownloaded)
        }
        // Each device has an account of its own; outside of all there is none.
        let token = await phone.run { FileManager.default.ubiquityIdentityToken as? NSData }
        let other = await pad.run { FileManager.default.ubiquityIdentityToken as? NSData }
        #expect(token != nil && other != nil && token != other)
        #expect(FileManager.default.url(forUbiquityContainerIdentifier: nil) == nil)
        #expect(FileManager.default.isUbiquitousItem(at: url))
        try world.end()
        #expect(!FileManager.default.isUbiquitousItem(at: url))
    }

    @Test("A save that fails on a full disk, and one on a disk that breaks")
    func failingSaves() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        let url = phone.folder.appendingPathComponent("list.txt")
        try await phone.run { @MainActor in
            let list = ShoppingList(fileURL: url)
            #expect(await list.open())
            list.items.append("bread")
            list.updateChangeCount(.done)
            try phone.fillDisk()
            #expect(await list.save(to: url, for: .forOverwriting) == false)
            #expect(list.failures.contains(.fileWriteOutOfSpace))
            #expect(list.hasUnsavedChanges)
            phone.freeDisk()
            try phone.breakDisk(.writing)
            #expect(await list.save(to: url, for: .forOverwriting) == false)
            #expect(list.failures.contains(.fileWriteUnknown))
            phone.mendDisk()
            #expect(await list.close())
        }
        try await world.settle()
        try await world.look(ShoppingList.init, "list.txt", on: pad) {
            #expect($0.items == ["milk", "bread"])
        }
        try world.end()
    }
}
