internal import Cryptography
internal import DeviceSync
internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
public import Foundation
internal import HubProtocol
internal import Locks
internal import Sealing
internal import SyncMessages
internal import UIKit

/// Several devices of one person, and a hub between them, for tests: what happens to documents of yours when they are edited
/// on two devices, offline, over a slow line, or not there at all, in some milliseconds and without a network.
///
///     @Test @MainActor func editedOnBoth() async throws {
///         let world = try DocumentWorld()
///         defer { try? world.end() }
///         let (phone, pad) = try world.devices("phone", "pad")
///         try await world.create(Note.init, "a.note", on: phone) { $0.text = "one\ntwo\n" }
///         try await world.settle()
///         pad.goOffline()
///         try await world.edit(Note.init, "a.note", on: phone) { $0.text = "ONE\ntwo\n" }
///         try await world.edit(Note.init, "a.note", on: pad) { $0.text = "one\nTWO\n" }
///         pad.goOnline()
///         try await world.settle()
///         try await world.look(Note.init, "a.note", on: phone) { #expect($0.text == "ONE\nTWO\n") }
///     }
///
/// Whatever becomes of a test, `end()` removes its folders: with `defer` also where the test ends early.
///
/// All that a device does is what it does in earnest: its folder, its vault, its memory, the sealing of what goes to the hub.
/// Only the hub is made believe, and keeps everything in memory, and the network.
///
/// **What a seed gives again.** All that the world itself draws: which message on a disturbed line is lost, doubled, late or
/// slow, who the devices are, and the `numbers()` that your test draws to decide what people do. Every failure says the seed;
/// `SHEAF_SEED` in the environment, or the parameter, gives it again. What is real is not given again: devices run on threads,
/// so the order in which two of them get to the hub, and which message is the tenth, may be another; so may be what is kept
/// between, as saves take as long as the disk does. Items' names in a log, and the keys under which contents are sealed, are
/// random, and have no part in what comes of it. A failure that depends on an order shows again after some runs, not always in
/// the first. Where a test has to have an order, `settle()` between two steps makes one.
public final class DocumentWorld: Sendable {
    /// Where all folders are, until `end()`.
    public let folder: URL
    /// What everything random in it comes from.
    public var seed: UInt64 { random.value }
    private let random: WorldSeed
    private let bytes: SeededBytes
    let hub: HubInMemory
    /// Tells when what has happened in folders has been told; nil where this machine has no watches left.
    let cookie: WatchCookie?
    private let room: ContainerSync.Room
    private let container: ContainerName
    struct State {
        var devices: [WorldDevice] = []
        var first: (identity: DeviceIdentity, keys: ContainerKeys)?
        var hubBackup: HubInMemory.Backup?
        /// What only a look has found.
        var untold: [String] = []
    }
    let state = Locked(State())
    /// How the rest of the process finds its devices.
    private let present = MakeBelieveDevices()

    /// A world with a hub, and no device yet.
    ///
    /// - Parameter seed: Gives again what was random in it; nil takes that of `SHEAF_SEED` in the environment, else a random
    ///   one.
    /// - Throws: `WorldSeedFailure` where `SHEAF_SEED` is no number; what keeps a temporary folder from being made.
    public convenience init(seed: UInt64? = nil) throws {
        try self.init(seed: seed, room: ContainerSync.Room())
    }

