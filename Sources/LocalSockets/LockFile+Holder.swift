internal import Foundation

extension LockFile {
    /// The process that has the lock of a file, by the number that it has written there.
    ///
    /// A number alone may be a stranger's by now: it counts only for a process of this user that has this very file open.
    ///
    /// - Returns: Nil where nobody has written there who he is, or who has it is not known for sure.
    package static func holder(of path: String) -> Int32? {
        var file = stat()
        guard lstat(path, &file) == 0, let process = notedProcess(in: path), process > 1,
            isOfThisUser(process), hasOpen(process, file)
        else { return nil }
        return process
    }

    /// The number of the process that has written it into a lock's file; nil where none stands there.
    package static func notedProcess(in path: String) -> Int32? {
        // Of what cannot be read nothing is known.
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        return text?.split(whereSeparator: \.isWhitespace).first.flatMap { Int32($0) }
    }

    private static func isOfThisUser(_ process: pid_t) -> Bool {
        var status = stat()
        return stat("/proc/\(process)", &status) == 0 && status.st_uid == geteuid()
    }

    private static func hasOpen(_ process: pid_t, _ file: stat) -> Bool {
        let folder = "/proc/\(process)/fd"
        // Of a process that has ended meanwhile nothing is known.
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return numbers.contains { number in
            var status = stat()
            return stat("\(folder)/\(number)", &status) == 0 && status.st_dev == file.st_dev
                && status.st_ino == file.st_ino
        }
    }
}
