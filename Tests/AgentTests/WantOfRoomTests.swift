import Agent
import Foundation
import LocalSockets
import Testing

@Suite("An agent without room")
struct WantOfRoomTests {
    /// In a process of its own: what it may have open is used up.
    @Test(
        "Who comes while no more files may be open is served when some may be again, though nobody has left"
    )
    func files() async {
        await #expect(processExitsWith: .success) {
            try withScene { scene in
                try scene.begin()
                try Self.serveAgain(scene)
            }
        }
    }

    private static func serveAgain(_ scene: AgentScene) throws {
        let client = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        try #require(client >= 0)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = 256
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var taken: [CInt] = []
        while case let number = dup(client), number >= 0 { taken.append(number) }
        try #require(!taken.isEmpty && errno == EMFILE)
        try connect(client, to: scene.runtime.place(of: AgentPlace.socketName))
        #expect(!isReadable(client, milliseconds: 300), "it was served without room")
        for number in taken { close(number) }
        // No frame is so long: who reads it answers, and ends.
        var nonsense = [UInt8](repeating: 0xFF, count: 64)
        #expect(send(client, &nonsense, nonsense.count, CInt(MSG_NOSIGNAL)) == nonsense.count)
        #expect(isReadable(client, milliseconds: 20_000))
        close(client)
    }

    private static func connect(_ client: CInt, to path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
    }

    private static func isReadable(_ client: CInt, milliseconds: CInt) -> Bool {
        var asked = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
        return poll(&asked, 1, milliseconds) == 1
    }
}
