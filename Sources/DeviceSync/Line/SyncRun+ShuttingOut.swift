internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages

// Another device has shut this one out.
extension SyncRun {
    /// Ends for good. What is in the folder stays, and what was not sent is counted.
    func endShutOut(_ end: ShutOut) {
        shutOut = end
        noteShutOut(true)
        // Counted as it is now, not as it was looked at last.
        _ = isInStepNow
        let count = engine.differing.count { [.here, .both].contains(engine.change(of: $0)) }
        let said = SyncFailure.shutOut(end).description
        fail(
            """
            \(said) Nothing goes or comes any more, and what is in “\(place.folder)” stays as it is\(Self.unsent(count)). To \
            share it again, have another device say sheaf pair, and join anew.
            """
        )
    }

    /// For who joins the folder anew. Where it cannot be noted, another folder can be joined.
    func noteShutOut(_ isSo: Bool) {
        do {
            let own = try StorageFolder(at: place.memory)
            let isNoted = try own.status(of: DeviceHome.shutOutName) != nil
            guard isNoted != isSo else { return }
            if isSo {
                _ = try own.create(DeviceHome.shutOutName)
            } else {
                try own.remove(DeviceHome.shutOutName)
            }
            try own.sync()
        } catch {
            report(.failed(path: "shutting this device out", why: "\(error)"))
        }
    }

    private static func unsent(_ count: Int) -> String {
        switch count {
        case 0: ""
        case 1: "; 1 item that was changed here was not sent"
        default: "; \(count) items that were changed here were not sent"
        }
    }
}
