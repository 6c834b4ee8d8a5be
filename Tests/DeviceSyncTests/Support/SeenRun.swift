import Dispatch
import DocumentTesting
import FileSystem
import Foundation
import Locks
import Sealing
import SyncMessages
import Testing
import Vault

@testable import DeviceSync

/// What keeps a device in step, on a queue of a test's own: it can be asked in the middle of what it does.
final class SeenRun: Sendable {
    private let queue = DispatchQueue(label: "sheaf.seen-run")
    private let known = Locked<Confined<SyncRun>?>(nil)

    /// - Parameter device: One that does not run.
    func start(
        _ device: TestDevice,
        merger: any DocumentMerger = TypeMerger(),
        report: @escaping @Sendable (SyncReport) -> Void = { _ in }
    ) throws {
        device.line.open()
        let (place, keys, identity) = (device.place, device.keys, device.identity)
        let openContents: @Sendable () throws -> ContentStore = {
            ContentStore(
                vault: try Vault(
                    at: place.memory.appending("vault"),
                    key: keys.keys.namingKey,
                    lentByteCountMin: place.room.lentByteCountMin
                ),
                device: ContentStore.uuid(of: identity.id),
                deviceName: place.deviceName
            )
        }
        try queue.sync {
            let run = try SyncRun(
                place,
                openContents,
                keys,
                by: identity,
                device.line,
                AskedAhead(device.line),
                merger,
                device.versions,
                on: queue,
                report
            )
            known.withLock { $0 = Confined(run) }
            try run.start()
        }
    }

    /// One that keeps a device in step, and is at rest.
    ///
    /// - Parameter device: One that does not run.
    static func atRest(on device: TestDevice) throws -> SeenRun {
        let run = SeenRun()
        try run.start(device)
        #expect(device.wait { (try? run.sync { $0.isSettled }) == true })
        return run
    }

    /// Does something where the run does all that it does.
    func sync<Value>(_ body: (SyncRun) throws -> Value) throws -> Value {
        let box = try #require(known.withLock { $0 })
        return try queue.sync { try body(box.value) }
    }

    /// Why an item is as it is, for who is called in the middle of something that the run does.
    func explainNow(_ path: String) -> Explanation? { known.withLock { $0 }?.value.explain(path) }

    func explain(_ path: String) throws -> Explanation { try sync { $0.explain(path) } }

    func stop() {
        let box = known.withLock { known in
            defer { known = nil }
            return known
        }
        guard let box else { return }
        queue.sync {
            box.value.stop()
            box.value.memory.release()
        }
    }
}
