internal import DeviceSync
internal import SyncMessages

// Changes on a make-believe device that are so large that a person is asked first.
extension WorldDevice {
    /// Whether a change waits for a person on this device: one that would remove or replace more than half of all items, and at
    /// least twenty, within ten minutes or so, be they of this device or another.
    ///
    /// What has changed before it was seen how much there would be has gone on. `settle()` fails then, at once where nothing
    /// else is going on.
    public var hasWaitingLargeChange: Bool { status?.brakes.isEmpty == false }

    /// Says what becomes of the changes that wait for a person on this device, as `sheaf decide` does.
    ///
    ///     for number in 1...24 {
    ///         try await world.edit(Note.init, "\(number).note", on: phone) { $0.text = "newer" }
    ///         if phone.hasWaitingLargeChange { phone.decideLargeChange(goesOn: true) }
    ///     }
    ///
    /// Each device asks for itself, and what comes of one decision may be asked about on the next device. Counting begins anew
    /// when all that was decided on is in step.
    ///
    /// - Parameter goesOn: Whether they are carried out; else what waits does not happen, and what was there is there again.
    /// - Returns: False where nothing waits.
    @discardableResult
    public func decideLargeChange(goesOn: Bool) -> Bool { running?.decide(goesOn: goesOn) ?? false }
}
