internal import Dispatch
internal import FileSystem
internal import Foundation
package import HTTPService
internal import HubProtocol
internal import LocalSockets
internal import Locks
internal import SQLite

/// A running hub: stores, service and server together.
package final class RunningHub: Sendable {
    /// Where it listens.
    package let address: ListeningAddress
    package let records: SQLiteRecordStore
    package let blobs: SegmentedBlobStore
    private let folder: StorageFolder
    private let clock: HubClock
    private let lock: LockFile
    private let service: HubService
    private let server: HTTPServer
    private let sweeper: Sweeper
    private let orders: OrderDesk
    private let end = Locked(End.notYet)

    private enum End {
        case notYet
        /// And who waits for it.
        case underWay([@Sendable () -> Void])
        case over
    }

    /// How long requests in progress may take when it ends, in seconds.
    private static let drainSeconds = 0.3
    private static let farewellSeconds = 0.5
    /// How often what was released is looked through, in seconds.
    private static let sweepSeconds = 3600
    private static let backlog: Int32 = 4096

    /// Opens the stores and listens.
    ///
    /// - Parameter complain: Told of faults, in lines without a secret.
    /// - Throws: `HubError`, or what the kernel or SQLite refused.
    package init(
        _ options: HubProcess.Options,
        clock: HubClock = .system,
        complain: @escaping @Sendable (String) -> Void
    ) throws {
        guard options.address.isLoopback || options.settings.isBehindProxy else {
            throw HubError(
                "\(options.address) can be reached from other machines, and a hub speaks HTTP without TLS. Put "
                    + "a proxy with TLS in front of it and say --behind-proxy; Docs/hub.md shows how."
            )
        }
        self.clock = clock
        folder = try options.folder.open()
        lock = try options.folder.lock()
        let complainLine: @Sendable (String) -> Void = { complain("sheaf hub: \($0)\n") }
        try Self.checkRecords(in: folder)
        (records, blobs) = try RoomFile.withRoom(in: folder) { [folder] in
            try Self.undamaged {
                let blobs = try SegmentedBlobStore(
                    in: folder,
                    uptime: clock.uptime,
                    reserveByteCount: options.settings.reserveByteCount
                )
                return (try SQLiteRecordStore(in: folder), blobs)
            }
        }
        service = HubService(
            records: records,
            blobs: blobs,
            settings: options.settings,
            clock: clock,
            log: complainLine
        )
        let listener = try Self.listener(on: options.address)
        address = options.address.with(port: listener.port)
        var limits = HTTPLimits()
        limits.connectionCountMax = max(64, OpenFiles.raised() - 256)
        limits.roomyConnectionCountMax = Self.roomyConnectionCountMax
        // A client that is still sending may not read an answer that closes the connection: what is refused is read.
        limits.unwantedBodyByteCountMax = UInt64(HubLimits.framesByteCountMax)
        // The library goes through all waiting connections of a thread whenever one of them is answered.
        limits.threadCount = 8
        server = try HTTPServer(listener: listener.socket, limits: limits, handler: service)
        sweeper = Sweeper(records, blobs, folder, options.settings, complainLine)
        orders = try OrderDesk(in: folder, records, served: { [blobs] in blobs.served.seconds }, complainLine)
        sweeper.start(everySeconds: Self.sweepSeconds)
        orders.start()
    }

    /// A hub that has lost who its devices are is none that begins anew. One whose first start came to an end between its two
    /// databases is.
    static func checkRecords(in folder: StorageFolder) throws {
        let (records, blobs) = (SQLiteRecordStore.fileName, SegmentedBlobStore.indexName)
        guard try folder.status(of: records)?.stamp.byteCount ?? 0 == 0,
            try folder.status(of: blobs)?.stamp.byteCount ?? 0 > 0,
            try undamaged({ try SegmentedBlobStore.hasKeptAny(in: folder) })
        else { return }
        throw HubError(
            """
            \(folder.path.appending(records)) is not there, or is empty, although \(blobs) is: nobody knows whose the blobs are. Put it \
            back, or the whole hub from a backup: sheaf hub restore.
            """
        )
    }

    /// What a hub keeps cannot be made anew.
    static func undamaged<Stores>(_ open: () throws -> Stores) throws -> Stores {
        do { return try open() } catch let error as SQLiteError where error.isDamage {
            throw HubError(
                """
                What the hub keeps is damaged: \(error.path). Do not remove it, as it says what everything else is. Put the hub back \
                from a backup: sheaf hub restore; devices send what that lacks.
                """
            )
        }
    }

    /// 64 MiB for those whose bodies are long; all others only wait for news, most of the time.
    private static let roomyConnectionCountMax = 512

    private static func listener(on address: ListeningAddress) throws -> TCPListener {
        do { return try TCPListener(on: address, backlog: backlog) } catch {
            let help =
                error.errno == EADDRINUSE
                ? "Another program listens there: end that, or give another port with --listen."
                : "Give another address with --listen."
            throw HubError("A hub cannot listen at \(address) (\(error)). \(help)")
        }
    }

    /// Deletes what is due now, as it does every hour.
    package func sweep() async { await sweeper.sweep() }

    /// Makes an invitation if no device is registered, or all that are have been revoked.
    package func firstInvitation() throws -> String? {
        guard !records.hasDevices else { return nil }
        let invitation = try HubProcess.invitation(in: folder, now: clock.now())
        records.noteOwnInvitation(hash: try Secrets.invitationHash(invitation), uptime: clock.uptime())
        return invitation
    }

    /// Ends within a second: requests that wait for news are answered, the others may end. Once it ends, to be told so again
    /// makes it no shorter.
    ///
    /// - Parameter whenStopped: Called on any thread.
    package func stop(whenStopped: @escaping @Sendable () -> Void) {
        let before = end.withLock { end in
            let before = end
            switch end {
            case .notYet: end = .underWay([whenStopped])
            case .underWay(let waiting): end = .underWay(waiting + [whenStopped])
            case .over: break
            }
            return before
        }
        switch before {
        case .notYet: stopAll()
        case .underWay: break
        case .over: whenStopped()
        }
    }

    private func stopAll() {
        sweeper.stop()
        orders.stop()
        service.close()
        Task {
            await server.stop(drainSeconds: Self.drainSeconds, farewellSeconds: Self.farewellSeconds)
            // Whose connection was ended has sent a part of something, perhaps. After this the folder may be another process's.
            await service.endKeeping()
            await records.writeReadings()
            await sweeper.end()
            let last = end.withLock { end in
                defer { end = .over }
                return end
            }
            guard case .underWay(let waiting) = last else { return }
            withExtendedLifetime(self.lock) { for tell in waiting { tell() } }
        }
    }

    /// Ends, as `stop(whenStopped:)`.
    package func stop() async {
        await withCheckedContinuation { continuation in stop { continuation.resume() } }
    }
}

