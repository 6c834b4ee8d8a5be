import Dispatch
import FileSystem
import Foundation
import KeyValues
import Locks
import TestFolders
import Testing

@testable import DocumentFoundation

@Suite("A key-value store's file that others write at the same moment", .timeLimit(.minutes(2)))
struct KeyValueFileTests {
    private let folder: TestFolder
    private var file: KeyValueFile {
        KeyValueFile(KeyValueSettings(folder: FilePath(folder.url.path), appName: "app"))
    }

    init() throws { folder = try TestFolder("key-values") }

    /// Does something when a file is about to be put in place, once.
    private final class LastInstant: SystemCallObserver {
        private let place: String
        private let deed: Locked<(@Sendable () -> Void)?>

        init(_ folder: URL, _ deed: @escaping @Sendable () -> Void) {
            (place, self.deed) = (folder.path, Locked(deed))
        }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "renameat2", call.path.string.hasPrefix(place) else { return 0 }
            let deed = deed.withLock { deed in
                defer { deed = nil }
                return deed
            }
            deed?()
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    private func state(_ key: String, at number: UInt64) -> KeyValueState {
        var state = KeyValueState()
        let writer = KeyValueState.Writer([UInt8](repeating: UInt8(number), count: 16))
        let number = WriteNumber(bits: WriteNumber.first.bits + number)
        #expect(state.set(.flag(true), key, at: number, by: writer) == true)
        return state
    }

    /// Joins a state of a store while something is done in the last instant.
    private func join(_ key: String, during deed: @escaping @Sendable () -> Void) throws -> KeyValueState {
        try SystemCallObservation.withObserver(LastInstant(folder.url, deed)) {
            try file.join(state(key, at: 2))
        }
    }

    @Test("What a program puts in place between the last look and the rename stays")
    func foreign() throws {
        _ = try file.join(state("first", at: 1))
        let (path, other) = (file.path.string, Data(state("foreign", at: 3).encoded))
        let joined = try join("own") {
            #expect(throws: Never.self) { try other.write(to: URL(fileURLWithPath: path), options: .atomic) }
        }
        #expect(joined.values.keys.sorted() == ["first", "foreign", "own"])
        #expect(try file.load() == joined)
    }

    @Test("What another process of the app writes then stays, too")
    func process() throws {
        _ = try file.join(state("first", at: 1))
        let (file, other, ended) = (file, state("other", at: 3), DispatchSemaphore(value: 0))
        _ = try join("own") {
            Thread.detachNewThread {
                #expect(throws: Never.self) { _ = try file.join(other) }
                ended.signal()
            }
        }
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(try file.load()?.values.keys.sorted() == ["first", "other", "own"])
    }
}
