import CrashHarness
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

/// Counts the calls below a folder, and refuses those that make folders with an error number.
private final class Watcher: SystemCallObserver {
    let folder: FilePath
    let refusal: CInt
    private let counts = Locked<(asked: Int, made: Int)>((0, 0))

    init(_ folder: FilePath, refusing refusal: CInt = 0) { (self.folder, self.refusal) = (folder, refusal) }

    var asked: Int { counts.withLock { $0.asked } }
    var made: Int { counts.withLock { $0.made } }

    private func isMeant(_ call: SystemCall) -> Bool {
        if case .createFolder = call.effect { call.path.string.hasPrefix(folder.string + "/") } else { false }
    }

    func willMake(_ call: SystemCall) -> CInt {
        guard isMeant(call) else { return 0 }
        counts.withLock { $0.asked += 1 }
        return refusal
    }

    func didMake(_ call: SystemCall) {
        if isMeant(call) { counts.withLock { $0.made += 1 } }
    }
}

@Suite("Observers of the kernel's calls", .onOwnThreads)
struct SystemCallObservationTests {
    private let scratch: ScratchFolder
    private var root: FilePath { scratch.path }

    init() throws { scratch = try ScratchFolder() }

    /// Makes a folder on another thread.
    private func makeElsewhere(_ name: String) throws {
        let outcome = Locked<Result<Void, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [root] in
            outcome.withLock { $0 = Result { try ItemMoves.createFolder(root.appending(name)) } }
            done.signal()
        }
        done.wait()
        try outcome.withLock { $0 }?.get()
    }

    @Test("One of the process sees the calls of all threads, until it is removed")
    func allThreads() throws {
        let watcher = Watcher(root)
        try makeElsewhere("before")
        SystemCallObservation.add(watcher)
        try makeElsewhere("while")
        try ItemMoves.createFolder(root.appending("here"))
        SystemCallObservation.remove(watcher)
        try makeElsewhere("after")
        #expect(watcher.asked == 2)
        #expect(watcher.made == 2)
        // Removed once more, it takes nobody else's place.
        SystemCallObservation.remove(watcher)
        try makeElsewhere("at last")
        #expect(watcher.asked == 2)
    }

    @Test("A thread's own observer is asked first, and what it refuses the others do not see")
    func several() throws {
        let (everywhere, own) = (Watcher(root), Watcher(root, refusing: EIO))
        SystemCallObservation.add(everywhere)
        defer { SystemCallObservation.remove(everywhere) }
        #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(own) {
                try ItemMoves.createFolder(root.appending("refused"))
            }
        }
        #expect((own.asked, own.made) == (1, 0))
        #expect((everywhere.asked, everywhere.made) == (0, 0))
        try SystemCallObservation.withObserver(Watcher(root)) {
            try ItemMoves.createFolder(root.appending("made"))
        }
        #expect((everywhere.asked, everywhere.made) == (1, 1))
    }

    @Test("One of the process refuses for all threads")
    func refusing() throws {
        let full = Watcher(root, refusing: ENOSPC)
        SystemCallObservation.add(full)
        #expect(throws: SystemError.self) { try makeElsewhere("refused") }
        SystemCallObservation.remove(full)
        try makeElsewhere("made")
        #expect(full.made == 0)
    }
}
