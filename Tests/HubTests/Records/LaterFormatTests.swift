import FileSystem
import Foundation
import HubHarness
import SQLite
import Testing

@testable import Hub

@Suite("A hub's databases of a later version")
struct LaterFormatTests {
    private let hub: HubFolder
    private let place: HubFolder

    init() throws {
        (hub, place) = (try HubFolder(), try HubFolder())
        let folder = try hub.open()
        _ = try SQLiteRecordStore(in: folder)
        _ = try SegmentedBlobStore(in: folder, uptime: LeapingClock.make())
    }

    private func raiseFormat(of name: String) throws {
        let connection = try SQLiteConnection(path: hub.path.appending(name).string)
        try connection.execute("PRAGMA user_version = 9")
        try connection.checkpoint()
    }

    /// That it is told what to do, and nothing that would have anybody remove the database.
    private func expectRefusal(of name: String, _ work: () throws -> Void) {
        let error = #expect(throws: HubError.self, performing: work)
        let words = error?.description ?? ""
        #expect(words.contains("A later version of sheaf wrote \(hub.path.appending(name))"), "\(words)")
        #expect(words.contains("use that version"), "\(words)")
        #expect(!words.contains("damaged"), "\(words)")
    }

    @Test("They are not opened, and not called damaged")
    func opening() throws {
        try raiseFormat(of: SQLiteRecordStore.fileName)
        try raiseFormat(of: SegmentedBlobStore.indexName)
        let folder = try hub.open()
        expectRefusal(of: SQLiteRecordStore.fileName) { _ = try SQLiteRecordStore(in: folder) }
        expectRefusal(of: SegmentedBlobStore.indexName) {
            _ = try SegmentedBlobStore(in: folder, uptime: LeapingClock.make())
        }
    }

    @Test(
        "No backup is made of them, and none is put back",
        arguments: [SQLiteRecordStore.fileName, SegmentedBlobStore.indexName]
    )
    func backups(name: String) throws {
        try raiseFormat(of: name)
        let (copy, restored) = (place.path.appending("copy"), place.path.appending("hub"))
        expectRefusal(of: name) { try HubBackup.make(of: HubData(path: hub.path), to: copy.string) }
        expectRefusal(of: name) { try HubBackup.restore(hub.path.string, to: HubData(path: restored)) }
        #expect(try place.open().entries().isEmpty)
    }
}
