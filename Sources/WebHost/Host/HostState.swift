internal import Cryptography
internal import Foundation
internal import HTTPService

/// What outlives a host: the session key and the port, in a folder that only its owner can use.
///
/// 1. The key's file appears whole or not at all, also when two processes start at once, or the power is cut: it is
///    linked into place once it is on the disk.
/// 2. A key that others could have read is refused, not used.
/// 3. The key itself is sent to nobody. What is sent is made of it, and says nothing of what else is.
struct HostState: Sendable {
    /// Names the cookie.
    ///
    /// Browsers share cookies between the ports of a machine, so each state has its own name.
    let cookieName: String
    /// What the cookie holds: 256 bits that nobody can guess.
    let sessionKey: String
    /// What the page knows us by.
    let proof: LineProof
    private let portFile: URL

    /// Opens the folder, making it and the key where they are missing.
    init(directory: URL) throws(WebHostError) {
        do throws(SystemCallFailure) {
            try Self.prepare(directory)
            let parts = try Self.key(in: directory).split(separator: " ")
            guard
                parts.count == 2, Hexadecimal.isDigits(String(parts[0]), count: 16),
                Hexadecimal.isDigits(String(parts[1]), count: 64)
            else {
                throw SystemCallFailure(name: "read", errno: EBADMSG)
            }
            cookieName = "sheaf_\(parts[0])"
            let key = Data(parts[1].utf8)
            sessionKey = Hexadecimal.text(Array(try Self.secret("cookie", of: key)))
            proof = LineProof(key: try Self.secret("proof", of: key))
            portFile = directory.appendingPathComponent("port")
        } catch {
            throw WebHostError(
                code: .stateUnusable,
                url: directory,
                call: error,
                detail: "The folder for the session key must be yours and its files readable by nobody else "
                    + "(chmod 700 the folder, chmod 600 session-key; a damaged session-key may be deleted)."
            )
        }
    }

    /// The port that was used last; nil where none is known.
    var lastPort: UInt16? {
        // Only a preference: without it any free port is taken.
        guard let text = try? String(contentsOf: portFile, encoding: .utf8) else { return nil }
        return UInt16(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Remembers the port.
    func keep(port: UInt16) {
        // Only a preference: a disk that is full must not keep the host from starting.
        try? Data("\(port)\n".utf8).write(to: portFile, options: .atomic)
    }

    private static func secret(_ purpose: String, of key: Data) throws(SystemCallFailure) -> Data {
        do throws(CryptographyError) {
            return try MessageAuthentication.code(of: Data(purpose.utf8), key: key)
        } catch {
            throw SystemCallFailure(name: error.call, errno: ENOMEM)
        }
    }

    private static func prepare(_ directory: URL) throws(SystemCallFailure) {
        let parent = directory.deletingLastPathComponent()
        // Whatever is wrong with the folders above shows in the next call, with its errno.
        try? FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        do throws(SystemCallFailure) {
            _ = try SystemCalls.check("mkdir") { mkdir(directory.path, 0o700) }
        } catch  where error.errno == EEXIST {}
        let folder = try SystemCalls.open(directory.path, O_RDONLY | O_DIRECTORY)
        let status = try SystemCalls.status(of: folder)
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw SystemCallFailure(name: "open", errno: EPERM)
        }
    }

    private static func key(in directory: URL) throws(SystemCallFailure) -> String {
        let place = directory.appendingPathComponent("session-key").path
        do throws(SystemCallFailure) {
            return try readKey(place)
        } catch  where error.errno == ENOENT {
            let draft = place + "." + Hexadecimal.text(try SystemCalls.randomBytes(count: 8))
            defer { _ = unlink(draft) }
            let random = try SystemCalls.randomBytes(count: 40)
            let text = Hexadecimal.text(random.prefix(8)) + " " + Hexadecimal.text(random.dropFirst(8)) + "\n"
            let file = try SystemCalls.open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            try SystemCalls.writeAll(ArraySlice(text.utf8), to: file)
            _ = try SystemCalls.check("fsync") { fsync(file.number) }
            do throws(SystemCallFailure) {
                _ = try SystemCalls.check("link") { link(draft, place) }
            } catch  where error.errno == EEXIST {}
            return try readKey(place)
        }
    }

    private static func readKey(_ place: String) throws(SystemCallFailure) -> String {
        let file = try SystemCalls.open(place, O_RDONLY | O_NOFOLLOW)
        let status = try SystemCalls.status(of: file)
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0, status.st_mode & S_IFMT == S_IFREG
        else {
            throw SystemCallFailure(name: "open", errno: EPERM)
        }
        let bytes = try SystemCalls.readAll(file, byteCountMax: 256)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SystemCallFailure(name: "read", errno: EBADMSG)
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
