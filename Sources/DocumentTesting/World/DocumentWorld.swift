internal import Cryptography
internal import DeviceSync
internal import Dispatch
internal import FileSystem
public import Foundation
internal import HubProtocol
internal import Locks
internal import Sealing
internal import SyncMessages

/// Several devices of one person, and a hub between them, for tests: what happens to documents of yours when they are edited
/// on two devices, offline, over a slow line, or not there at all, in some milliseconds and without a network.
///
///     @Test @MainActor func editedOnBoth() async throws {
///         let world = try DocumentWorld()
///         let (phone, pad) = try world.devices("phone", "pad")
///         try await world.create(Note.init, "a.note", on: phone) { $0.text = "one\ntwo\n" }
///         try await world.settle()
///         pad.goOffline()
///         try await world.edit(Note.init, "a.note", on: phone) { $0.text = "ONE\ntwo\n" }
///         try await world.edit(Note.init, "a.note", on: pad) { $0.text = "one\nTWO\n" }
///         pad.goOnline()
///         try await world.settle()
///         try await world.look(Note.init, "a.note", on: phone) { #expect($0.text == "ONE\nTWO\n") }
///         try world.end()
///     }
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
    private let hub: HubInMemory
    private let container: ContainerName
    private struct State {
        var devices: [WorldDevice] = []
        var first: (identity: DeviceIdentity, keys: ContainerKeys)?
        var hubBackup: HubInMemory.Backup?
    }
    private let state = Locked(State())

    /// A world with a hub, and no device yet.
    ///
    /// - Parameter seed: Gives again what was random in it; nil takes that of `SHEAF_SEED` in the environment, else a random
    ///   one.
    /// - Throws: What keeps a temporary folder from being made.
    public init(seed: UInt64? = nil) throws {
        random = WorldSeed(seed)
        bytes = SeededBytes(random.numbers(for: .names))
        // Without links on its way: what is on which device's disk is told by its path.
        folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("World-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        container = ContainerName(unchecked: try bytes.make(ContainerName.byteCount))
        hub = try HubInMemory(container)
    }

    /// Adds devices that share one folder, and starts them.
    ///
    /// - Parameter names: What they are called; none twice.
    /// - Throws: What keeps their folders from being made.
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
        let device = try WorldDevice(name, in: folder, identity, keys, at: hub, numbers: numbers)
        try device.start()
        state.withLock { $0.devices.append(device) }
        return device
    }

    /// Has the hub remember how it is now, as a backup would.
    public func backUpHub() { state.withLock { $0.hubBackup = hub.backup() } }

    /// Puts the hub back to its backup: it has lost all that came later.
    public func restoreHub() { if let backup = state.withLock({ $0.hubBackup }) { hub.restore(backup) } }

    /// Returns when all devices that are started and online are in step.
    ///
    /// - Throws: `WorldFailure` when they are not after some time; it says of each what it waits for.
    public func settle(seconds: Double = 20) async throws {
        try await settle(nil, seconds: seconds)
    }

    /// - Parameter some: Of whom it is meant; nil for all.
    func settle(_ some: [WorldDevice]?, seconds: Double = 20) async throws {
        let end = Date().addingTimeInterval(seconds)
        while true {
            let devices = (some ?? allDevices).filter { $0.isStarted && !$0.line.isCut }
            let entryCount = hub.entryCount
            let open = await Self.aside { devices.filter { !$0.isInStep(at: entryCount) } }
            // What one of them has sent while another was asked is news to that.
            if open.isEmpty, hub.entryCount == entryCount {
                guard devices.contains(where: { $0.line.hasLate }) else { return }
                // What a device has given up and the hub gets all the same comes before all is at rest.
                for device in devices { device.line.bringLate() }
                continue
            }
            guard Date() < end else {
                throw WorldFailure(devices: await Self.aside { open.map(\.whatItWaitsFor) }, seed: seed)
            }
            await withCheckedContinuation { (goOn: CheckedContinuation<Void, Never>) in
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.002) { goOn.resume() }
            }
        }
    }

    /// Asks devices on another thread than the caller's: one answers when it has put in place what it is about, which may wait
    /// for a document that needs the main thread.
    static func aside<Answer: Sendable>(_ ask: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { goOn in
            DispatchQueue.global().async { goOn.resume(returning: ask()) }
        }
    }

    /// Ends all devices, and removes their folders.
    ///
    /// - Throws: What keeps a folder from being removed.
    public func end() throws {
        for device in allDevices {
            device.stop()
            device.freeDisk()
            device.mendDisk()
        }
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

/// Devices of a world do not come to rest.
public struct WorldFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Of each device that is not in step: its name, and what it waits for.
    public let devices: [String]
    /// The world's seed: `SHEAF_SEED` in the environment, or the world's parameter, gives it again.
    public let seed: UInt64

    /// In sentences for a person.
    public var description: String {
        "The devices are not in step. \(devices.joined(separator: " ")) \(WorldSeed.replay(seed))"
    }
}

extension WorldDevice {
    /// Whether nothing is left to do, all that was done in the folder until now included, and so many entries of the log read.
    package func isInStep(at entryCount: Int) -> Bool {
        guard let running else { return false }
        // In this order: what it reads between the two questions is not done yet.
        return running.logPosition == UInt64(entryCount) && running.isInStepNow
    }

    private var whyItStopped: String {
        if case .stopped(let why) = said.last { " \(why)" } else { "" }
    }

    var whatItWaitsFor: String {
        guard let status else { return "\(name) is stopped.\(whyItStopped)" }
        let line = status.lineFailure.map { " There is no line: \($0)." } ?? ""
        let stuck = status.stuck.map { " \($0.key): \($0.value)." }.joined()
        let brakes = status.brakes.isEmpty ? "" : " A large change waits for a decision."
        return "\(name): \(status.unsettledCount) items are not in step.\(line)\(stuck)\(brakes)"
    }
}
