import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing

@Suite("An older file of a key-value store that is put back", .onOwnThreads, .timeLimit(.minutes(2)))
struct OlderStoreTests {
    private let pair: DevicePair
    private let name = KeyValueSettings.folderName + "/app" + KeyValueSettings.fileSuffix

    init() throws { pair = try DevicePair() }

    private func file(of device: TestDevice) -> URL { device.folder.appendingPathComponent(name) }

    private func bytes(of device: TestDevice) -> Data? { try? Data(contentsOf: file(of: device)) }

    /// Has a process of the app store something on the first device that ends then.
    ///
    /// - Returns: What is in the file now.
    private func set(_ value: String, _ key: String) throws -> Data {
        let folder = file(of: pair.one).deletingLastPathComponent()
        let store = NSUbiquitousKeyValueStore(KeyValueSettings(folder: FilePath(folder.path), appName: "app"))
        store.set(value, forKey: key)
        #expect(store.synchronize())
        return try #require(bytes(of: pair.one))
    }

    private func waitForBoth(_ bytes: Data) {
        pair.wait { [pair.one, pair.two].allSatisfy { self.bytes(of: $0) == bytes } && pair.isSettled }
    }

    @Test(
        "It takes nothing from any device, also while no process of the app runs",
        arguments: [true, false]
    )
    func putBack(isMadeAnew: Bool) throws {
        let older = try set("sepia", "theme")
        waitForBoth(older)
        _ = try set("white", "theme")
        let newer = try set("7", "page")
        waitForBoth(newer)
        try older.write(to: file(of: pair.one), options: isMadeAnew ? .atomic : [])
        waitForBoth(newer)
        // What is stored then goes on from there.
        waitForBoth(try set("black", "theme"))
        pair.end()
    }

    @Test("What cannot be added to it for want of room waits, and goes nowhere meanwhile")
    func withoutRoom() throws {
        let older = try set("sepia", "theme")
        waitForBoth(older)
        let newer = try set("white", "theme")
        waitForBoth(newer)
        let shortage = Shortage(at: pair.one.memoryFolder.appendingPathComponent("values-").path)
        SystemCallObservation.add(shortage)
        defer { SystemCallObservation.remove(shortage) }
        try older.write(to: file(of: pair.one))
        pair.wait { pair.one.status?.stuck[name]?.contains("No space left on device") == true }
        #expect(bytes(of: pair.two) == newer)
        SystemCallObservation.remove(shortage)
        pair.one.tryAgain()
        waitForBoth(newer)
        pair.end()
    }
}
