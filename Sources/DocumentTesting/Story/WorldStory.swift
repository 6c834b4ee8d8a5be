/// What people do with documents on several devices, and what goes wrong meanwhile: from the beginning to rest, when all
/// devices and the hub have to agree and no edit may be lost.
///
///     @Test @MainActor func random() async throws {
///         for seed in UInt64(1)...10 {
///             if let report = try await WorldStory(seed: seed).report() { Issue.record("\(report)") }
///         }
///     }
///
/// It is a value: a seed gives the same deeds again, it can be told without some of them, and prints itself as a test. What is
/// checked is in ``Ending/faults``.
///
/// **What telling it twice gives again** is what ``DocumentWorld`` says: devices run on threads, so that a story which goes wrong
/// may go well the next time.
public struct WorldStory: Hashable, Sendable {
    /// What its world draws at random: what befalls messages, who the devices are.
    public var seed: UInt64
    /// How many devices there are; deeds name them by numbers from 0.
    public var deviceCount: Int
    /// What happens.
    public var deeds: [WorldDeed]

    /// A story that you tell.
    ///
    /// - Parameters:
    ///   - seed: What its world draws at random.
    ///   - deviceCount: How many devices there are; 1 or more.
    ///   - deeds: What happens.
    public init(seed: UInt64, deviceCount: Int, deeds: [WorldDeed]) {
        precondition(deviceCount > 0, "a story needs a device on which it happens")
        (self.seed, self.deviceCount, self.deeds) = (seed, deviceCount, deeds)
    }

    /// The random story of a seed.
    ///
    /// - Parameters:
    ///   - seed: Gives the same deeds again.
    ///   - deviceCount: How many devices there are; nil for two to four, as the seed says.
    ///   - deedCount: How many things happen, at least.
    public init(seed: UInt64, deviceCount: Int? = nil, deedCount: Int = 40) {
        var numbers = SeededGenerator(seed: seed)
        let count = deviceCount ?? [2, 2, 3, 4][Int.random(in: 0..<4, using: &numbers)]
        let habits = StoryHabits(deviceCount: count, using: &numbers)
        self.init(seed: seed, deviceCount: count, deeds: [])
        while deeds.count < deedCount { habits.next(to: &deeds, using: &numbers) }
    }

    /// How a story has ended.
    public struct Ending: Sendable {
        /// What is wrong: devices that do not come to rest, or do so only as somebody looks, or that differ from one another or
        /// from what a device gets that joins at the end; an edit whose save was acknowledged, which nobody has removed, and which is
        /// in no document, conflict or version, unless it was gone with a disk that was put back to a backup before anybody else
        /// had it; one that is there twice; an item that was removed and is there; a conflict that nobody has made; a package that
        /// was half, at any time; an item of which `explain` gives no reason, or says that it is in step while it is not.
        public var faults: [String] { wrong.map(\.text) }
        /// The same, each with what kind of thing it is.
        var wrong: [StoryFault]
        var kinds: Set<StoryFault.Kind> { Set(wrong.map(\.kind)) }
        /// What has happened, in words.
        public var told: [String]
        /// How many edits were acknowledged.
        public var editCount: Int
        /// How often a package was looked at, whether it is half.
        public var packageLookCount: Int
        /// How often the hub has crashed.
        public var hubCrashCount: Int
        /// How often the hub was put back to a backup.
        public var hubRestoreCount: Int
        /// How often a device was put back to a backup.
        public var restoreCount: Int
        /// How the kinds with which it was told are written in a test.
        var kindsWritten = ""
    }

    /// Tells the story in a world of its own.
    ///
    /// - Parameter kinds: What documents people have, one kind or more; your own class may be among them.
    /// - Throws: What keeps the world from being made.
    @MainActor
    public func run(_ kinds: [StoryKind] = StoryKind.all) async throws -> Ending {
        precondition(!kinds.isEmpty, "a story needs a kind of documents that people have")
        let scene = try StoryScene(seed: seed, deviceCount: deviceCount, kinds: kinds)
        for deed in deeds { await scene.apply(deed) }
        var wrong = await scene.judge()
        // What is left of the world is one fault more, and takes the place of none.
        do { try scene.end() } catch {
            wrong.append(StoryFault(.other, "what is left of the world cannot be removed: \(error)"))
        }
        return Ending(
            wrong: wrong,
            told: scene.told,
            editCount: scene.acknowledged.count,
            packageLookCount: scene.packageLookCount,
            hubCrashCount: scene.world.hubCrashCount,
            hubRestoreCount: scene.hubRestoreCount,
            restoreCount: scene.restoreCount,
            kindsWritten: StoryKind.written(kinds)
        )
    }
}
