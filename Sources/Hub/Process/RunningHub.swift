internal import Dispatch
internal import FileSystem
internal import Foundation
package import HTTPService
internal import HubProtocol
internal import LocalSockets
internal import Locks

/// A running hub: stores, service and server together.
package final class RunningHub: Sendable {
    /// Where it listens.
    package let address: ListeningAddress
    package let records: SQLiteRecordStore
    package let blobs: SegmentedBlobStore
    private let folder: StorageFolder
    private let lock: LockFile
    private let service: HubService
    private let server: HTTPServer
    private let sweeper: Sweeper

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
        folder = try options.folder.open()
        lock = try options.folder.lock()
        let complainLine: @Sendable (String) -> Void = { complain("sheaf hub: \($0)\n") }
        records = try SQLiteRecordStore(in: folder)
        blobs = try SegmentedBlobStore(in: folder, uptime: clock.uptime)
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
        // Half of it takes what is received of a body at a time; only what is used is resident.
        limits.headByteCountMax = 128 << 10
        // A client that is still sending may not read an answer that closes the connection: what is refused is read.
        limits.unwantedBodyByteCountMax = UInt64(HubLimits.framesByteCountMax)
        // The library goes through all waiting connections of a thread whenever one of them is answered.
        limits.threadCount = 8
        server = try HTTPServer(listener: listener.socket, limits: limits, handler: service)
        sweeper = Sweeper(blobs, folder, options.settings, complainLine)
        sweeper.start(everySeconds: Self.sweepSeconds)
    }

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
        records.hasDevices ? nil : try HubProcess.invitation(in: folder)
    }

    /// Ends within a second: requests that wait for news are answered, the others may end.
    ///
    /// - Parameter whenStopped: Called on any thread.
    package func stop(whenStopped: @escaping @Sendable () -> Void) {
        sweeper.stop()
        service.close()
        Task {
            await server.stop(drainSeconds: Self.drainSeconds, farewellSeconds: Self.farewellSeconds)
            await records.writeReadings()
            await sweeper.end()
            withExtendedLifetime(self.lock) { whenStopped() }
        }
    }

    /// Ends, as `stop(whenStopped:)`.
    package func stop() async {
        await withCheckedContinuation { continuation in stop { continuation.resume() } }
    }
}

/// Looks now and then through what was released.
///
/// Its timer is under one lock.
final class Sweeper: Sendable {
    private let blobs: SegmentedBlobStore
    private let folder: StorageFolder
    private let settings: HubSettings
    private let complain: @Sendable (String) -> Void
    private let timer = Locked<(any DispatchSourceTimer)?>(nil)

    init(
        _ blobs: SegmentedBlobStore,
        _ folder: StorageFolder,
        _ settings: HubSettings,
        _ complain: @escaping @Sendable (String) -> Void
    ) {
        (self.blobs, self.folder, self.settings) = (blobs, folder, settings)
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
            try await blobs.sweep(
                retentionSeconds: settings.retentionSeconds,
                uploadSeconds: settings.uploadSeconds
            )
            withExtendedLifetime(lock) {}
        } catch {
            complain("released blobs could not be deleted: \(error)")
        }
    }

    /// Writes down how long the blobs have been served: a hub that never runs for an hour on end is to delete, too.
    func end() async {
        do { try await blobs.noteServedTime() } catch {
            complain("how long blobs have been kept could not be written down, so they stay longer: \(error)")
        }
    }
}
