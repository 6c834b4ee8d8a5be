import FileSystem
import Foundation
import KeyValues
import Locks
import TestFolders
import Testing

@testable import DocumentFoundation

@Suite("NSUbiquitousKeyValueStore without a watch", .timeLimit(.minutes(3)))
struct UnwatchedStoreTests {
    /// A kernel that has no watch for a folder.
    private final class NoWatch: SystemCallObserver {
        private let place: String
        private let errno = Locked<CInt>(ENOSPC)

        init(_ folder: URL) { place = folder.path }

        func end() { errno.withLock { $0 = 0 } }

        func willMake(_ call: SystemCall) -> CInt {
            call.name.contains("notify_") && call.path.string == place ? errno.withLock { $0 } : 0
        }

        func didMake(_ call: SystemCall) {}
    }

    /// Another device's file, or another process's.
    private func put(_ theme: String, at number: UInt64, in file: URL) throws {
        var state = KeyValueState()
        let writer = KeyValueState.Writer([UInt8](repeating: 1, count: 16))
        let number = WriteNumber(bits: WriteNumber.first.bits + number)
        #expect(state.set(.text(theme), "theme", at: number, by: writer) == true)
        try Data(state.encoded).write(to: file, options: .atomic)
    }

    @Test("What is stored is there though the system has no watch left, and is followed once it has one")
    func unwatched() async throws {
        let folder = try TestFolder("key-values")
        defer { withExtendedLifetime(folder) {} }
        let settings = KeyValueSettings(folder: FilePath(folder.url.path), appName: "app")
        let file = folder.url.appendingPathComponent(settings.fileName)
        try put("sepia", at: 1, in: file)
        let kernel = NoWatch(folder.url)
        SystemCallObservation.add(kernel)
        defer { SystemCallObservation.remove(kernel) }
        let store = NSUbiquitousKeyValueStore(settings)
        #expect(store.string(forKey: "theme") == "sepia")
        try put("white", at: 2, in: file)
        #expect(store.synchronize() && store.string(forKey: "theme") == "white")
        kernel.end()
        #expect(store.synchronize())
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: nil
        ) { [weak store] _ in
            // That of before may come now only.
            if store?.string(forKey: "theme") == "black" { continuation.finish() }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try put("black", at: 3, in: file)
        for await _ in stream {}
        #expect(store.string(forKey: "theme") == "black")
    }
}
