package import Foundation

/// How a folder stands, for a report to those who mend this program: without a name of anything or anybody in it but `folder`,
/// by which whoever asks knows which one it is.
package struct SyncDiagnosis: Codable, Hashable, Sendable {
    /// An item that something keeps from being in step.
    package struct Obstacle: Codable, Hashable, Sendable {
        /// The same for the same item in one report.
        package var item: String
        package var reasons: [String]
        package var why: String?

        package init(item: String, reasons: [String], why: String?) {
            (self.item, self.reasons, self.why) = (item, reasons, why)
        }
    }

    /// Something that has happened.
    package struct Event: Codable, Hashable, Sendable {
        package var date: Date
        package var kind: String
        package var item: String?
        package var detail: String?

        package init(date: Date, kind: String, item: String? = nil, detail: String? = nil) {
            (self.date, self.kind, self.item, self.detail) = (date, kind, item, detail)
        }
    }

    package var folder: String
    package var line: SyncStatus.Line
    package var lineFailure: String?
    package var isSettled: Bool
    package var isShutOut: Bool
    package var itemCount: Int
    package var unsettledCount: Int
    package var brakes: [SyncStatus.Brake] = []
    package var logPosition: UInt64 = 0
    /// Of the newest key.
    package var keyGeneration: UInt32 = 0
    package var deviceCount = 0
    package var revokedDeviceCount = 0
    /// How many items are in each state.
    package var states: [String: Int] = [:]
    /// How many items wait for each reason.
    package var reasons: [String: Int] = [:]
    package var obstacles: [Obstacle] = []
    /// The last events, oldest first.
    package var events: [Event] = []

    package init(of folder: String, _ status: SyncStatus) {
        self.folder = folder
        (line, lineFailure, isSettled) = (status.line, status.lineFailure, status.isSettled)
        (isShutOut, itemCount, unsettledCount) = (
            status.isShutOut, status.itemCount, status.unsettledCount
        )
        brakes = status.brakes
    }
}
