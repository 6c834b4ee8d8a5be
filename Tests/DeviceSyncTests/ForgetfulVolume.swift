import FileSystem
import Foundation

/// A volume, some folder of this machine's, that has neither permissions nor extended attributes: it takes the first and
/// forgets them.
final class ForgetfulVolume: SystemCallObserver {
    private let folder: String

    /// Begins, for the whole process.
    init(_ folder: String) {
        self.folder = folder
        SystemCallObservation.add(self)
    }

    func end() { SystemCallObservation.remove(self) }

    func willMake(_ call: SystemCall) -> CInt {
        call.name.hasSuffix("setxattr") && isInside(call) ? EOPNOTSUPP : 0
    }

    func didMake(_ call: SystemCall) {
        guard case .setAttributes(let file?) = call.effect, call.name == "fchmod", isInside(call) else {
            return
        }
        var status = stat()
        // A folder that nobody could look into would be of no use.
        guard fstat(file, &status) == 0 else { return }
        fchmod(file, status.st_mode & S_IFMT == S_IFDIR ? 0o755 : 0o644)
    }

    private func isInside(_ call: SystemCall) -> Bool { call.path.string.hasPrefix(folder + "/") }
}
