import FileSystem
import Foundation

/// A volume, some folder of this machine's, that has no names of more than 143 bytes and none with colons.
final class NarrowVolume: SystemCallObserver {
    private let folder: String

    /// Begins, for the whole process.
    init(_ folder: String) {
        self.folder = folder
        SystemCallObservation.add(self)
    }

    func end() { SystemCallObservation.remove(self) }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.path.string.hasPrefix(folder + "/") else { return 0 }
        let names = call.path.string.dropFirst(folder.utf8.count + 1).split(separator: "/")
        if names.contains(where: { $0.utf8.count > 143 }) { return ENAMETOOLONG }
        return names.contains { $0.contains(":") } ? EINVAL : 0
    }

    func didMake(_ call: SystemCall) {}
}
