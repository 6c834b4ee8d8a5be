internal import FileSystem
internal import SQLite
internal import SyncMessages

/// Why something cannot be done on this device's disk.
struct DiskRefusal: CustomStringConvertible {
    let description: String
    /// Whether there is no room: what a person can do about it is another thing then.
    let isFull: Bool

    init(_ error: any Error) {
        description = "\(error)"
        isFull = Self.isFull(error)
    }

    init(_ why: String) { (description, isFull) = (why, false) }

    static func isFull(_ error: any Error) -> Bool {
        switch error {
        case let error as SystemError: error.isFull
        case let error as SQLiteError: error.isFull
        default: false
        }
    }

    /// What is to be done when there is no room.
    static let makeRoom = "Free some space on this device's disk; it is tried again every ten seconds."
}
