internal import DeviceSync
internal import Foundation
internal import SyncMessages

/// What goes along with a bug report. No name of a document, a person, a device or a host is in it, no path, and no secret.
struct DiagnosisReport: Encodable {
    /// The program.
    struct Program: Encodable {
        var version: String
        var isDebugBuild: Bool
    }

    /// The machine, as far as it is like others.
    struct Machine: Encodable {
        var distribution: String
        var kernel: String
        var architecture: String
        var processorCount: Int
        var memoryMegabytes: Int
        /// Of the kernel and the process; -1 for one that cannot be read.
        var limits: [String: Int]
    }

    /// What keeps accesses apart.
    struct Agent: Encodable {
        var state: String
        var claimCount: Int?
        var waitCount: Int?
        var presenterCount: Int?
        var brokenDeadlockCount: Int?
    }

    struct Hub: Encodable {
        var name: String
        var isEncrypted: Bool
        var isOnThisMachine: Bool
        var health: String
        var roundTripMilliseconds: Int?
        var clockAheadSeconds: Int?
    }

    /// A folder that is kept in step.
    struct Folder: Encodable {
        var name: String
        var isThere: Bool
        var fileSystem: String
        var isReadOnly: Bool
        var freeMegabytes: Int?
        var hub: Hub
        var stored: StoredDiagnosis?
        /// Nil where `sheaf up` does not run.
        var live: Live?
    }

    /// What the running process says; as `SyncDiagnosis`, less the folder's path.
    struct Live: Encodable {
        var line: String
        var lineFailure: String?
        var isSettled: Bool
        var isShutOut: Bool
        var itemCount: Int
        var unsettledCount: Int
        var logPosition: UInt64
        var keyGeneration: UInt32
        var deviceCount: Int
        var revokedDeviceCount: Int
        var states: [String: Int]
        var reasons: [String: Int]
        var brakes: [SyncStatus.Brake]
        var obstacles: [SyncDiagnosis.Obstacle]
        var events: [Event]

        struct Event: Encodable {
            var date: String
            var kind: String
            var item: String?
            var detail: String?
        }

        init(_ found: SyncDiagnosis) {
            (line, lineFailure, isSettled) = (found.line.rawValue, found.lineFailure, found.isSettled)
            (isShutOut, itemCount, unsettledCount) = (
                found.isShutOut, found.itemCount, found.unsettledCount
            )
            (logPosition, keyGeneration) = (found.logPosition, found.keyGeneration)
            (deviceCount, revokedDeviceCount) = (found.deviceCount, found.revokedDeviceCount)
            (states, reasons, brakes) = (found.states, found.reasons, found.brakes)
            obstacles = found.obstacles
            events = found.events.map {
                Event(date: $0.date.formatted(.iso8601), kind: $0.kind, item: $0.item, detail: $0.detail)
            }
        }
    }

    var made: String
    var program: Program
    var machine: Machine
    var agent: Agent
    /// Whether `sheaf up` runs.
    var isUp: Bool
    var folders: [Folder] = []
    /// What could not be looked at.
    var failures: [String] = []
}
