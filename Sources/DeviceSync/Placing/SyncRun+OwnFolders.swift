internal import FileSystem
internal import Foundation

// Folders for what a step has to lay out as files before it goes on with it.
extension SyncRun {
    /// Runs something with an empty folder on the memory's volume that nobody else uses, and removes it.
    ///
    /// - Parameter purpose: What its name begins with.
    func withOwnFolder<Result>(for purpose: String, _ body: (FilePath) throws -> Result) throws -> Result {
        let folder = place.memory.appending("\(purpose)-\(UUID().uuidString)")
        try ItemMoves.createFolder(folder, permissions: 0o700)
        // Nobody else's; what cannot be removed is in the way of nothing.
        defer { try? FileManager.default.removeItem(at: folder.url(isDirectory: true)) }
        return try body(folder)
    }
}
