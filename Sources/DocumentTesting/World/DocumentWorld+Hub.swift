internal import DeviceSync
internal import Dispatch
internal import Locks

// What happens to the hub of a world.
extension DocumentWorld {
    /// Has the hub remember how it is now, as a backup would.
    public func backUpHub() { state.withLock { $0.hubBackup = hub.backup() } }

    /// Puts the hub back to its backup: it has lost all that came later. It is stopped for that, and started again if it ran.
    ///
    /// A device that has joined since it does not know: it refuses that one, which goes on with its folder alone, until
    /// `WorldDevice.registerAgain()`.
    ///
    /// There has to be one: without `backUpHub()` before, this is a mistake of the test, which ends here.
    public func restoreHub() {
        guard let backup = state.withLock({ $0.hubBackup }) else {
            preconditionFailure("a hub is put back that was not backed up: call backUpHub() before")
        }
        let isRunning = isHubRunning
        if isRunning { hub.stop() }
        hub.restore(backup, registersAgain: false)
        if isRunning { hub.start() }
    }

    /// Has the hub crash, as when its machine dies: the lines of all devices are down until `startHub()`.
    ///
    /// A write is what a hub does in one step: all that a device commits with one message, the contents that come with one, the
    /// keys for a device. Of each it has done all or nothing, so these are the moments in which a crash can come: before a write,
    /// and between a write and its answer, when the device cannot know that it was done. What was written stays.
    ///
    ///     world.crashHub(afterWrites: 1)
    ///     try await world.edit(Note.init, "a.note", on: phone) { $0.text = "one" }
    ///     try await world.settle()    // Returns as the hub has crashed.
    ///     world.startHub()
    ///     try await world.settle()
    ///
    /// - Parameters:
    ///   - count: How many writes it does before, 0 or more: with 0 it has crashed when this returns.
    ///   - isLastAnswered: Whether the device hears that the last of them was done. Then the hub crashes as the next one is asked
    ///     for, before it is done; with 0 this is the very next.
    public func crashHub(afterWrites count: Int = 0, isLastAnswered: Bool = false) {
        precondition(count >= 0, "a hub cannot crash after \(count) writes: it is 0 or more")
        hub.crash(afterWrites: count, isLastAnswered: isLastAnswered)
    }

    /// Starts the hub again, with what it has written: devices find it within milliseconds. A crash that has not come yet does
    /// not come any more.
    public func startHub() { hub.start() }

    /// Whether the hub runs: not from when it has crashed until it is started again.
    public var isHubRunning: Bool { !hub.isDown }

    /// Has no room left on the hub's volume: from now on it writes nothing more down, and gives what it has.
    ///
    /// What a device has to tell waits there, `explain` says why, and a document's `ubiquitousItemUploadingError` is
    /// `NSUbiquitousFileNotUploadedDueToQuotaError`; its line stays up, and what others have sent before still comes. Nobody can
    /// join. `settle()` waits for nobody who waits for nothing but room at the hub.
    ///
    ///     world.fillHub()
    ///     try await world.edit(Note.init, "a.note", on: phone) { $0.text = "newer" }
    ///     try await world.settle()    // Returns as the phone waits for room at the hub.
    ///     world.freeHub()
    ///     try await world.settle()    // All have what is newer.
    public func fillHub() { hub.fill() }

    /// Ends `fillHub`. What waited for room goes on at once; other devices than these would ask again within a minute.
    public func freeHub() {
        hub.free()
        // Not on the caller's thread: one may wait for a document that needs that.
        for device in allDevices { DispatchQueue.global().async { device.running?.askFullHubAgain() } }
    }

    /// Whether the hub has room: not from `fillHub()` until `freeHub()`.
    public var hasHubRoom: Bool { !hub.isFull }
}
