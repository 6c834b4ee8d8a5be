import DocumentTesting
import FileSystem
import Foundation
import SQLite
import SeededNumbers
import Sync
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// What disk and log agreed on last is written down only where the two, as they are written down, do not tell.
@Suite("Device memory: what disk and log agreed on", .onOwnThreads, .timeLimit(.minutes(3)))
struct RememberedAgreementTests {
    /// What disk and log agreed on.
    private struct Agreement {
        /// As this process knows it, and as the next would.
        var known: ItemMap<ItemState>
        var remembered: ItemMap<ItemState>
        /// Of how many items it is written down.
        var noteCount: Int

        init(of run: SyncRun) throws {
            let memory = try DeviceMemory(beside: try StorageFolder(at: run.place.memory))
            var log = ReadLog(entryCount: 0)
            for heard in try memory.log() { log.read(heard.entry) }
            let agreed = try memory.agreed(seen: try memory.folder(), log.tree)
            let next = SyncEngine(device: DeviceID(1), session: 1, try memory.engine(), log, agreed: agreed)
            (known, remembered) = (run.engine.memory.agreed, next.memory.agreed)
            noteCount = try memory.number("SELECT count(*) FROM agreed")
        }
    }

    /// - Parameter noteCount: Nil for: that may be any.
    private func check(_ device: TestDevice, _ seed: UInt64? = nil, noteCount: Int? = nil) throws {
        let sync = try #require(device.running)
        let look: Result<Agreement, any Error>? = sync.ask(
            { run in Result { try Agreement(of: run) } },
            or: { _ in nil }
        )
        let (agreement, said) = (try #require(try look?.get()), seed.map { "seed \($0)" } ?? "")
        #expect(agreement.remembered == agreement.known, "\(said)")
        if let noteCount { #expect(agreement.noteCount == noteCount, "\(said)") }
    }

    @Test(
        "Whatever people do on two devices, with and without a line, the next process finds what this one knows"
    )
    func random() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        let pair = try DevicePair()
        let names = ["a.txt", "b.txt", "folder/c.txt", "folder/d.txt", "e.txt"]
        for step in 0..<60 {
            let device = random.below(2) == 0 ? pair.one : pair.two
            let name = names[random.below(names.count)]
            let url = device.folder.appendingPathComponent(name)
            // What is not there cannot be moved, and so on: then nothing happens.
            switch random.below(9) {
            case 0, 1, 2: try device.write("\(step) \(random.next())", to: name)
            case 3: try? FileManager.default.removeItem(at: url)
            case 4:
                let other = device.folder.appendingPathComponent("moved \(random.below(3))")
                try? FileManager.default.moveItem(at: url, to: other)
            case 5: device.goOffline()
            case 6, 7: device.goOnline()
            default:
                device.stop()
                try device.start()
            }
            try check(device, seed)
        }
        pair.one.goOnline()
        pair.two.goOnline()
        // In step nothing is noted of what is there. Before all that was done has been seen, somebody may be in step without it.
        pair.wait {
            pair.isSettled && pair.one.contents == pair.two.contents
                && [pair.one, pair.two].allSatisfy { noteCount(on: $0) == 0 }
        }
        for device in [pair.one, pair.two] { try check(device, seed, noteCount: 0) }
        pair.end()
    }

    /// Of how many items it is written down what was agreed on; nil where that cannot be asked.
    private func noteCount(on device: TestDevice) -> Int? {
        guard let sync = device.running else { return nil }
        return sync.ask({ run in (try? Agreement(of: run))?.noteCount }, or: { _ in nil })
    }

    @Test(
        "Nothing is noted of items that come and go in step, and what is edited without a line is noted until it is sent"
    )
    func notes() throws {
        let pair = try DevicePair.holding("text", as: "a.txt")
        for device in [pair.one, pair.two] { try check(device, noteCount: 0) }
        pair.two.goOffline()
        try pair.two.write("edited", to: "a.txt")
        try pair.two.write("new", to: "b.txt")
        #expect(pair.two.wait { pair.two.status?.unsettledCount == 2 })
        try check(pair.two, noteCount: 1)
        // The edit is one of what both had, in the next process, too.
        pair.two.stop()
        try pair.two.start()
        pair.two.goOnline()
        pair.wait { pair.one.text("a.txt") == "edited" && pair.one.text("b.txt") == "new" && pair.isSettled }
        #expect(try pair.one.conflicts("a.txt") == [])
        try check(pair.two, noteCount: 0)
        pair.end()
    }

    @Test("A package of which a process that died could not note that it was in place is what the log says")
    func diedAfterPlacing() throws {
        let pair = try DevicePair()
        try pair.one.write("first", to: "p.rtfd/TXT.rtf")
        pair.wait { pair.two.text("p.rtfd/TXT.rtf") == "first" && pair.isSettled }
        pair.two.stop()
        let file = pair.two.memoryFolder.appendingPathComponent("memory.sqlite").path
        try SQLiteConnection(path: file).execute("DELETE FROM items")
        try pair.one.write("second", to: "p.rtfd/TXT.rtf")
        pair.wait { pair.one.status?.isSettled == true }
        // As it is just after it was put there.
        let member = pair.two.folder.appendingPathComponent("p.rtfd/TXT.rtf").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: member)
        try pair.two.start()
        pair.wait { pair.two.text("p.rtfd/TXT.rtf") == "second" && pair.isSettled }
        #expect(try pair.one.conflicts("p.rtfd") == [] && pair.two.conflicts("p.rtfd") == [])
        pair.end()
    }

    @Test(
        "A memory in which each item has its note goes on from there, and loses the needless ones at its next start"
    )
    func formerFormat() throws {
        let pair = try DevicePair.holding("text", as: "a.txt")
        pair.two.stop()
        let file = pair.two.memoryFolder.appendingPathComponent("memory.sqlite").path
        do {
            let memory = try DeviceMemory(in: try StorageFolder(at: pair.two.memory))
            let table = try memory.folder()
            var changes = DeviceMemory.Changes()
            for (item, seen) in table.items.all { changes.agreed[item] = .otherwise(seen.state) }
            #expect(!changes.agreed.isEmpty)
            try memory.write(changes)
            try memory.remember("format", [2])
            memory.release()
        }
        try pair.two.start()
        pair.wait { pair.isSettled }
        try check(pair.two, noteCount: 0)
        try pair.two.write("edited", to: "a.txt")
        pair.wait { pair.one.text("a.txt") == "edited" && pair.isSettled }
        #expect(try pair.one.conflicts("a.txt") == [])
        pair.end()
        let rows = try SQLiteConnection(path: file).statement("SELECT value FROM meta WHERE key = 'format'")
        #expect(try rows.step() && rows.blob(0) == [3])
    }
}
