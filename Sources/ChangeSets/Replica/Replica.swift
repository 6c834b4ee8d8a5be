/// One device's copy of structured data that several devices edit: its objects, and the change sets that made them.
///
/// Each device records its own edits, hands its change sets to the others by whatever way there is, and applies
/// theirs. Replicas that have applied the same changes hold the same data, whatever the order: property by property,
/// the last writer wins; counters add up; sets have every element that nobody removed who knew of it; of texts that are
/// spliced (``splice(of:_:_:to:)``) all that anyone wrote is there.
///
/// A value type without clock, file or thread: who calls brings the time. Equal ids of objects mean the same object
/// on all devices; ids that name no fixed thing should be random.
public struct Replica: Sendable {
    /// Whose copy it is.
    public let device: DeviceID
    let own: Int
    var clock = HybridClock()
    var contents: Contents
    /// By device.
    var logs: [ChangeLog]
    /// Changes that came before something that they rest on, by device and number.
    var waiting: [Int: [UInt64: ChangeSet]] = [:]
    /// What this device's last change said that it had seen, by device.
    var told: [UInt64] = []
    private let deletionRules: [String: DeletionRule]

    /// A copy of no data.
    ///
    /// - Parameters:
    ///   - device: Whose it is. No other copy may have the same.
    ///   - deletionRules: By the objects' type; what is not named has `editWins`. The same on every device.
    public init(device: DeviceID, deletionRules: [String: DeletionRule] = [:]) {
        var contents = Contents()
        own = contents.matrix.insert(device)
        self.device = device
        self.contents = contents
        self.deletionRules = deletionRules
        logs = [ChangeLog()]
    }

    init(device: DeviceID, contents: Contents, deletionRules: [String: DeletionRule]) throws(ChangeSetError) {
        var contents = contents
        own = try contents.matrix.intern(device)
        self.device = device
        self.contents = contents
        self.deletionRules = deletionRules
        logs = []
        startLogs()
    }

    /// How much of each device's changes this copy has.
    public var vector: VersionVector { contents.matrix.vector }

    /// How many changes have come whose forerunners have not; they are applied when those come.
    public var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

    func deletionRule(of object: Int) -> DeletionRule {
        deletionRules.isEmpty
            ? .editWins
            : deletionRules[contents.names[Int(contents.objectNames.salt(of: object))]] ?? .editWins
    }

    /// Logs that have nothing of what the contents came with, and go on after it.
    mutating func startLogs() {
        for (number, applied) in contents.matrix.applied.enumerated() {
            if number == logs.count { logs.append(ChangeLog()) }
            if logs[number].next <= applied { logs[number].restart(at: applied + 1) }
            clock.observe(HybridTime(bits: contents.matrix.heard[number]))
        }
    }
}
