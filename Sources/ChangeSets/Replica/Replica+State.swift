extension Replica {
    /// All the data and who has seen what, as bytes: for a file, for a new device, for one that was away for long.
    ///
    /// Does not say whose copy it is, and has no log. The same data seen by the same devices is the same bytes.
    public func encodedState() -> [UInt8] {
        var contents = contents
        contents.matrix.noteAllSeen(by: own)
        var encoder = StateEncoder(contents)
        return encoder.encode()
    }

    /// A copy that starts with a state.
    ///
    /// - Parameters:
    ///   - state: What ``encodedState()`` gave, on any device.
    ///   - device: Whose copy it is. When the state came from a backup of this device, a new id.
    ///   - deletionRules: As for ``init(device:deletionRules:)``.
    /// - Throws: `malformed`, `versionUnknown`, `beyondLimit`.
    public init(
        state: some Collection<UInt8>,
        device: DeviceID,
        deletionRules: [String: DeletionRule] = [:]
    ) throws(ChangeSetError) {
        try self.init(device: device, contents: State.decode(Array(state)), deletionRules: deletionRules)
    }

    /// Joins another copy's state into this one. What either has recorded stays; what either has done away with,
    /// having seen it, goes. Both get the same data by it.
    ///
    /// - Throws: `malformed`, `versionUnknown`, `beyondLimit`, `deviceUsedTwice` as of `mergedState(_:_:)`. Nothing was joined
    ///   then.
    public mutating func merge(state: some Collection<UInt8>) throws(ChangeSetError) {
        let other = try State.decode(Array(state))
        var joined = contents
        try joined.join(other)
        contents = joined
        startLogs()
        var untold: [Int32]?
        _ = applyWaiting(&untold)
    }

    /// The state that two states make together; the same bytes whichever comes first.
    ///
    /// - Throws: `malformed`, `versionUnknown`, `beyondLimit`; `deviceUsedTwice` where a device has given a number twice, as one
    ///   does whose copy was put back to a former state and goes on under its old id. It is told by what is left of both
    ///   changes: of one in whose place others have come since, nothing may be.
    public static func mergedState(
        _ first: some Collection<UInt8>,
        _ second: some Collection<UInt8>
    ) throws(ChangeSetError) -> [UInt8] {
        var contents = try State.decode(Array(first))
        let other = try State.decode(Array(second))
        try contents.join(other)
        var encoder = StateEncoder(contents)
        return encoder.encode()
    }
}

extension Replica {
    /// A state to look at, on no device's behalf: what is recorded in it is nobody's.
    package init(reading state: [UInt8], deletionRules: [String: DeletionRule]) throws(ChangeSetError) {
        try self.init(state: state, device: DeviceID(high: 0, low: 0), deletionRules: deletionRules)
    }
}
