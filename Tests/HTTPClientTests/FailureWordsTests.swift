import Foundation
import HTTPClient
import TestFolders
import Testing

/// What a person is told where there is no answer.
@Suite("Words of failed requests", .timeLimit(.minutes(2)))
struct FailureWordsTests {
    /// OpenSSL's server of its own, with a certificate that nobody has signed.
    private final class UntrustedServer: Sendable {
        let port: Int
        private let process: Process
        private static let openssl = "/usr/bin/openssl"

        init(in folder: URL) throws {
            let (key, certificate) = (folder.path + "/key", folder.path + "/certificate")
            let making = Process()
            making.executableURL = URL(fileURLWithPath: Self.openssl)
            making.arguments =
                ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=hub", "-days", "2"]
                + ["-keyout", key, "-out", certificate]
            making.standardError = FileHandle.nullDevice
            try making.run()
            making.waitUntilExit()
            let (server, output) = (Process(), Pipe())
            server.executableURL = URL(fileURLWithPath: Self.openssl)
            server.arguments = [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-key", key, "-cert", certificate,
            ]
            server.standardOutput = output
            server.standardError = FileHandle.nullDevice
            try server.run()
            process = server
            // It says where it listens: ACCEPT 127.0.0.1:PORT
            var said = ""
            while !said.contains("ACCEPT") || !said.hasSuffix("\n") {
                let bytes = output.fileHandleForReading.availableData
                guard !bytes.isEmpty else { break }
                said += String(decoding: bytes, as: UTF8.self)
            }
            let line = try #require(said.split(separator: "\n").first { $0.hasPrefix("ACCEPT") })
            port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
        }

        deinit {
            // It has the signals blocked that the thread had which started it.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    private func failure(of address: String) async throws -> HTTPClientError {
        let client = try HTTPClient(try #require(URL(string: address)))
        return try #require(
            await #expect(throws: HTTPClientError.self) {
                try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread {
                        continuation.resume(with: Result { _ = try client.send(HTTPRequest("GET", "/")) })
                    }
                }
            }
        )
    }

    @Test("Whom nobody answers is told what was tried")
    func refused() async throws {
        let failure = try await failure(of: "http://127.0.0.1:1")
        #expect(failure.kind == .broken && failure.why.contains("127.0.0.1 port 1"))
        #expect(failure.description.hasSuffix("Check that the server runs and can be reached."))
    }

    @Test("A certificate that is not trusted is told as that, with what helps")
    func untrusted() async throws {
        let folder = try TestFolder("untrusted")
        let server = try UntrustedServer(in: folder.url)
        let failure = try await failure(of: "https://127.0.0.1:\(server.port)")
        #expect(failure.kind == .untrusted)
        #expect(failure.why.contains("certificate") && failure.description.contains("Renew the server's"))
        #expect(!failure.description.contains("can be reached"))
        // Where people have to sign in to a network, something else answers until they have.
        #expect(failure.remedy?.contains("sign in to this network first") == true)
        withExtendedLifetime(server) {}
    }
}
