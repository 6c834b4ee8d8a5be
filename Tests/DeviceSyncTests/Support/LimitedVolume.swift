import FileSystem
import Foundation

/// A volume, some folder of this machine's, that cannot hold all that others do.
final class LimitedVolume: SystemCallObserver {
    enum Limit {
        /// It has neither permissions nor extended attributes: it takes the first and forgets them.
        case withoutDress
        /// It has no names of more than 143 bytes, and none with colons.
        case narrowNames
    }

    private let folder: String
    private let limit: Limit

    /// Begins, for the whole process.
    init(_ folder: String, _ limit: Limit) {
        (self.folder, self.limit) = (folder, limit)
        SystemCallObservation.add(self)
    }

    func end() { SystemCallObservation.remove(self) }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.path.string.hasPrefix(folder + "/") else { return 0 }
        switch limit {
        case .withoutDress: return call.name.hasSuffix("setxattr") ? EOPNOTSUPP : 0
        case .narrowNames:
            let names = call.path.string.dropFirst(folder.utf8.count + 1).split(separator: "/")
            if names.contains(where: { $0.utf8.count > 143 }) { return ENAMETOOLONG }
            return names.contains { $0.contains(":") } ? EINVAL : 0
        }
    }

    func didMake(_ call: SystemCall) {
        guard limit == .withoutDress, case .setAttributes(let file?) = call.effect, call.name == "fchmod",
            call.path.string.hasPrefix(folder + "/")
        else { return }
        var status = stat()
        // A folder that nobody could look into would be of no use.
        guard fstat(file, &status) == 0 else { return }
        fchmod(file, status.st_mode & S_IFMT == S_IFDIR ? 0o755 : 0o644)
    }
}
