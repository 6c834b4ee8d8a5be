package import FileSystem
internal import Foundation
internal import StandardStreams

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
        /// A device shares the container no more.
        case shutOut
        /// A key was announced that this device has not got.
        case keyMissing
        /// Somebody is to decide something else first.
        case refused
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
            "\(rootIsAway(folder)) Mount its volume or put the folder back. \(rootIsGone(folder))"
        )
    }

    /// What helps where the folder does not come back.
    static func rootIsGone(_ folder: FilePath) -> String {
        """
        If it is gone for good, end sheaf up, have another folder take its place, and start it again: \
        sheaf join FOLDER --instead-of \(folder.string.shellWord)
        """
    }

    static func rootIsAway(_ folder: FilePath) -> String {
        "The folder “\(folder)” is not the one that is kept in step, or is not there: nothing is taken for deleted."
    }

    static func hubChanged(_ what: String) -> SyncFailure {
        SyncFailure(.hubChanged, nil, what)
    }

    static func keyMissing(_ generation: UInt32) -> SyncFailure {
        SyncFailure(
            .keyMissing,
            nil,
            """
            A device was shut out, and key \(generation), under which is sealed since then, has not come to this one. It is asked \
            for again by itself; the device that has it sends it when it runs.
            """
        )
    }

    static let isThisDevice = SyncFailure(.refused, nil, "This is the device that you are at.")

    static let unknownDevice = SyncFailure(
        .refused,
        nil,
        "No device of this name shares the folder. See sheaf devices FOLDER."
    )

    static let lastDevice = SyncFailure(
        .refused,
        nil,
        """
        This is the last device that shares the folder: without it nobody could read what the hub has, and nothing was changed. \
        Have another device join first, or keep a key on paper: sheaf recovery FOLDER.
        """
    )

    static let inUseLeaving = SyncFailure(
        .inUse,
        nil,
        "The folder is kept in step just now. Stop sheaf up first, then leave."
    )

    static func inUseRegistering(_ folder: FilePath) -> SyncFailure {
        SyncFailure(
            .inUse,
            folder,
            """
            The hub does not know the device of “\(folder)” any more, and sheaf up keeps the folder in step just now. End sheaf up \
            first, then say this again: the invitation is not used up.
            """
        )
    }

    static func unknownThere(_ folder: FilePath, _ hub: URL) -> SyncFailure {
        SyncFailure(
            .refused,
            folder,
            """
            The hub at \(hub) does not know the device of “\(folder)”, and nothing was changed: it is another hub than the one with \
            which the folder is kept in step, or was put back to a backup from before the device joined. Give the address of the \
            same hub; where it was put back, give an --invitation, too: sheaf hub invite prints one at the hub.
            """
        )
    }

    static func knownElsewhere(_ folder: FilePath, _ hub: URL) -> SyncFailure {
        SyncFailure(
            .refused,
            folder,
            """
            “\(folder)” is kept in step with the hub at \(hub), which knows its device; this one does not. A folder stays with its \
            hub: for another one, copy what is in it to another folder, and join that.
            """
        )
    }

    static func otherAccount(_ folder: FilePath) -> SyncFailure {
        SyncFailure(
            .refused,
            folder,
            """
            The invitation is of another account than “\(folder)” is. Where the hub runs, find the account with sheaf hub accounts, \
            and have sheaf hub invite --account N print one of it.
            """
        )
    }

    static let paperIsThere = SyncFailure(
        .refused,
        nil,
        "There is a recovery key for this folder already. If the paper is lost, or others may have seen it: --replace."
    )

    static let paperUnknown = SyncFailure(
        .refused,
        nil,
        "No folder at this hub is opened by this recovery key. Check that it is the right paper, and the right hub."
    )

    static let paperRevoked = SyncFailure(
        .refused,
        nil,
        "This recovery key was replaced by a later one. Look for the newer paper."
    )

    static func cannotComeBack(_ device: String) -> SyncFailure {
        SyncFailure(
            .shutOut,
            nil,
            "“\(device)” was shut out and does not come back as what it was. Have it join anew: sheaf join."
        )
    }

    static func shutOut(_ end: ShutOut) -> SyncFailure {
        let said =
            end.by.map { "“\($0)” has shut this device out." }
            ?? "The hub says that this device was shut out."
        return SyncFailure(.shutOut, nil, said)
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
