internal import Foundation

/// The folder in which the processes of one user meet: sockets and locks, gone when the user has logged out.
package struct RuntimeFolder: Hashable, Sendable {
    package let path: String

    /// The folder for this user, made if it is not there.
    ///
    /// - Parameter environment: The process's environment: `SHEAF_RUNTIME_DIR` names the folder itself,
    ///   `XDG_RUNTIME_DIR` the one that it is in, if that is this user's: `su` leaves the former user's, and a program that is
    ///   begun before anybody has logged in may have one that is not there.
    /// - Throws: When another user could reach into it, or it cannot be made.
    package init(environment: [String: String]) throws(SocketError) {
        let place = Self.place(
            environment: environment,
            user: geteuid(),
            isOurs: { Self.isOurs($0) },
            temporary: "/tmp"
        )
        try self.init(path: place)
    }

    /// A folder, made if it is not there.
    package init(path: String) throws(SocketError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            let detail = "Make the folder that it is to be in, or set SHEAF_RUNTIME_DIR to another."
            throw SocketError(call: "mkdir", errno: errno, path: path, detail: detail)
        }
        try Self.check(path)
        self.path = path
    }

    /// Where the folder is to be.
    static func place(
        environment: [String: String],
        user: UInt32,
        isOurs: (String) -> Bool,
        temporary: String
    ) -> String {
        if let own = environment["SHEAF_RUNTIME_DIR"], own.hasPrefix("/") { return own }
        if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"), isOurs(folder) {
            return folder + "/sheaf"
        }
        let standard = "/run/user/\(user)"
        return isOurs(standard) ? standard + "/sheaf" : "\(temporary)/sheaf-\(user)"
    }

    /// The path of something in the folder.
    package func place(of name: String) -> String { path + "/" + name }

    /// A folder inside, made if it is not there.
    package func folder(_ name: String) throws(SocketError) -> RuntimeFolder {
        try RuntimeFolder(path: place(of: name))
    }

    /// The names of what is inside.
    package func names() throws(SocketError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw SocketError(call: "readdir", errno: EIO, path: path, detail: error.localizedDescription)
        }
    }

    /// Removes something from inside; nothing if it is not there.
    package func remove(_ name: String) {
        // What cannot be removed is a leftover that says nothing: nobody holds its lock or listens there.
        _ = unlink(place(of: name))
    }

    private static func isOurs(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }

    /// Nobody else may be able to put a socket or a lock there, or a link in the folder's place.
    private static func check(_ path: String) throws(SocketError) {
        var status = stat()
        let user = geteuid()
        let isFound = lstat(path, &status) == 0
        guard isFound, status.st_uid == user else {
            let owner = isFound ? "It belongs to user \(status.st_uid), not to user \(user). " : ""
            let detail = owner + "Set SHEAF_RUNTIME_DIR to a folder of your own."
            throw SocketError(call: "lstat", errno: isFound ? EPERM : errno, path: path, detail: detail)
        }
        let folder = try SocketCalls.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        _ = try SocketCalls.check("fstat", path) { fstat(folder.number, &status) }
        guard status.st_uid == user, status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            let detail = """
                Others can reach into it, with mode \(mode). Remove it, or set SHEAF_RUNTIME_DIR to another.
                """
            throw SocketError(call: "fstat", errno: EPERM, path: path, detail: detail)
        }
    }
}
