internal import Foundation

/// What processes have open, as proc(5) tells: those of this user, of all users' for the privileged.
package enum ProcessFiles {
    /// The numbers of all processes, in order.
    package static var processes: [Int32] {
        // Where nothing is told nobody is known to run.
        ((try? FolderScan.names(in: FilePath("/proc"))) ?? []).compactMap { Int32($0) }.sorted()
    }

    /// Something that a process has open.
    package struct Descriptor: Sendable {
        /// The path of what it is of, without links on the way; of what is no file the kernel's word for it.
        package let target: String
        private let place: FilePath

        fileprivate init(_ target: String, _ place: FilePath) { (self.target, self.place) = (target, place) }

        /// The lines in which the kernel tells of it; none of one that is closed by now.
        package var lines: [Substring] { ProcessFiles.text(at: place)?.split(separator: "\n") ?? [] }
    }

    /// What a process has open: nothing where it has ended or is another user's.
    package static func descriptors(of process: Int32) -> some Sequence<Descriptor> {
        let folder = FilePath("/proc/\(process)")
        // As said above.
        let numbers = (try? FolderScan.names(in: folder.appending("fd"))) ?? []
        return numbers.lazy.compactMap { number in
            // Closed since.
            let link = try? SystemCalls.readProcessLink(folder.appending("fd/\(number)").string)
            return link.flatMap { $0 }.map { Descriptor($0, folder.appending("fdinfo/\(number)")) }
        }
    }

    /// One of the kernel's files; nil where it is not there.
    package static func text(at path: FilePath) -> String? {
        // What has ended meanwhile, or is another user's, tells nothing.
        (try? FileReading.contents(of: path)).map { String(decoding: $0, as: UTF8.self) }
    }
}
