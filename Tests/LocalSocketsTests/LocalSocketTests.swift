import Foundation
import LocalSockets
import TestThreads
import Testing

@Suite("LocalSocket", .onOwnThreads)
struct LocalSocketTests {
    @Test("Bytes go both ways, and the other end's process is known")
    func roundTrip() throws {
        try withFolder { folder in
            let listener = try LocalListener(at: folder.place(of: "test.sock"))
            let client = try LocalSocket(connectingTo: folder.place(of: "test.sock"))
            let server = try #require(try listener.accept())
            let peer = try server.peer()
            #expect(peer.processID == getpid())
            #expect(peer.userID == geteuid())
            #expect(client.send("question") == 8)
            #expect(client.waitUntilReadable(milliseconds: 0) == false)
            #expect(server.text() == "question")
            #expect(server.send("answer") == 6)
            #expect(client.waitUntilReadable(milliseconds: 20_000))
            #expect(client.text() == "answer")
        }
    }

    @Test("The end of one is the end of the other")
    func end() throws {
        try withFolder { folder in
            let listener = try LocalListener(at: folder.place(of: "test.sock"))
            var client: LocalSocket? = try LocalSocket(connectingTo: folder.place(of: "test.sock"))
            let server = try #require(try listener.accept())
            #expect(server.receive() == .nothing)
            client = nil
            #expect(client == nil)
            #expect(server.receive() == .end)
            #expect(server.send("late") == nil)
        }
    }

    @Test("A listener removes its own name, and not that of who listens there since")
    func names() throws {
        try withFolder { folder in
            let path = folder.place(of: "test.sock")
            let former = try LocalListener(at: path)
            let listener = try LocalListener(at: path)
            former.removeName()
            _ = try LocalSocket(connectingTo: path)
            listener.removeName()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(
        "Who has a lock is known by his number where he has the file open, and nobody is for a number alone"
    )
    func lockHolder() throws {
        try withFolder { folder in
            let path = folder.place(of: "test.lock")
            #expect(LockFile.holder(of: path) == nil)
            let lock = try LockFile(waitingFor: path)
            #expect(LockFile.holder(of: path) == nil)
            try lock.write("\(getpid())\nwhatever else\n")
            #expect(LockFile.holder(of: path) == getpid())
            try lock.write("\(getppid())\n")
            #expect(LockFile.holder(of: path) == nil)
            withExtendedLifetime(lock) {}
        }
    }

    @Test("What a full socket does not take waits in a buffer and arrives in order")
    func fullSocket() throws {
        try withFolder { folder in
            let listener = try LocalListener(at: folder.place(of: "test.sock"))
            let client = try LocalSocket(connectingTo: folder.place(of: "test.sock"))
            let server = try #require(try listener.accept())
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            var buffer = SendBuffer()
            #expect(buffer.send(Array(bytes[..<2_999_000]), to: client) == .waiting)
            #expect(buffer.send(Array(bytes[2_999_000...]), to: client) == .waiting)
            var received: [UInt8] = []
            while received.count < bytes.count {
                received += server.bytes()
                _ = buffer.send(to: client)
            }
            #expect(received == bytes)
            #expect(buffer.byteCount == 0)
        }
    }

    @Test("Who waits for a socket goes on when a bell rings, also one that rang before")
    func bell() throws {
        try withFolder { folder in
            let listener = try LocalListener(at: folder.place(of: "test.sock"))
            let client = try LocalSocket(connectingTo: folder.place(of: "test.sock"))
            let server = try #require(try listener.accept())
            let bell = try SocketBell()
            bell.ring()
            bell.ring()
            #expect(!client.waitUntilReadable(or: bell))
            let rung = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                _ = client.waitUntilReadable(or: bell)
                rung.signal()
            }
            // Two rings were heard at once, so the thread waits; whichever comes first, it goes on.
            bell.ring()
            #expect(rung.wait(timeout: .now() + 60) == .success)
            #expect(server.send("now") == 3)
            #expect(client.waitUntilReadable(or: bell))
            server.shutDown()
            #expect(client.waitUntilReadable(or: bell))
        }
    }

    @Test("Who waits asleep gets what comes, and gives up in time; all other calls still do not block")
    func asleep() throws {
        try withFolder { folder in
            let listener = try LocalListener(at: folder.place(of: "test.sock"))
            let client = try LocalSocket(connectingTo: folder.place(of: "test.sock"))
            let server = try #require(try listener.accept())
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
            defer { buffer.deallocate() }
            try client.setReceiveLimit(milliseconds: 1)
            #expect(client.receiveAsleep(into: buffer) == .nothing)
            try client.setReceiveLimit(milliseconds: 20_000)
            Thread.detachNewThread { _ = server.send("soon") }
            #expect(client.receiveAsleep(into: buffer) == .bytes(4))
            #expect(client.receive(into: buffer) == .nothing)
            var unsent = SendBuffer()
            #expect(unsent.send([UInt8](repeating: 1, count: 3_000_000), to: client) == .waiting)
            Thread.detachNewThread { server.shutDown() }
            #expect(client.receiveAsleep(into: buffer) == .end)
        }
    }

    @Test("A look at a poll does not wait, and sees what is there and the bell")
    func look() throws {
        try withFolder { folder in
            let listener = try LocalListener(at: folder.place(of: "test.sock"))
            let client = try LocalSocket(connectingTo: folder.place(of: "test.sock"))
            let server = try #require(try listener.accept())
            let poll = try SocketPoll()
            try poll.add(server, id: 7, .reading)
            #expect(try poll.look() == nil)
            poll.wake()
            #expect(try poll.look()?.isEmpty == true)
            #expect(client.send("soon") == 4)
            #expect(try poll.look()?.map(\.id) == [7])
        }
    }

    @Test("Nobody listens: the error says so")
    func nobody() throws {
        try withFolder { folder in
            let error = #expect(throws: SocketError.self) {
                try LocalSocket(connectingTo: folder.place(of: "nobody.sock"))
            }
            #expect(error?.isNobodyThere == true)
        }
    }

