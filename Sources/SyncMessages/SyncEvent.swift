package import Foundation

/// Something that has happened to a folder that is kept in step, for a log.
package struct SyncEvent: Codable, Hashable, Sendable {
    /// By this machine's clock.
    package var date: Date
    package var folder: String
    package var text: String
    /// Whether somebody should look at it.
    package var isWrong: Bool

    package init(date: Date, folder: String, text: String, isWrong: Bool) {
        (self.date, self.folder, self.text, self.isWrong) = (date, folder, text, isWrong)
    }
}
