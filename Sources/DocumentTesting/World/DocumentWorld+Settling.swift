internal import DeviceSync
internal import Dispatch
internal import DocumentFoundation
internal import Foundation
internal import SyncMessages

// How all devices come to rest.
extension DocumentWorld {
    /// Returns when all devices that are started and online are in step; at once while the hub does not run, as nobody is online
    /// then. A device all of whose news wait for room at a hub that is full is not waited for either, nor is what somebody has paused
    /// or excluded from sync, on whichever device.
    ///
    /// - Throws: `WorldFailure` when they are not after some time, or at once where nothing goes on before somebody decides on a
    ///   large change; it says of each what it waits for.
    public func settle(seconds: Double = 60) async throws {
        try await settle(allDevices, at: hub, seconds: seconds)
    }

    /// Returns when some devices are in step, as far as they are started and online, whatever the others do: those whose disks
    /// are full or fail, for instance.
    ///
    ///     try pad.fillDisk()
    ///     try await world.edit(Note.init, "a.note", on: phone) { $0.text = "newer" }
    ///     try await world.settle([phone, desk])    // The pad waits for room.
    ///
    /// - Parameters:
    ///   - devices: Of this world.
    ///   - seconds: After how long they are given up.
    /// - Throws: `WorldFailure` as of `settle(seconds:)`.
    public func settle(_ devices: [WorldDevice], seconds: Double = 60) async throws {
        let all = allDevices
        precondition(
            devices.allSatisfy { device in all.contains { $0 === device } },
            "a world comes to rest with devices of its own"
        )
        try await settle(devices, at: hub, seconds: seconds)
    }

    /// So long devices are to come to rest by what they are told; then a look may help.
    private static let patienceSeconds = 1.0

    /// Waits for what is told, and looks at everything then: that is to find nothing that was not told.
    ///
    /// - Parameter hub: At which they are.
    func settle(_ some: [WorldDevice], at hub: HubInMemory, seconds: Double) async throws {
        let begun = Date()
        let (patience, end) = (begun + Self.patienceSeconds, begun + seconds)
        while !hub.isDown {
            let devices = some.filter { $0.isStarted && $0.isOnline }
            let entryCount = hub.entryCount
            var open = await Self.aside { devices.filter { !$0.seemsInStep(at: entryCount) } }
            if open.isEmpty || Date() > patience { open = try await look(at: devices, entryCount) }
            var standstill = await Self.standstill(of: open, at: entryCount)
            if standstill != nil {
                // By what was told; what nobody has told of yet comes first.
                open = try await look(at: devices, entryCount)
                standstill = await Self.standstill(of: open, at: entryCount)
            }
            if !hub.isFull, !open.isEmpty {
                let waiting = open
                await Self.aside { for device in waiting { device.running?.askFullHubAgain() } }
            }
            let isAtRest = open.isEmpty || standstill == .heldUp || standstill == .hubRoom && hub.isFull
            // What one of them has sent while another was asked is news to that.
            if isAtRest, hub.entryCount == entryCount {
                // In step, each knows what others have stored before it had heard of that.
                let isNews = await Self.aside {
                    devices.map { $0.account.endFirstSyncOfKeyValues() }.contains(true)
                }
                if isNews { continue }
                guard devices.contains(where: { $0.line.hasLate }) else { return }
                // What a device has given up and the hub gets all the same comes before all is at rest.
                for device in devices { device.line.bringLate() }
                continue
            }
            guard Date() < end, standstill != .decision else {
                let late = open
                throw WorldFailure(devices: await Self.aside { late.map(\.whatItWaitsFor) }, seed: seed)
            }
            await withCheckedContinuation { (goOn: CheckedContinuation<Void, Never>) in
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.002) { goOn.resume() }
            }
        }
    }

    /// What all of some devices wait for, nothing else going on in any of them, apart from those where only what is held up is left;
    /// nil where they wait for several things.
    private static func standstill(
        of devices: [WorldDevice],
        at entryCount: Int
    ) async -> ContainerSync.Standstill? {
        guard !devices.isEmpty else { return nil }
        let all = await aside { Set(devices.map { $0.standstill(at: entryCount) }) }
        let others = all.subtracting([.heldUp])
        return others.isEmpty ? .heldUp : others.count == 1 ? others.first ?? nil : nil
    }

    /// Has devices look at all that is in their folders, after all that has happened there was told.
    ///
    /// - Returns: Those that are not in step.
    private func look(at devices: [WorldDevice], _ entryCount: Int) async throws -> [WorldDevice] {
        // What apps have in memory goes to the folder, and what has come there to them.
        await Self.aside { for device in devices { device.account.synchronizeKeyValues() } }
        let isTold = await cookie?.pass() ?? false
        let looks = await Self.aside { devices.map { ($0, $0.running, $0.running?.lookNow()) } }
        if isTold { await noteUntold(in: looks) }
        return looks.compactMap { device, running, look in
            let isInStep = look?.isInStep == true && running?.logPosition == UInt64(entryCount)
            return isInStep ? nil : device
        }
    }

    /// What a look finds may have happened since all was told: then it is told now.
    private func noteUntold(in looks: [(WorldDevice, ContainerSync?, ContainerSync.Look?)]) async {
        let doubtful = looks.filter { $0.2?.untold.isEmpty == false }
        guard !doubtful.isEmpty, await cookie?.pass() == true else { return }
        for (device, running, look) in doubtful where running?.heardCount == look?.heardCount {
            noteUntold("\(device.name): only a look told that \(look?.untold.joined(separator: ", ") ?? "")")
        }
    }
}

