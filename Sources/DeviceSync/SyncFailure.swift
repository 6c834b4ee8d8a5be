package import FileSystem
internal import Foundation

/// Why a container is not kept in step, and what helps.
package struct SyncFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// Another process keeps it in step already.
        case inUse
        /// A later version of this program made the memory.
        case tooNew
        /// The container's folder is not there, or is another one.
        case rootMissing
        /// The hub does not have what it had, or has something else.
        case hubChanged
    }

    package let code: Code
    /// What it is about.
    package let path: FilePath?
    /// In sentences for a person.
    package let description: String

    init(_ code: Code, _ path: FilePath?, _ description: String) {
        (self.code, self.path, self.description) = (code, path, description)
    }

    static func inUse(_ folder: FilePath) -> SyncFailure {
        SyncFailure(
            .inUse,
            folder,
            "Another process keeps this container in step. Stop it first, or let it do so."
        )
    }

    static func tooNew(_ folder: FilePath) -> SyncFailure {
        SyncFailure(.tooNew, folder, "A later version of sheaf made “\(folder)”. Use that version.")
    }

    static func rootMissing(_ folder: FilePath) -> SyncFailure {
        SyncFailure(
            .rootMissing,
            folder,
            """
            The folder “\(folder)” is not the one that is kept in step, or is not there: nothing is taken for deleted. \
            Mount its volume or put the folder back; or join again with another folder.
            """
        )
    }

    static func hubChanged(_ what: String) -> SyncFailure {
        SyncFailure(.hubChanged, nil, what)
    }

    static func revocationLost(_ device: String) -> SyncFailure {
        SyncFailure(
            .hubChanged,
            nil,
            """
            The hub was put back to before “\(device)” was shut out, and would let it in again: nothing more is sent. Put \
            the hub back to a later backup.
            """
        )
    }
}
