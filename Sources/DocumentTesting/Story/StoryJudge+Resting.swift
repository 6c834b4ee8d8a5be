internal import SyncMessages

// What has to be said of all items when all is at rest, and nothing is wrong with any device.
extension StoryJudge {
    /// What is wrong in what a device says of itself at rest: that anything is not in step, or keeps it from being so.
    ///
    /// - Returns: Nil for nothing.
    static func faults(in status: SyncStatus, on device: String) -> StoryFault? {
        let isWell =
            status.isSettled && status.unsettledCount == 0 && status.stuck.isEmpty && status.brakes.isEmpty
            && !status.isShutOut
        guard !isWell else { return nil }
        let stuck = status.stuck.sorted { $0.key < $1.key }.map { "“\($0.key)”: \($0.value)" }
        let said = "\(status.unsettledCount) items are not in step, and these are stuck: \(stuck)"
        return StoryFault(.explain, "at rest \(device) says that \(said)")
    }

    /// What is wrong in what is said of an item at rest on a device with which nothing is wrong: it is in step, its contents are
    /// here or have left it, and it is in conflict if and only if a version is there that has lost one. A folder says so of what
    /// is in it.
    ///
    /// - Parameters:
    ///   - explanation: What explain says.
    ///   - state: How the item stands.
    ///   - isInConflict: Whether there is a version of it that lost a conflict which nobody has settled.
    ///   - hasLeft: Whether something stands for its contents.
    /// - Returns: Nil for nothing.
    static func faultAtRest(
        in explanation: Explanation,
        of state: ItemSyncState,
        isInConflict: Bool,
        hasLeft: Bool = false,
        on device: String
    ) -> StoryFault? {
        let kinds = Set(explanation.chain.map(\.kind))
        var wanted: Set<Explanation.Cause.Kind> = [.settled]
        if isInConflict { wanted.insert(.conflict) }
        if hasLeft { wanted.insert(.evicted) }
        if state.isFolder, kinds.contains(.inside) { wanted.insert(.inside) }
        let isExplained =
            explanation.isSettled && kinds == wanted && !explanation.next.isEmpty
            && explanation.hubDeed == nil && explanation.upload == nil && explanation.download == nil
        let isInStep =
            state.isSettled && state.isUploaded && !state.isUploading
            && state.contents == (hasLeft ? .missing : .current)
            && [state.uploadFailure, state.downloadFailure] == [nil, nil] && state.pause == nil
            && state.hasConflicts == isInConflict
        guard !isExplained || !isInStep else { return nil }
        let chain = explanation.chain.map { "\($0.kind.rawValue): \($0.text)" }
        let standing = isInStep ? "" : ", and it stands so: \(state)"
        let conflict = isInConflict ? "in step, and in conflict" : "in step"
        return StoryFault(
            .explain,
            """
            “\(explanation.path)” on \(device) is to be said to be \(conflict), and explain says: \(chain), \
            \(explanation.isSettled ? "settled" : "not settled"), next: \(explanation.next)\(standing)
            """
        )
    }
}
