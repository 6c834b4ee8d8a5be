internal import FileSystem

/// What only one at a time does with a vault, of all threads of all processes.
enum VaultLock: String, CaseIterable {
    /// Writing to the index, bringing its log in, opening it.
    case index = "index.lock"
    /// Collecting, and what must not be disturbed by that.
    case collection = "collection.lock"

    /// Does something alone, waiting for whoever is at it.
    func hold<Value>(in folder: StorageFolder, _ body: () throws -> Value) throws -> Value {
        let file = try file(in: folder)
        _ = try file.lock(waits: true)
        defer { file.unlock() }
        return try body()
    }

    /// Does something alone; nil when somebody else is at it.
    func holdIfFree<Value>(in folder: StorageFolder, _ body: () throws -> Value) throws -> Value? {
        let file = try file(in: folder)
        guard try file.lock(waits: false) else { return nil }
        defer { file.unlock() }
        return try body()
    }

    /// Has those hear of something who watch the file.
    func touch(in folder: StorageFolder) throws { _ = try folder.open(rawValue, appends: true) }

    /// The file, opened anew each time: threads that shared an opening would share its lock.
    func file(in folder: StorageFolder) throws -> StorageFile {
        while true {
            do { return try folder.open(rawValue) } catch {
                guard error.isAbsent else { throw error }
            }
            do { return try folder.create(rawValue) } catch {
                guard error.isTaken else { throw error }
            }
        }
    }
}
