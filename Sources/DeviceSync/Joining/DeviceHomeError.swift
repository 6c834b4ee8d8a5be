package import FileSystem
internal import HubProtocol
internal import StandardStreams

/// What is wrong with a device's own files.
package enum DeviceHomeError: Error, Hashable, Sendable, CustomStringConvertible {
    case notPrivate(FilePath)
    case folderTaken(FilePath, FilePath)
    case identifierTaken(String, FilePath)
    case nameTaken(String)
    case nameTooLong(String)
    case joinedAlready(FilePath)
    /// A file of a container's.
    case damaged(FilePath)
    case missing(FilePath)
    /// Of a version that is not known: a later one's, or damaged.
    case unknown(FilePath)
    /// A folder that is not to be replaced.
    case isThere(FilePath)
    case notEmpty(FilePath)

    package var description: String {
        switch self {
        case .folderTaken(let folder, let other):
            "“\(folder)” cannot be a container's: “\(other)” is kept there already. Choose another folder."
        case .joinedAlready(let other):
            """
            This device shares that already, in “\(other)”. Use that folder. If it is gone for good, have another one take its \
            place: sheaf join FOLDER --instead-of \(other.string.shellWord)
            """
        case .notPrivate, .damaged, .missing, .unknown:
            [fault, remedy].compactMap(\.self).joined(separator: " ")
        case .isThere(let folder):
            "“\(folder)” is there, and is what is kept in step. No other folder takes its place."
        case .notEmpty(let folder):
            "There is something in “\(folder)”. Give an empty folder, or a place where nothing is."
        case .nameTaken(let name):
            "No device may be called “\(name)”, as the key on paper is. Choose another name."
        case .nameTooLong(let name):
            """
            A device's name has \(HubLimits.labelByteCountMax) bytes at most, and “\(name)” has \(name.utf8.count). Choose another \
            name.
            """
        case .identifierTaken(let identifier, let other):
            "The container “\(identifier)” is in “\(other)” already. Choose another identifier, or give none."
        }
    }

    /// What is wrong with a file of this device's; nil of everything else.
    package var fault: String? {
        switch self {
        case .notPrivate(let path): "Others can read “\(path)”, which has keys in it."
        case .damaged(let file): "“\(file)” is damaged: its folder is not kept in step without it."
        case .missing(let file): "“\(file)” is not there: its folder is not kept in step without it."
        case .unknown(let file):
            """
            “\(file)” is of a version of Sheaf that this one does not know, or damaged: its folder is not kept in step without it.
            """
        default: nil
        }
    }

    /// The file that something is wrong with; nil of everything else.
    package var file: FilePath? {
        switch self {
        case .damaged(let file), .missing(let file), .unknown(let file), .notPrivate(let file): file
        default: nil
        }
    }

    /// What helps against a file that says nothing, or that says too much to others; nil of everything else.
    package var remedy: String? {
        switch self {
        case .notPrivate(let path): "Check who did, then chmod go= \(path.string.shellWord)."
        case .damaged(let file), .missing(let file): Self.remedy(file)
        case .unknown(let file):
            "Update Sheaf on this device. If that is the newest: \(Self.remedy(file))"
        default: nil
        }
    }

    private static func remedy(_ file: FilePath) -> String {
        "Put it back from a backup of this device; or move “\(file.parent)” away, and join its folder anew: sheaf join."
    }
}
