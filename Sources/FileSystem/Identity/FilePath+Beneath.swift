internal import Glibc

extension FilePath {
    /// The place of something beneath this folder, links on the way resolved, if nothing leads out of it.
    ///
    /// - Parameter relative: The way down. It may hold ".." and links as long as they stay inside.
    /// - Throws: `EXDEV` when the way leads out of the folder, `ENOENT` when nothing is there, `ENOSYS` on a
    ///   kernel before 5.6.
    package func beneath(_ relative: String) throws(SystemError) -> FilePath {
        let file = try SystemCalls.openBeneath(try Folder.open(self), relative)
        guard let place = try SystemCalls.place(of: file) else {
            throw SystemError(call: "openat2", errno: ENOENT, path: appending(relative))
        }
        return place
    }
}
