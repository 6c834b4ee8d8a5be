import DocumentTesting
import Foundation
import Sealing

@testable import DeviceSync

/// A device that is kept in step over a line which a test holds.
final class HeldDevice {
    let hub: HeldHub
    let running: ContainerSync
    private let device: TestDevice
    private var isStopped = false

    /// - Parameters:
    ///   - device: One that does not run.
    ///   - calls: Which calls wait from the first on.
    ///   - readCountMax: How many new documents are read at a time; nil for as many as usual.
    init(
        _ device: TestDevice,
        holding calls: Set<HeldHub.Call> = [],
        merger: any DocumentMerger = TypeMerger(),
        readCountMax: Int? = nil
    ) throws {
        var place = device.place
        if let readCountMax { place.readCountMax = readCountMax }
        device.line.open()
        let hub = HeldHub(device.line, holding: calls)
        let running = ContainerSync(
            place,
            keys: device.keys,
            by: device.identity,
            hub: hub,
            merger: merger,
            versions: device.versions,
            report: { _ in }
        )
        (self.device, self.hub, self.running) = (device, hub, running)
        try running.start()
    }

    deinit { stop() }

    func stop() {
        guard !isStopped else { return }
        isStopped = true
        running.stop()
    }

    /// Ends what keeps the folder in step, as when its process is killed.
    func kill() throws {
        try device.breakDisk(.writing)
        stop()
        device.mendDisk()
    }
}
