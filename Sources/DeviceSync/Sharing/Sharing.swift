package import FileSystem
internal import Foundation
internal import HubProtocol
package import Sealing
internal import Sync

/// Who shares a container: looked at, and changed, from a device that does. Every call blocks.
///
/// A device is shut out step by step. Each step is durable before the next, and may be the last before the process dies: it is
/// gone on from there by `finish()`.
///
///     plan, with the new key, kept ──▶ hub refuses the device ──▶ new key sealed for who stays ──▶ statement ──▶ key kept
///
/// 1. The hub refuses the device before the statement stands: no commit of its comes after that in the log, which would
///    be a forged one for all who read it.
/// 2. Keys are sealed for all who stay before the statement stands: nobody waits for a device that has died meanwhile. A
///    key that comes to be announced by nobody is believed by nobody.
/// 3. Where the log cannot be read, or no key is left, the hub refuses the device all the same.
package struct Sharing: Sendable {
    let folder: FilePath
    let keys: KeyRing
    let identity: DeviceIdentity
    let hub: any ContainerHub

    /// - Parameters:
    ///   - folder: What is this device's of the container.
    ///   - keys: The container's.
    ///   - identity: This device's.
    ///   - hub: The container at its hub.
    package init(
        in folder: FilePath,
        _ keys: KeyRing,
        by identity: DeviceIdentity,
        at hub: any ContainerHub
    ) {
        (self.folder, self.keys, self.identity, self.hub) = (folder, keys, identity, hub)
    }

    /// The log, from where this device has got to.
    func visitLog() throws -> LogVisit {
        try LogVisit(keys, by: identity, at: hub, remembered: folder)
    }

    // MARK: What is planned

    static let planName = "revocation"
    private static let lockName = "revocation.lock"

    private var planPlace: FilePath { folder.appending(Self.planName) }

    func plan() throws -> PlannedRevocation? {
        do {
            return try PlannedRevocation(encoded: [UInt8](try FileReading.contents(of: planPlace)))
        } catch let error as SystemError where error.isAbsent {
            // There is none, or another process has just gone on with it to its end.
            return nil
        }
    }

    func keep(_ plan: PlannedRevocation) throws {
        let save = try StagedSave(item: planPlace, followsSymbolicLink: false)
        try save.write(Data(plan.encoded))
        try save.commit(MemberAttributes(permissions: 0o600))
    }

    func forgetPlan() throws {
        let own = try StorageFolder(at: folder)
        try own.remove(Self.planName)
        try own.sync()
    }

    /// One process at a time shuts somebody out: waits for who does.
    func alone<Value>(_ body: () throws -> Value) throws -> Value {
        let lock = try lockFile()
        _ = try lock.lock(waits: true)
        defer { lock.unlock() }
        return try body()
    }

    /// As `alone`, but returns nil when another process is at it.
    func aloneIfNobodyIs<Value>(_ body: () throws -> Value) throws -> Value? {
        let lock = try lockFile()
        guard try lock.lock(waits: false) else { return nil }
        defer { lock.unlock() }
        return try body()
    }

    /// What who shuts somebody out has open for writing, and closes when it is done or dies; made when it is not there.
    func lockPlace() throws -> FilePath {
        _ = try lockFile()
        return folder.appending(Self.lockName)
    }

    /// Open for writing, although nobody writes: that it is closed is heard by who watches it then.
    private func lockFile() throws -> StorageFile {
        let own = try StorageFolder(at: folder)
        _ = try Self.lockFile(Self.lockName, in: own)
        return try own.open(Self.lockName, appends: true)
    }

    static func lockFile(_ name: String, in folder: StorageFolder) throws -> StorageFile {
        if try folder.status(of: name) == nil {
            // Another process may make it in this very instant.
            do { return try folder.create(name) } catch  where error.isTaken { return try folder.open(name) }
        }
        return try folder.open(name)
    }
}
