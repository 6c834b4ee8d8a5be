import FileSystem
import Foundation
import Locks
import SQLite

/// The volume of a hub, some folder of this machine's, on which there is room for so many writes yet. Of one that finds none a part
/// is written, as a volume does.
///
/// The kernel's calls and SQLite's are seen for the whole process, until `end`, and told by their paths.
final class FullDisk: SystemCallObserver, SQLiteCallJudge {
    private struct State {
        /// How many writes find room yet; nil for all.
        var left: Int?
        var refused = 0
    }

    static let partByteCount = 64 << 10

    private let folder: String
    private let state = Locked(State())

    init(_ folder: FilePath) throws {
        self.folder = folder.url(isDirectory: true).resolvingSymlinksInPath().path
        try SQLiteVolumes.add(self)
        SystemCallObservation.add(self)
    }

    /// Has room for so many writes yet; nil for all.
    func leaveRoom(forWrites count: Int?) { state.withLock { $0.left = count } }
    /// How many writes have found no room.
    var refusedCount: Int { state.withLock { $0.refused } }

    func end() {
        SystemCallObservation.remove(self)
        SQLiteVolumes.remove(self)
    }

    private func judge(_ path: String) -> CInt {
        guard path.hasPrefix(folder) else { return 0 }
        return state.withLock { state in
            guard let left = state.left else { return 0 }
            guard left == 0 else {
                state.left = left - 1
                return 0
            }
            state.refused += 1
            return ENOSPC
        }
    }

    func judge(readOf path: String) -> CInt { 0 }
    func judge(writeTo path: String) -> CInt { judge(path) }

    func willMake(_ call: SystemCall) -> CInt {
        switch call.effect {
        case .write, .copy, .createFile, .createFolder, .link: return judge(call.path.string)
        case .change(let file) where call.name == "pwrite":
            let refusal = judge(call.path.string)
            if refusal != 0 { Self.writePart(to: file) }
            return refusal
        default: return 0
        }
    }

    private static func writePart(to file: CInt) {
        var status = stat()
        guard fstat(file, &status) == 0 else { return }
        let part = [UInt8](repeating: 0xff, count: partByteCount)
        pwrite(file, part, part.count, status.st_size)
    }

    /// How much room the files of a folder in it take, in blocks.
    func blockCount(of name: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/" + name).reduce(0) { count, file in
            var status = stat()
            guard lstat(folder + "/" + name + "/" + file, &status) == 0 else { return count }
            return count + Int(status.st_blocks)
        }
    }

    func didMake(_ call: SystemCall) {}
}