/// Devices of a world do not come to rest.
public struct WorldFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Of each device that is not in step: its name, and what it waits for.
    public let devices: [String]
    /// The world's seed: `SHEAF_SEED` in the environment, or the world's parameter, gives it again.
    public let seed: UInt64

    /// In sentences for a person.
    public var description: String { "\(reasons) \(WorldSeed.replay(seed))" }

    /// As the description, where something else than the seed gives the same again.
    var reasons: String { "The devices are not in step. \(devices.joined(separator: " "))" }
}

extension WorldDevice {
    /// Whether nothing is left to do, all that was done in the folder until now included, and so many entries of the log read.
    package func isInStep(at entryCount: Int) -> Bool {
        guard let running else { return false }
        // In this order: what it reads between the two questions is not done yet.
        return running.logPosition == UInt64(entryCount) && running.isInStepNow
    }

    /// The same by what was told until now, without a look.
    func seemsInStep(at entryCount: Int) -> Bool {
        guard let running else { return false }
        return running.logPosition == UInt64(entryCount) && running.isSettled
    }

    /// What all that it has left to do waits for, so many entries of the log being read; nil for nothing, or several things.
    func standstill(at entryCount: Int) -> ContainerSync.Standstill? {
        guard let running, running.logPosition == UInt64(entryCount) else { return nil }
        return running.standstill
    }

    /// Whether it has read so many entries of the log, over a line that is up.
    func hasReadLog(to entryCount: Int) -> Bool {
        guard let running else { return false }
        return running.logPosition == UInt64(entryCount) && running.status.line == .up
    }

    private var whyItStopped: String {
        if case .stopped(let why) = said.last { " \(why)" } else { "" }
    }

    /// Of so many items a failure says why they wait.
    private static let explainedCountMax = 5

    private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }

    var whatItWaitsFor: String {
        guard !hasCrashed else { return "\(name) has crashed: `start()` starts it again." }
        guard let status else { return "\(name) is stopped.\(whyItStopped)" }
        let line = status.lineFailure.map { " There is no line: \($0)." } ?? ""
        let explained = running?.explainDiffering(max: Self.explainedCountMax) ?? []
        let late = explained.map { each in
            let why = each.causes.prefix(1) + [each.next]
            return " \(each.path): \(why.map(Self.sentence).joined(separator: " "))"
        }
        let named = Set(explained.map(\.path))
        let held = status.stuck.filter { !named.contains($0.key) }.sorted { $0.key < $1.key }
        let stuck = (late + held.map { " \($0.key): \(Self.sentence($0.value))" }).joined()
        let brakes =
            status.brakes.isEmpty
            ? ""
            : " A large change waits for a decision: `decideLargeChange(goesOn:)` says what becomes of it."
        let unknown =
            isKnownToHub ? "" : " The hub does not know it: `registerAgain()` registers it there again."
        let count = status.unsettledCount == 1 ? "1 item is" : "\(status.unsettledCount) items are"
        return "\(name): \(count) not in step.\(line)\(stuck)\(brakes)\(unknown)"
    }
}
