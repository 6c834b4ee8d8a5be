internal import FileSystem
internal import LocalSockets
internal import Sealing
internal import Sync

/// The engine of a device as its memory has it, put together on another thread while the folder is looked at.
///
///     ResumedEngine ──▶ desk ──▶ expect(what the folder held when it was seen last) ──▶ take(what it holds)
///
/// Mostly nothing has happened to a folder while nobody looked: what the engine makes of that is worked out beforehand, and
/// dropped when something has.
final class ResumedEngine: Sendable {
    /// An engine that knows the disk, and what it does about that.
    struct Scanned: Sendable {
        var engine: SyncEngine
        var effects: [SyncEngine.Effect]
    }

    private let desk: Promised<LogDesk>
    private let seen = Promised<FolderTable>()
    private let unscanned: Promised<SyncEngine>
    private let scanned: Promised<Scanned>

    /// About as much memory as is needed for an entry of the log.
    private static let entryByteCount = 320

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - folder: Where the memory is, which this process has open.
    ///   - session: A random number.
    ///   - merger: Knows which contents are in conflict whatever is in them.
    ///   - limits: From when on a person is asked about a large change.
    ///   - periodCount: How many periods have passed since the engine was last told of one.
    init(
        _ folder: StorageFolder,
        _ keys: KeyRing,
        by identity: DeviceIdentity,
        session: UInt64,
        merger: any DocumentMerger,
        limits: SyncBrake.Limits,
        periodCount: Int
    ) {
        let (desk, unscanned, scanned) = (
            Promised<LogDesk>(), Promised<SyncEngine>(), Promised<Scanned>()
        )
        (self.desk, self.unscanned, self.scanned) = (desk, unscanned, scanned)
        // What is read of the folder is let go soon where the log says the same.
        ProcessMemory.onOtherHeap("sheaf resuming") { [seen] in
            do {
                let memory = try DeviceMemory(beside: folder)
                ProcessMemory.makeRoom(byteCount: try memory.logCount() * Self.entryByteCount)
                let heard = try memory.log()
                let barred = try memory.barredDevices()
                desk.keep { try LogDesk(keys, by: identity, known: heard, barred: barred) }
                var log = ReadLog(entryCount: heard.count)
                for heard in heard { log.read(heard.entry) }
                let known = try memory.engine()
                let agreed = try memory.agreed(seen: seen.value, log.tree)
                var engine = SyncEngine(device: identity.id, session: session, known, log, agreed: agreed)
                engine.areAlike = ContentStore.areAlike
                engine.areInConflict = { merger.areInConflict($0, base: $1, mine: $2, theirs: $3) }
                engine.brakeLimits = limits
                _ = engine.take(Array(repeating: .periodBegan, count: periodCount))
                // Nothing is to be done before the folder has been looked at.
                _ = engine.take(.paused(Set(try memory.pauses().keys)))
                let paused = engine
                unscanned.keep { paused }
                scanned.keep { Self.scan(try seen.value, by: paused) }
            } catch {
                desk.keep { throw error }
                unscanned.keep { throw error }
                scanned.keep { throw error }
            }
        }
    }

    // Nobody says any more what the folder held: no thread is to wait for that.
    deinit { seen.keep { throw CancellationError() } }

    /// The desk, as of what was read of the log.
    var logDesk: LogDesk { get throws { try desk.value } }

    /// Says what the folder held when it was seen last.
    func expect(_ table: FolderTable) { seen.keep { table } }

    /// What the log said of an item, as far as it was read.
    func logged(_ item: ItemID) throws -> ItemState? { try unscanned.value.tree[item] }

    /// The engine, with what there is to do first.
    ///
    /// - Parameters:
    ///   - table: What the folder holds.
    ///   - vanished: What it does not hold any more though nobody has removed it.
    ///   - isAsExpected: Whether that is what it held when it was seen last.
    func take(_ table: FolderTable, without vanished: Set<ItemID>, isAsExpected: Bool) throws -> Scanned {
        isAsExpected ? try scanned.value : Self.scan(table, without: vanished, by: try unscanned.value)
    }

    private static func scan(
        _ table: FolderTable,
        without vanished: Set<ItemID> = [],
        by engine: SyncEngine
    ) -> Scanned {
        var engine = engine
        let effects = engine.take([
            .vanished(vanished), .evicted(table.dataless), .scanned(table.readStates),
        ])
        return Scanned(engine: engine, effects: effects)
    }
}
