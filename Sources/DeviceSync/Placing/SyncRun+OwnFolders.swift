internal import FileSystem
internal import Foundation

// Folders for what a step has to lay out as files before it goes on with it.
extension SyncRun {
    /// What is laid out in one. Its name begins with it.
    enum OwnFolder: String, CaseIterable {
        case conflict, late, merge, remote, repair, values

        /// Whether a folder of the memory is one of these.
        fileprivate static func isName(_ name: String) -> Bool {
            allCases.contains { own in
                let start = own.rawValue + "-"
                return name.hasPrefix(start) && UUID(uuidString: String(name.dropFirst(start.count))) != nil
            }
        }
    }

    /// Runs something with an empty folder on the memory's volume that nobody else uses, and removes it.
    func withOwnFolder<Result>(for purpose: OwnFolder, _ body: (FilePath) throws -> Result) throws -> Result {
        let folder = place.memory.appending("\(purpose.rawValue)-\(UUID().uuidString)")
        try ItemMoves.createFolder(folder, permissions: 0o700)
        // Nobody else's; what cannot be removed now is when the next process begins.
        defer { try? ReadOnlyTree.remove(folder) }
        return try body(folder)
    }

    /// Removes those that a process has left which was killed. Nobody else has the memory, so nobody uses them.
    func removeOwnFolders() {
        // In the way of nothing: where they cannot be looked at, or removed, they stay until the next start.
        let entries = (try? FileReading.entries(in: place.memory)) ?? []
        for entry in entries where OwnFolder.isName(entry.name) {
            try? ReadOnlyTree.remove(place.memory.appending(entry.name))
        }
    }
}
