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

    // MARK: What is planned

    static let planName = "revocation"
    private static let lockName = "revocation.lock"

    private var planPlace: FilePath { folder.appending(Self.planName) }

    func plan() throws -> PlannedRevocation? {
        guard try FileStamp.ifPresent(at: planPlace) != nil else { return nil }
        return try PlannedRevocation(encoded: [UInt8](try FileReading.contents(of: planPlace)))
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

    /// One process at a time shuts somebody out.
    func alone<Value>(_ body: () throws -> Value) throws -> Value {
        let lock = try Self.lockFile(Self.lockName, in: try StorageFolder(at: folder))
        _ = try lock.lock(waits: true)
        defer { lock.unlock() }
        return try body()
    }

    static func lockFile(_ name: String, in folder: StorageFolder) throws -> StorageFile {
        if try folder.status(of: name) == nil {
            // Another process may make it in this very instant.
            do { return try folder.create(name) } catch  where error.isTaken { return try folder.open(name) }
        }
        return try folder.open(name)
    }
}
