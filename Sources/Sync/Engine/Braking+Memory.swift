// What is remembered of large changes: a question, an answer, and what counts outlive the process.
extension Braking {
    /// Goes on from what was remembered: there is nothing to write down.
    init(_ memory: SyncMemory, _ log: ContainerTree) {
        let points = memory.braking.points
        stages = memory.braking.stages
        leaving = LossWindow(Self.counted(memory, \.leaving), points[.leaving], log)
        arriving = LossWindow(Self.counted(memory, \.arriving), points[.arriving], log)
        leaving.lookForGone { log[$0] != nil }
        lastChange = memory.lastChange
        told = self.memory
    }

    private static func counted(
        _ memory: SyncMemory,
        _ period: (SyncMemory.Loss) -> UInt32
    ) -> ItemMap<UInt32> {
        memory.losses.compactMapValues { period($0) == 0 ? nil : period($0) }
    }

    var memory: SyncMemory.Braking {
        var memory = SyncMemory.Braking()
        memory.stages = stages
        for direction in SyncBrake.Direction.allCases where self[direction].hasPoints {
            memory.points[direction] = self[direction].points
        }
        return memory
    }

    func loss(of item: ItemID) -> SyncMemory.Loss? {
        let loss = SyncMemory.Loss(
            leaving: leaving.counted[item] ?? 0,
            arriving: arriving.counted[item] ?? 0
        )
        return loss == SyncMemory.Loss(leaving: 0, arriving: 0) ? nil : loss
    }

    mutating func takeChanges(into changes: inout SyncMemoryChanges) {
        for item in leaving.takeWritten().union(arriving.takeWritten()) {
            changes.losses.updateValue(loss(of: item), forKey: item)
        }
        let now = memory
        if now != told { (changes.braking, told) = (now, now) }
        if isLastChangeWritten { (changes.lastChange, isLastChangeWritten) = (.some(lastChange), false) }
    }
}
