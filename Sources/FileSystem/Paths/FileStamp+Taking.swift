internal import Foundation

extension FileStamp {
    /// Takes the stamp of what is at a path now: one lstat(2).
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - followsSymbolicLink: Whether a link is taken for what it leads to.
    /// - Throws: `ENOENT` when nothing is there.
    package init(of path: FilePath, followsSymbolicLink: Bool = false) throws(SystemError) {
        self = try SystemCalls.fstatat(
            .working,
            path.string,
            followsSymbolicLink: followsSymbolicLink
        ).stamp
    }

    /// The stamp of what is at a path now; nil when nothing is.
    package static func ifPresent(
        at path: FilePath,
        followsSymbolicLink: Bool = false
    ) throws(SystemError) -> FileStamp? {
        do { return try FileStamp(of: path, followsSymbolicLink: followsSymbolicLink) } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
    }
}
