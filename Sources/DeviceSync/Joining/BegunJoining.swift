internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Sealing

/// A joining that is under way, kept durably before the hub is asked to register this device: an invitation works once, and for who
/// died before he had the answer, or had kept it, by the same keys once more. So it is gone on with by who joins in the same way.
///
///     HOME/joining/ID/lock     held while somebody is at it
///     HOME/joining/ID/device   who this device is to be
///     HOME/joining/ID/keys     the container's keys, once there are any
///     HOME/joining/ID/joining  by what it was begun; written last
///
/// It goes where the folder is joined, or it is certain that nothing comes of it. For one thread at a time.
final class BegunJoining {
    /// What a person has given, and as whom this device joins: the same again means the same joining.
    struct Means: Codable, Hashable, Sendable {
        enum Kind: String, Codable, Sendable {
            /// An invitation, for a new container.
            case invitation
            /// An invitation, and the key on paper.
            case paper
            /// What another device shows.
            case code
        }

        var kind: Kind
        var text: String
        var hub: URL
        var deviceName: String

        func isSame(as other: Means) -> Bool {
            kind == other.kind && text == other.text && deviceName == other.deviceName
                && HubClient.isSame(hub, other.hub)
        }
    }

    private struct Record: Codable {
        var means: Means
        var invitation: String
        var list: DeviceListMark?
        var begunSeconds: Double
    }

    let identity: DeviceIdentity
    /// The container's, as far as there are any.
    private(set) var keys: ContainerKeys?
    private let record: Record
    private let home: DeviceHome
    private let folder: FilePath
    private let lock: StorageFile
    /// Whether the hub may know of it.
    private(set) var isTold: Bool

    var invitation: String { record.invitation }
    /// What the list of devices has to come by, as of the device that has let this one in.
    var list: DeviceListMark? { record.list }

    private static let folderName = "joining"
    private static let (lockName, deviceName, keysName, recordName) = ("lock", "device", "keys", "joining")
    /// An invitation is no longer good by then, whoever has it.
    private static let secondsMax = 24.0 * 60 * 60

    private init(
        _ home: DeviceHome,
        _ folder: FilePath,
        _ lock: StorageFile,
        _ identity: DeviceIdentity,
        _ keys: ContainerKeys?,
        _ record: Record,
        isTold: Bool
    ) {
        (self.home, self.folder, self.lock, self.identity) = (home, folder, lock, identity)
        (self.keys, self.record, self.isTold) = (keys, record, isTold)
    }

    deinit { lock.unlock() }

    // MARK: Beginning

    /// Keeps what a joining needs to be gone on with.
    ///
    /// - Parameters:
    ///   - keys: The container's, where another device has given them.
    ///   - invitation: Which the hub is to register the device for.
    /// - Throws: What the disk refuses; nothing is left of it then.
    static func begin(
        in home: DeviceHome,
        by means: Means,
        as identity: DeviceIdentity,
        _ keys: ContainerKeys? = nil,
        invitation: String,
        list: DeviceListMark? = nil
    ) throws -> BegunJoining {
        let all = home.folder.appending(folderName)
        let folder = all.appending(UUID().uuidString)
        try ItemMoves.createFolders(folder, permissions: 0o700)
        do {
            let lock = try StorageFolder(at: folder).create(lockName)
            // Nobody else knows of it yet.
            _ = try lock.lock(waits: true)
            let now = Date().timeIntervalSince1970
            let record = Record(means: means, invitation: invitation, list: list, begunSeconds: now)
            try home.write(identity.encoded, to: folder.appending(deviceName))
            if let keys { try home.write(keys.encoded, to: folder.appending(keysName)) }
            try home.write([UInt8](try JSONEncoder().encode(record)), to: folder.appending(recordName))
            return BegunJoining(home, folder, lock, identity, keys, record, isTold: false)
        } catch {
            remove(folder)
            throw error
        }
    }

    /// What was begun in the same way, and came to no end, as the process died or had no line; nil where nothing was. Others that
    /// nobody can go on with any more are removed.
    static func left(in home: DeviceHome, by means: Means) throws -> BegunJoining? {
        let all = home.folder.appending(folderName)
        guard try FileStamp.ifPresent(at: all) != nil else { return nil }
        let joined = Set(try home.readContainers().joined.map(\.identity.id))
        var found: BegunJoining?
        for name in try FolderScan.names(in: all).sorted() where UUID(uuidString: name) != nil {
            let folder = all.appending(name)
            guard let lock = try heldLock(of: folder) else { continue }
            guard let one = try read(folder, lock, in: home) else {
                // Somebody may just be about to keep it; else it was cut off before anybody was told of it.
                if try isOld(folder) { remove(folder) }
                lock.unlock()
                continue
            }
            guard !joined.contains(one.identity.id), !isOver(since: one.record.begunSeconds) else {
                // It was cut off once it was joined; or it is too late.
                one.end()
                continue
            }
            if found == nil, one.record.means.isSame(as: means) { found = one }
        }
        return found
    }

    /// Nil where another process is at it, or it goes at this moment.
    private static func heldLock(of folder: FilePath) throws -> StorageFile? {
        do {
            let lock = try Sharing.lockFile(lockName, in: StorageFolder(at: folder))
            return try lock.lock(waits: false) ? lock : nil
        } catch let error as SystemError where error.isAbsent { return nil }
    }

    /// Nil for what was not kept to its end, or is damaged.
    private static func read(
        _ folder: FilePath,
        _ lock: StorageFile,
        in home: DeviceHome
    ) throws -> BegunJoining? {
        guard let said = try home.read(folder.appending(recordName)),
            let device = try home.read(folder.appending(deviceName))
        else { return nil }
        do {
            return BegunJoining(
                home,
                folder,
                lock,
                try DeviceIdentity(encoded: device),
                try home.read(folder.appending(keysName)).map { try ContainerKeys(encoded: $0) },
                try JSONDecoder().decode(Record.self, from: Data(said)),
                isTold: true
            )
        } catch is DecodingError { return nil } catch let error as SealingError {
            guard error.code != .outOfMemory else { throw error }
            return nil
        }
    }

    private static func isOver(since seconds: Double) -> Bool {
        abs(Date().timeIntervalSince1970 - seconds) > secondsMax
    }

    private static func isOld(_ folder: FilePath) throws -> Bool {
        guard let stamp = try FileStamp.ifPresent(at: folder) else { return false }
        return isOver(since: Double(stamp.modificationSeconds))
    }

    // MARK: Going on

    /// The hub is asked from now on.
    func tell() { isTold = true }

    /// Keeps the keys of the container that is begun.
    func keep(_ made: ContainerKeys) throws {
        try home.write(made.encoded, to: folder.appending(Self.keysName))
        keys = made
    }

    /// Nobody is to go on with it.
    func end() { Self.remove(folder) }

    private static func remove(_ folder: FilePath) {
        // What stays is removed by who joins next.
        try? ReadOnlyTree.remove(folder)
        try? ItemMoves.removeEmptyFolder(folder.parent)
    }
}
