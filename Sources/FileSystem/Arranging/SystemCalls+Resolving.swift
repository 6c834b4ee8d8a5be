internal import Foundation
internal import Glibc

extension SystemCalls {
    /// realpath(3).
    static func realpath(_ path: FilePath) throws(SystemError) -> FilePath {
        var resolved: UnsafeMutablePointer<CChar>?
        _ = try perform("realpath", at: path) {
            resolved = Glibc.realpath(path.string, nil)
            return resolved == nil ? -1 : 0
        }
        defer { free(resolved) }
        guard let resolved, let text = String(validatingCString: resolved) else {
            throw SystemError(call: "realpath", errno: EILSEQ, path: path)
        }
        return FilePath(text)
    }
}

extension FilePath {
    /// The same place without a symbolic link, "." or ".." on the way or at its end.
    ///
    /// - Throws: `ENOENT` when nothing is there.
    package func resolved() throws(SystemError) -> FilePath {
        try SystemCalls.realpath(self)
    }

    /// The same place without a symbolic link on the way; the item itself may be one, or be missing.
    ///
    /// - Throws: `ENOENT` when its folder is missing.
    package func resolvedInFolder() throws(SystemError) -> FilePath {
        guard string != "/" else { return self }
        return try parent.resolved().appending(name)
    }

    /// Whether this is the folder itself or something in it, by the bytes of both paths.
    package func isInside(_ folder: FilePath) -> Bool {
        self == folder || string.utf8.starts(with: (folder.string == "/" ? "/" : folder.string + "/").utf8)
    }
}
