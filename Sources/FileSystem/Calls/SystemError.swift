internal import Foundation

/// A kernel call about a file that was refused: which, why, on what, and what can be done.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call, by its name in section 2 of the manual.
    package var call: String
    /// The kernel's reason.
    package var errno: CInt
    /// The item the call was about.
    package var path: FilePath
    /// Whether a save had already put the new contents in place when this happened.
    ///
    /// False for everything but the last step of a save: then old contents are where they were. True when
    /// only the proof of durability is missing: the new contents are there, and a power cut may undo it.
    package var isNewInPlace = false
    /// What is in the way of a save and not this user's to clear away, where that is why.
    package var stagingInTheWay: StagingInTheWay?

    package init(call: String, errno: CInt, path: FilePath) {
        self.call = call
        self.errno = errno
        self.path = path
    }

    /// Whether the item, or a folder on the way to it, is not there.
    package var isAbsent: Bool { errno == ENOENT || errno == ENOTDIR }

    /// Whether whoever owns the item does not let this user at it.
    package var isForbidden: Bool { errno == EACCES || errno == EPERM }

    /// Whether there was no room on the volume, or none within the user's quota.
    package var isFull: Bool { errno == ENOSPC || errno == EDQUOT }

    /// Whether this user watches as much as the machine allows.
    package var lacksWatch: Bool { call.contains("notify_") && isFull }

    /// Whether this user, or this process, has as many queues of watches open as the machine allows.
    package var lacksQueue: Bool { call.contains("notify_") && (errno == EMFILE || errno == ENFILE) }

    /// Whether the volume, or the kind of item, has nothing of the sort.
    package var isUnsupported: Bool { errno == EOPNOTSUPP || errno == ENOTTY || errno == ENOSYS }

    /// Whether the storage device failed.
    package var isFault: Bool { errno == EIO }

    /// Whether the way to the item is longer than the kernel takes, whatever its names are.
    package var isPathTooLong: Bool { errno == ENAMETOOLONG && path.string.utf8.count >= Int(PATH_MAX) }

    /// The reason in the C library's words.
    package var reason: String { String(cString: strerror(errno)) }

    package var description: String {
        let place = isNewInPlace ? " The new contents are in place but may not outlast a power cut." : ""
        let obstacle = stagingInTheWay.map { " " + $0.reason } ?? ""
        return "\(call)(2) on \(path.string): \(reason).\(obstacle)\(place) \(remedy)"
    }

    /// One sentence that says what can be done about it.
    package var remedy: String {
        if let stagingInTheWay { return stagingInTheWay.remedy }
        return switch errno {
        case _ where lacksWatch:
            "More is watched than this machine allows; end a program that watches files, or raise fs.inotify.max_user_watches (sysctl)."
        case _ where lacksQueue:
            "More queues of watches are open than this machine allows; end a program that watches files, or raise fs.inotify.max_user_instances (sysctl)."
        case ENOSPC: "Free some space on the volume, then try again."
        case EDQUOT: "Your quota on this volume is used up; remove something, then try again."
        case EROFS: "The volume cannot be written to; save to another place."
        case EACCES, EPERM: "Ask for permission to the item and to its folder, or choose another place."
        case ENOENT: "The item or its folder has been moved or removed; choose another place."
        case ENOTDIR: "A folder was expected on the way; choose another place."
        case EISDIR, ENOTEMPTY: "A folder is in the way; move it or choose another name."
        case EEXIST: "Something of that name is there already; choose another name or move it away."
        case ENAMETOOLONG where isPathTooLong:
            "With all folders above it, its path is longer than the \(PATH_MAX - 1) bytes that Linux takes; give these shorter names."
        case ENAMETOOLONG: "The name is too long for this volume; choose a shorter one."
        case EMFILE, ENFILE: "Too many files are open; close some documents and try again."
        case EXDEV: "The two places are on different volumes; save to the same volume or copy."
        case ELOOP: "Symbolic links lead in a circle, or one stands where none may; remove the link."
        case ESTALE: "The item has changed since it was read; read it again before saving."
        case EILSEQ where call == "readlinkat":
            "The link leads to a name that is not valid UTF-8; have it lead elsewhere."
        case EILSEQ: "A name is not valid UTF-8; rename the item."
        case EIO: "The storage device reported a fault; save to another place and check the device."
        case EBUSY, EWOULDBLOCK: "Another program is using the item; try again when it has finished."
        case EFBIG: "The file is too large for this volume."
        case EOPNOTSUPP, ENOTTY, ENOSYS, EINVAL:
            "The volume or the kind of item does not allow this; save elsewhere."
        default: "Check the volume and try again."
        }
    }
}
