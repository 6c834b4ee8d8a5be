internal import Cryptography
internal import DeviceSync
internal import Dispatch
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
/// Only the hub is made believe, and keeps everything in memory. What is random in it, names and keys, has no part in what
/// comes of it.
public final class DocumentWorld: Sendable {
    /// Where all folders are, until `end()`.
    public let folder: URL
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
    /// - Throws: What keeps a temporary folder from being made.
    public init() throws {
        // Without links on its way: what is on which device's disk is told by its path.
        folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("World-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        hub = try HubInMemory(container)
    }

    /// Adds devices that share one folder, and starts them.
    ///
    /// - Parameter names: What they are called; none twice.
    /// - Throws: What keeps their folders from being made.
    public func devices(_ names: [String]) throws -> [WorldDevice] { try names.map(device) }

    /// Adds two devices.
    public func devices(_ first: String, _ second: String) throws -> (WorldDevice, WorldDevice) {
        (try device(first), try device(second))
    }

    private func device(_ name: String) throws -> WorldDevice {
        let identity = try DeviceIdentity(random: RandomBytes.make)
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
        let device = try WorldDevice(name, in: folder, identity, keys, at: hub)
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
        let end = Date().addingTimeInterval(seconds)
        while true {
            let devices = state.withLock { $0.devices }.filter { $0.isStarted && !$0.line.isCut }
            let entryCount = hub.entryCount
            let open = await Self.aside { devices.filter { !$0.isInStep(at: entryCount) } }
            // What one of them has sent while another was asked is news to that.
            if open.isEmpty, hub.entryCount == entryCount { return }
            guard Date() < end else {
                throw WorldFailure(devices: await Self.aside { open.map(\.whatItWaitsFor) })
            }
            await withCheckedContinuation { (goOn: CheckedContinuation<Void, Never>) in
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.002) { goOn.resume() }
            }
        }
    }

    /// Asks devices on another thread than the caller's: one answers when it has put in place what it is about, which may wait
    /// for a document that needs the main thread.
    private static func aside<Answer: Sendable>(_ ask: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { goOn in
            DispatchQueue.global().async { goOn.resume(returning: ask()) }
        }
    }

    /// Ends all devices, and removes their folders.
    ///
    /// - Throws: What keeps a folder from being removed.
    public func end() throws {
        for device in state.withLock({ $0.devices }) {
            device.stop()
            device.freeDisk()
            device.mendDisk()
        }
        try FileManager.default.removeItem(at: folder)
    }
}

/// Devices of a world do not come to rest.
public struct WorldFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Of each device that is not in step: its name, and what it waits for.
    public let devices: [String]

    /// In sentences for a person.
    public var description: String {
        "The devices are not in step. " + devices.joined(separator: " ")
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