    /// - Parameter room: What room the devices' own vaults take.
    init(seed: UInt64?, room: ContainerSync.Room) throws {
        self.room = room
        random = try WorldSeed(seed)
        bytes = SeededBytes(random.numbers(for: .names))
        // Without links on its way: what is on which device's disk is told by its path.
        folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("World-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        container = ContainerName(unchecked: try bytes.make(ContainerName.byteCount))
        hub = try HubInMemory(container)
        cookie = WatchCookie(in: folder)
    }

    /// Adds devices that share one folder, and starts them.
    ///
    /// - Parameter names: What they are called; none twice. A device's folder is called so, too.
    /// - Throws: `WorldNameFailure` for a name that no device can have; what keeps their folders from being made; while the hub
    ///   does not run, or is full, nobody can join.
    public func devices(_ names: [String]) throws -> [WorldDevice] { try names.map(device) }

    /// Adds so many devices: “device 1”, “device 2” and so on.
    ///
    ///     let devices = try world.devices(5)
    ///     devices[4].goOffline()
    ///
    /// Two and three have names of their own in your test by `let (phone, pad) = try world.devices(2)`, and in failures, too, by
    /// `devices("phone", "pad")`.
    ///
    /// - Parameter count: How many; 0 or more.
    /// - Throws: What keeps their folders from being made.
    public func devices(_ count: Int) throws -> [WorldDevice] {
        precondition(count >= 0, "there are no fewer than no devices: \(count)")
        let former = allDevices.count
        return try (0..<count).map { try device("device \(former + $0 + 1)") }
    }

    /// Adds two devices.
    ///
    ///     let (phone, pad) = try world.devices("phone", "pad")
    ///
    /// - Throws: What keeps their folders from being made.
    public func devices(_ first: String, _ second: String) throws -> (WorldDevice, WorldDevice) {
        (try device(first), try device(second))
    }

    /// Adds three devices.
    ///
    /// - Throws: What keeps their folders from being made.
    public func devices(
        _ first: String,
        _ second: String,
        _ third: String
    ) throws -> (WorldDevice, WorldDevice, WorldDevice) {
        (try device(first), try device(second), try device(third))
    }

    /// Random numbers for what a test does in the world: each time the same ones, which the seed gives again.
    public func numbers() -> SeededGenerator { random.numbers(for: .test) }

    var allDevices: [WorldDevice] { state.withLock { $0.devices } }

    private func device(_ name: String) throws -> WorldDevice {
        try checkName(name)
        let identity = try DeviceIdentity(random: bytes.make)
        let keys: ContainerKeys
        if let first = state.withLock({ $0.first }) {
            keys = first.keys
            try Founding.add(
                identity.publicIdentity(named: name),
                to: keys,
                by: first.identity,
                at: hub.line()
            )
        } else {
            keys = try Founding.found(container, by: identity, named: name, at: hub.line())
            state.withLock { $0.first = (identity, keys) }
        }
        let numbers = random.numbers(for: .line(allDevices.count))
        let device = try WorldDevice(
            name,
            in: folder,
            identity,
            keys,
            at: hub,
            room: room,
            numbers: numbers
        )
        present.add(device.folder, device.account, trash: device.trash) { [weak device] in
            device?.versions ?? .shared
        }
        try device.start()
        state.withLock { $0.devices.append(device) }
        return device
    }

    /// What lies in the world's folder under a device's name would be taken for the device's.
    private func checkName(_ name: String) throws {
        func fail(_ why: String) throws { throw WorldNameFailure(name: name, why: why) }
        if name.isEmpty { try fail("it is empty") }
        if name.contains("/") { try fail("no folder can have a “/” in its name") }
        if [".", ".."].contains(name) { try fail("it leads to another folder") }
        let places = WorldDevice.names(of: name).map { folder.appendingPathComponent($0).path }
        if places.contains(where: { FileManager.default.fileExists(atPath: $0) }) { try fail("it is taken") }
    }

    /// Notes what only a look has found, and nothing had told of.
    func noteUntold(_ text: String) { state.withLock { $0.untold.append(text) } }

    /// - Returns: What was noted since.
    func takeUntold() -> [String] {
        state.withLock { state in
            defer { state.untold = [] }
            return state.untold
        }
    }

    /// What the hub has now.
    func momentOfHub() -> HubInMemory.Backup { hub.backup() }
    /// How many entries its log has.
    var hubEntryCount: Int { hub.entryCount }
    /// Lets the time go by for which the hub keeps what nobody needs.
    func deleteReleased() { hub.deleteReleased() }
    /// Lets the time go by for which it spares what was sent or asked for.
    func passHour() { hub.passHour() }

    /// How often the hub has crashed.
    var hubCrashCount: Int { hub.crashCount }

    /// Whether there is something to which the hub can be put back.
    var isHubBackedUp: Bool { state.withLock { $0.hubBackup != nil } }

    /// A device that has all that the hub has now, in a folder of its own. It reads a copy of the hub, so that nobody hears of
    /// it, and is to be stopped.
    func readerOfHub() async throws -> WorldDevice { try await reader(of: hub.backup()) }

    /// As `readerOfHub`, of what the hub had at some moment.
    func reader(of backup: HubInMemory.Backup) async throws -> WorldDevice {
        guard let first = state.withLock({ $0.first }) else {
            preconditionFailure("a hub is read that no device has ever met")
        }
        let copy = try HubInMemory(container)
        copy.restore(backup)
        let name = "reader \(UUID().uuidString.prefix(8))"
        let reader = try WorldDevice(name, in: folder, first.identity, first.keys, at: copy)
        do {
            try reader.start()
            try await settle([reader], at: copy, seconds: 10)
        } catch let failure as WorldFailure {
            // What a hub that was put back lacks it may get again from devices; now it does not have it. Who cannot even read its
            // log has not read it.
            guard reader.hasReadLog(to: backup.entryCount) else {
                reader.stop()
                throw failure
            }
        }
        return reader
    }

    /// As `readerOfHub`, of what the hub will have when it is put back to its backup.
    func readerOfHubBackup() async throws -> WorldDevice {
        guard let backup = state.withLock({ $0.hubBackup }) else {
            preconditionFailure("a backup is read that was never made")
        }
        return try await reader(of: backup)
    }

    /// Asks devices on another thread than the caller's: one answers when it has put in place what it is about, which may wait
    /// for a document that needs the main thread.
    static func aside<Answer: Sendable>(_ ask: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { goOn in
            DispatchQueue.global().async { goOn.resume(returning: ask()) }
        }
    }

    /// Ends all devices, and removes their folders. A document that is still open in one is closed as after a crash: what of it was not
    /// saved is gone.
    ///
    /// - Throws: What keeps a folder from being removed.
    public func end() throws {
        defer { present.end() }
        UIDocument.endAll(in: folder)
        for device in allDevices {
            device.stop()
            device.endCrash()
            device.freeDisk()
            device.mendDisk()
            device.account.endApps()
        }
        cookie?.end()
        try removeFolder()
    }

    /// What documents that were closed a moment ago still have done beside them may take files away, or put some there, while they
    /// are being removed.
    private func removeFolder() throws {
        guard let path = FilePath(folder) else { return }
        for _ in 0..<100 {
            do { return try ReadOnlyTree.remove(path) } catch {
                guard error.errno == ENOTEMPTY else { throw error }
            }
        }
        try ReadOnlyTree.remove(path)
    }
}

/// No device of a world can be called so.
public struct WorldNameFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What it was to be called.
    public let name: String
    let why: String

    /// In a sentence for a person.
    public var description: String { "No device can be called “\(name)”: \(why)." }
}
