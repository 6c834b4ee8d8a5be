package import FileSystem
internal import Foundation

/// What is on disk at a place, as one value: to write it, to read it back, to compare.
package indirect enum DiskTree: Hashable, Sendable {
    case file(String)
    case folder([String: DiskTree])
    case link(String)

    /// Reads what is at a place; nil for nothing.
    package init?(at path: FilePath) throws {
        guard let stamp = try FileStamp.ifPresent(at: path) else { return nil }
        switch stamp.kind {
        case .regular: self = .file(String(decoding: try FileReading.contents(of: path), as: UTF8.self))
        case .symbolicLink: self = .link(try FileReading.symbolicLinkText(at: path))
        case .directory:
            var members: [String: DiskTree] = [:]
            for entry in try FileReading.entries(in: path) {
                members[entry.name] = try DiskTree(at: path.appending(entry.name))
            }
            self = .folder(members)
        case .other: throw SystemError(call: "read", errno: EINVAL, path: path)
        }
    }

    /// Writes it to a place that is free, without any care.
    package func write(to path: FilePath) throws {
        switch self {
        case .file(let text): try Data(text.utf8).write(to: path.url(isDirectory: false))
        case .link(let text):
            try FileManager.default.createSymbolicLink(atPath: path.string, withDestinationPath: text)
        case .folder(let members):
            try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: false)
            for (name, member) in members { try member.write(to: path.appending(name)) }
        }
    }

    /// The same as something to be saved.
    package var memberTree: MemberTree {
        switch self {
        case .file(let text): .file(.data(Data(text.utf8)))
        case .link(let text): .symbolicLink(text)
        case .folder(let members): .directory(members.mapValues(\.memberTree))
        }
    }
}

extension DiskTree: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    package init(stringLiteral text: String) { self = .file(text) }

    package init(dictionaryLiteral members: (String, DiskTree)...) {
        self = .folder(Dictionary(uniqueKeysWithValues: members))
    }
}

/// A folder of its own for one test, removed with it.
package final class ScratchFolder: Sendable {
    package let path: FilePath

    /// - Parameter base: The folder to make it in; nil for the system's temporary folder.
    package init(in base: FilePath? = nil) throws {
        let base = base ?? FilePath(FileManager.default.temporaryDirectory.path)
        path = base.appending("sheaf-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    }

    deinit {
        // A folder that stays is the system's to clean up.
        try? FileManager.default.removeItem(atPath: path.string)
    }

    /// All that is in the folder.
    package func tree() throws -> DiskTree? { try DiskTree(at: path) }

    /// Memory as a disk, where the machine has it.
    package static let memoryDisk = FilePath("/dev/shm")
}
