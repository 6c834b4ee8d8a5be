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

    /// Does something that those hear of who watch the file, when it has ended, however it does: of a process that is killed
    /// the kernel closes it.
    func announce<Value>(in folder: StorageFolder, _ body: () throws -> Value) rethrows -> Value {
        // What is done is done: who is not told of it finds it when it looks.
        let file = try? folder.open(rawValue, appends: true)
        return try withExtendedLifetime(file) { try body() }
    }

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
