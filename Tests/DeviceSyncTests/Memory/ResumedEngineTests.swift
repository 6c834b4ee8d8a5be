import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import SQLite
import Sealing
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

@Suite("What a device remembers, read at a start", .onOwnThreads, .timeLimit(.minutes(2)))
struct ResumedEngineTests {
    @Test("A memory that is damaged behind the log is an error for whoever waits for any of it")
    func damaged() throws {
        let ownFolder = try TestFolder("resumed")
        let base = ownFolder.url
        let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        let hub = try HubInMemory(container)
        let identity = try DeviceIdentity(random: RandomBytes.make)
        let keys = KeyRing(try Founding.found(container, by: identity, named: "device", at: hub.line())) {
            _ in
        }
        let folder = try StorageFolder(at: FilePath(base.path))
        let memory = try DeviceMemory(in: folder)
        let file = base.appendingPathComponent("memory.sqlite").path
        try SQLiteConnection(path: file).execute("INSERT INTO agreed VALUES(x'01', x'02')")
        let resumed = ResumedEngine(
            folder,
            keys,
            by: identity,
            session: 1,
            merger: TypeMerger(),
            limits: .off,
            periodCount: 0
        )
        resumed.expect(try memory.folder())
        _ = try resumed.logDesk
        for isAsExpected in [true, false] {
            #expect(throws: (any Error).self) {
                try resumed.take(try memory.folder(), without: [], isAsExpected: isAsExpected)
            }
        }
    }
}