    @Test("A path that is too long for a socket is refused with a sentence")
    func longPath() throws {
        let error = #expect(throws: SocketError.self) {
            try LocalSocket(connectingTo: "/" + String(repeating: "x", count: 200))
        }
        #expect(error?.description.contains("at most 107 bytes") == true)
    }

    @Test("A poll names the socket with something to read, and wakes for its bell")
    func poll() throws {
        try withFolder { folder in
            let listener = try LocalListener(at: folder.place(of: "test.sock"))
            let poll = try SocketPoll()
            try poll.add(listener, id: 1)
            #expect(try poll.wait(milliseconds: 0).isEmpty)
            let client = try LocalSocket(connectingTo: folder.place(of: "test.sock"))
            #expect(try poll.wait(milliseconds: -1).map(\.id) == [1])
            let server = try #require(try listener.accept())
            try poll.add(server, id: 2, .reading)
            _ = client.send("x")
            let events = try poll.wait(milliseconds: -1)
            #expect(events.map(\.id) == [2])
            #expect(events.allSatisfy { $0.isReadable && !$0.isWritable })
            try poll.change(server, id: 2, .writing)
            #expect(try poll.wait(milliseconds: -1).allSatisfy { $0.isWritable && !$0.isReadable })
            try poll.remove(server)
            poll.wake()
            #expect(try poll.wait(milliseconds: -1).isEmpty)
        }
    }

    @Test("A socket that is not meant for this process is not taken over")
    func inherited() throws {
        #expect(try LocalListener.inherited(environment: [:]) == nil)
        #expect(try LocalListener.inherited(environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"]) == nil)
        #expect(throws: SocketError.self) {
            try LocalListener.inherited(environment: ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "2"])
        }
    }
}

extension LocalSocket {
    func send(_ text: String) -> Int? {
        Array(text.utf8).withUnsafeBytes { send($0) }
    }

    func receive() -> Receipt {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { receive(into: $0) }
    }

    func bytes() -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { buffer in
            if case .bytes(let count) = receive(into: buffer) { Array(buffer[..<count]) } else { [] }
        }
    }

    func text() -> String { String(decoding: bytes(), as: UTF8.self) }
}

/// Runs a test with a runtime folder of its own.
func withFolder(_ body: (RuntimeFolder) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.path + "/sockets-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(try RuntimeFolder(path: path))
}
