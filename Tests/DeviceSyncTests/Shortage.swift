import FileSystem
import Foundation

/// A disk on which there is room for anything but some files.
final class Shortage: SystemCallObserver {
    private let start: String

    /// - Parameter start: How their paths begin.
    init(at start: String) { self.start = start }

    func willMake(_ call: SystemCall) -> CInt { call.path.string.hasPrefix(start) ? ENOSPC : 0 }
    func didMake(_ call: SystemCall) {}
}
