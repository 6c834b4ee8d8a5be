import Foundation
import Testing

@testable import LocalSockets

@Suite("RuntimeFolder")
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
