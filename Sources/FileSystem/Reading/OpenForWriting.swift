internal import CLinux
internal import Foundation
internal import Glibc

/// Whether programs have files open for writing, and which.
package enum OpenForWriting {
    /// Whether anybody, this process too, has a file open for writing or mapped to memory that is written.
    ///
    /// The kernel says so to who may have a lease on the file: its owner, or who has the privilege. Nobody notices, but for
    /// a program that opens the file without waiting in the very microsecond, which is told to try again.
    ///
    /// - Parameter path: Of a file; a symbolic link is not followed.
    /// - Returns: Nil where it cannot be told: somebody else's file, a volume without leases, or no file.
    package static func isOpen(_ path: FilePath) -> Bool? {
        // What is wrong with the file is said by whoever reads it.
        guard
            let file = try? SystemCalls.openat(
                .working,
                path.string,
                O_RDONLY | O_NONBLOCK | O_NOFOLLOW
            ), let answer = try? SystemCalls.isWritten(file)
        else { return nil }
        return answer
    }

    /// Whether anybody has an item open for writing, or a file in it, as far as can be told: see `isOpen(_:)`.
    ///
    /// - Parameter path: Of a file or a folder; links are not followed.
    package static func isOpen(anywhereIn path: FilePath) -> Bool {
        // What cannot be looked at is said by whoever reads it.
        switch (try? FolderScan.status(at: path))?.stamp.kind {
        case .regular: return isOpen(path) == true
        case .directory: break
        case .symbolicLink, .other, nil: return false
        }
        var pending = [path]
        while let folder = pending.popLast() {
            for member in (try? FolderScan.members(of: folder)) ?? [] {
                let place = folder.appending(member.name)
                switch member.status.stamp.kind {
                case .regular: if isOpen(place) == true { return true }
                case .directory: pending.append(place)
                case .symbolicLink, .other: break
                }
            }
        }
        return false
    }

    /// Which programs have an item open for writing, or a file in it: see `writers(countMax:where:)`.
    ///
    /// - Parameter path: Of a file or a folder; nobody has one open that has gone.
    package static func writers(countMax: Int, anywhereIn path: FilePath) -> [WriterProcess] {
        guard let real = try? path.resolved() else { return [] }
        return writers(countMax: countMax) { $0 == real.string || $0.hasPrefix(real.string + "/") }
    }

    /// Which programs of this user have files open for writing, as proc(5) tells; of all users' for the privileged.
    ///
    /// Takes some milliseconds: all that all programs have open is gone through.
    ///
    /// - Parameters:
    ///   - countMax: So many are enough.
    ///   - isWanted: Whether a path, without links on the way, is of such a file.
    package static func writers(countMax: Int, where isWanted: (String) -> Bool) -> [WriterProcess] {
        var writers: [WriterProcess] = []
        for process in ProcessFiles.processes where writers.count < countMax {
            let writes = ProcessFiles.descriptors(of: process)
                .contains { isWanted($0.target) && isForWriting($0) }
            // A process that has ended meanwhile has no name.
            guard writes, let writer = WriterProcess(running: process) else { continue }
            writers.append(writer)
        }
        return writers
    }

    /// Whether a descriptor is for writing: its flags are told in octal digits.
    private static func isForWriting(_ descriptor: ProcessFiles.Descriptor) -> Bool {
        guard let line = descriptor.lines.first(where: { $0.hasPrefix("flags:") }) else { return false }
        let digits = line.dropFirst("flags:".count).trimmingCharacters(in: .whitespaces)
        return (CInt(digits, radix: 8) ?? O_RDONLY) & O_ACCMODE != O_RDONLY
    }
}
