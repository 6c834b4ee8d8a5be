import FileSystem
import Foundation

/// A volume that does not let items bear all that they are to bear, and mostly does not say so.
final class PoorVolume: SystemCallObserver {
    enum Poverty: CaseIterable {
        /// Attributes are refused.
        case withoutAttributes
        /// Permissions are refused, or taken and forgotten.
        case withoutPermissions, forgetfulOfPermissions
        /// Dates are refused, or rounded to two seconds as FAT's are.
        case withoutDates, roughDates
    }

    private let poverty: Poverty

    init(_ poverty: Poverty) { self.poverty = poverty }

    func willMake(_ call: SystemCall) -> CInt {
        switch (poverty, call.name) {
        case (.withoutAttributes, "fsetxattr"): EOPNOTSUPP
        case (.withoutPermissions, "fchmod"), (.withoutDates, "utimensat"): EPERM
        default: 0
        }
    }

    func didMake(_ call: SystemCall) {
        guard case .setAttributes(let file) = call.effect else { return }
        switch (poverty, call.name) {
        case (.forgetfulOfPermissions, "fchmod"): if let file { fchmod(file, 0o700) }
        case (.roughDates, "utimensat"): round(file, call.path)
        default: break
        }
    }

    private func round(_ file: CInt?, _ path: FilePath) {
        var status = stat()
        guard (file.map { fstat($0, &status) } ?? lstat(path.string, &status)) == 0 else { return }
        let times = [timespec(), timespec(tv_sec: status.st_mtim.tv_sec & ~1, tv_nsec: 0)]
        if let file {
            futimens(file, times)
        } else {
            utimensat(AT_FDCWD, path.string, times, AT_SYMLINK_NOFOLLOW)
        }
    }
}