/// Looks now and then through what was released or removed.
///
/// Its timer is under one lock.
final class Sweeper: Sendable {
    private let records: SQLiteRecordStore
    private let blobs: SegmentedBlobStore
    private let folder: StorageFolder
    private let settings: HubSettings
    private let complain: @Sendable (String) -> Void
    private let timer = Locked<(any DispatchSourceTimer)?>(nil)

    init(
        _ records: SQLiteRecordStore,
        _ blobs: SegmentedBlobStore,
        _ folder: StorageFolder,
        _ settings: HubSettings,
        _ complain: @escaping @Sendable (String) -> Void
    ) {
        (self.records, self.blobs, self.folder) = (records, blobs, folder)
        self.settings = settings
        self.complain = complain
    }

    func start(everySeconds seconds: Int) {
        timer.withLock { timer in
            let made = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
            made.setEventHandler { [weak self] in
                Task { await self?.sweep() }
            }
            made.schedule(deadline: .now() + .seconds(60), repeating: .seconds(seconds))
            made.resume()
            timer = made
        }
    }

    func stop() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }

    /// Deletes what is due, unless a backup is being made, which may still want to read it.
    func sweep() async {
        do {
            guard let lock = try LockFile(ifFree: folder.path.appending(HubData.backupLockName).string) else {
                return
            }
            do { try await deleteDue() } catch {
                // What deletes writes to the databases first.
                guard RoomFile.isOfRoom(error), try RoomFile.giveUp(in: folder) else { throw error }
                try await deleteDue()
            }
            withExtendedLifetime(lock) {}
        } catch {
            complain("released blobs could not be deleted: \(error)")
        }
        do { try RoomFile.make(in: folder) } catch {
            complain("room for the day on which the volume is full could not be set aside: \(error)")
        }
    }

    private func deleteDue() async throws {
        try await blobs.sweep(
            retentionSeconds: settings.retentionSeconds,
            uploadSeconds: settings.uploadSeconds
        )
        try await deleteRemoved()
    }

    /// Deletes containers that were removed long enough ago: their blobs first, as nothing else says whose those are.
    private func deleteRemoved() async throws {
        let now = blobs.served.seconds
        let all = try await records.removed()
        // For how long a container has been kept since it was removed is to be known after a kill, too.
        if !all.isEmpty { try await blobs.noteServedTime(always: true) }
        for removed in all
        where removed.removal.isDue(retentionSeconds: settings.retentionSeconds, now: now) {
            guard try await records.beginDeleting(removed) else { continue }
            try await blobs.deleteAll(of: removed.container)
            try await records.delete(removed)
        }
    }

    /// Writes down how long the blobs have been served: a hub that never runs for an hour on end is to delete, too.
    func end() async {
        do {
            let isAnyRemoved = try await !records.removed().isEmpty
            try await blobs.noteServedTime(always: isAnyRemoved)
        } catch {
            complain("how long blobs have been kept could not be written down, so they stay longer: \(error)")
        }
    }
}
