import Foundation
import Locks
import TestThreads
import Testing

@testable import LocalSockets

@Suite("RuntimeFolder", .onOwnThreads)
struct RuntimeFolderTests {
    @Test("The folder is where the environment says, else in the user's own, else in the temporary one")
    func place() {
        func place(_ environment: [String: String], ours: Bool = true) -> String {
            RuntimeFolder.place(environment: environment, user: 7, isOurs: { _ in ours }, temporary: "/tmp")
        }
        #expect(place(["SHEAF_RUNTIME_DIR": "/a", "XDG_RUNTIME_DIR": "/b"]) == "/a")
        #expect(place(["SHEAF_RUNTIME_DIR": "a", "XDG_RUNTIME_DIR": "/b"]) == "/b/sheaf")
        #expect(place([:]) == "/run/user/7/sheaf")
        #expect(place([:], ours: false) == "/tmp/sheaf-7")
        // The one that another user's shell has left, or that is not there.
        #expect(place(["XDG_RUNTIME_DIR": "/b"], ours: false) == "/tmp/sheaf-7")
    }

    @Test("Where it cannot be is said with what helps")
    func noPlace() throws {
        try withFolder { folder in
            let error = #expect(throws: SocketError.self) {
                try RuntimeFolder(path: folder.place(of: "none/own"))
            }
            #expect(error?.description.contains("SHEAF_RUNTIME_DIR") == true)
            let others = #expect(throws: SocketError.self) { try RuntimeFolder(path: "/proc/self/none") }
            #expect(others?.description.contains("SHEAF_RUNTIME_DIR") == true)
        }
    }

    @Test("A folder that others can reach into is refused with a remedy")
    func others() throws {
        try withFolder { folder in
            let open = folder.place(of: "open")
            #expect(mkdir(open, 0o700) == 0)
            #expect(chmod(open, 0o750) == 0)
            let error = #expect(throws: SocketError.self) { try RuntimeFolder(path: open) }
            #expect(error?.description.contains("mode 750") == true)
            #expect(error?.description.contains("SHEAF_RUNTIME_DIR") == true)
        }
    }

    @Test("A link in the folder's place is refused")
    func link() throws {
        try withFolder { folder in
            _ = try folder.folder("real")
            #expect(symlink("real", folder.place(of: "link")) == 0)
            #expect(throws: SocketError.self) { try RuntimeFolder(path: folder.place(of: "link")) }
        }
    }

    @Test("A lock is held by one, is seen by others, and goes with its holder")
    func locks() throws {
        try withFolder { folder in
            let path = folder.place(of: "agent.lock")
            #expect(try LockFile.isHeld(path) == false)
            var lock = try LockFile(ifFree: path)
            #expect(lock != nil)
            #expect(try LockFile.isHeld(path))
            #expect(try LockFile(ifFree: path) == nil)
            lock = nil
            #expect(lock == nil)
            #expect(try LockFile.isHeld(path) == false)
            withExtendedLifetime(try LockFile(waitingFor: path)) {}
        }
    }

    @Test("A lock is let go of for a child, too, that has its file until it runs its program")
    func copied() throws {
        try withFolder { folder in
            let path = folder.place(of: "agent.lock")
            var lock = try LockFile(ifFree: path)
            #expect(lock != nil)
            let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                Int32($0)
            }
            .filter {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
            }
            .map { dup($0) }
            defer { for copy in copies { close(copy) } }
            #expect(copies.count == 1)
            lock = nil
            #expect(try LockFile.isHeld(path) == false)
            #expect(try LockFile(ifFree: path) != nil)
        }
    }

    @Test("Who looks at a lock keeps nobody from taking it, and is not taken for its holder")
    func looks() throws {
        try withFolder { folder in
            let path = folder.place(of: "agent.lock")
            _ = try LockFile(waitingFor: path)
            let (isOver, failure) = (Locked(false), Locked<(any Error)?>(nil))
            let looks = DispatchSemaphore(value: 0)
            for _ in 0..<2 {
                Thread.detachNewThread {
                    do {
                        _ = try LockFile.isHeld(path)
                        looks.signal()
                        while !isOver.withLock({ $0 }) { _ = try LockFile.isHeld(path) }
                    } catch {
                        failure.withLock { $0 = error }
                    }
                    looks.signal()
                }
            }
            for _ in 0..<2 { looks.wait() }
            let heldCount = try (0..<2000).count { _ in try LockFile.isHeld(path) }
            let refusalCount = try (0..<2000).count { _ in
                if try LockFile(ifFree: path) != nil { return false }
                // A child that another test starts has the lock, too, until it runs its program; then nobody has.
                _ = try LockFile(waitingFor: path)
                return try LockFile(ifFree: path) == nil
            }
            isOver.withLock { $0 = true }
            for _ in 0..<2 { looks.wait() }
            #expect(heldCount == 0)
            #expect(refusalCount == 0)
            #expect(failure.withLock { $0 } == nil)
        }
    }

    @Test("A file whose lock nobody has is removed, and none from under who has just taken it")
    func leftovers() throws {
        try withFolder { folder in
            let path = folder.place(of: "client")
            #expect(try LockFile.removeUnlessHeld(path) == false)
            _ = try LockFile(waitingFor: path)
            let (isOver, passCount) = (Locked(false), Locked(0))
            let (failure, done) = (Locked<(any Error)?>(nil), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                do {
                    while !isOver.withLock({ $0 }) {
                        _ = try LockFile.removeUnlessHeld(path)
                        passCount.withLock { $0 += 1 }
                    }
                } catch {
                    failure.withLock { $0 = error }
                }
                done.signal()
            }
            var keptCount = 0
            for _ in 0..<500 {
                let lock = try Self.settled(at: path)
                let start = passCount.withLock { $0 }
                while passCount.withLock({ $0 }) < start + 2, failure.withLock({ $0 == nil }) {}
                if FileManager.default.fileExists(atPath: path) { keptCount += 1 }
                withExtendedLifetime(lock) {}
            }
            isOver.withLock { $0 = true }
            done.wait()
            #expect(keptCount == 500)
            #expect(failure.withLock { $0 } == nil)
        }
    }

    /// A lock whose file is there once it is held, as processes take theirs that coordinate.
    private static func settled(at path: String) throws -> LockFile {
        while true {
            let lock = try LockFile(waitingFor: path)
            if try LockFile.isHeld(path) { return lock }
        }
    }

    @Test("A detached program gets its arguments and environment, and is no child")
    func detached() throws {
        try withFolder { folder in
            let fifo = folder.place(of: "said")
            #expect(mkfifo(fifo, 0o600) == 0)
            let script = "echo \"$WORD $1 $PPID\" > \"$2\""
            try DetachedProgram.start(
                "/bin/sh",
                ["-c", script, "sh", "a b", fifo],
                environment: ["WORD": "so"]
            )
            // Opening waits until the program has opened it too.
            let handle = try #require(FileHandle(forReadingAtPath: fifo))
            let said = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
            #expect(said.hasPrefix("so a b "))
            #expect(!said.hasSuffix(" \(getpid())\n"))
        }
    }
}
