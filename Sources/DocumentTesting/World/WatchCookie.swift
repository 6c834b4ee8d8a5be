internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks

/// Tells when this process has been told of all that has happened to files until now: a file is made and written to, and what is
/// told of that comes after all else.
///
/// Folders and lone files may be watched in two ways, each with an order of its own: both are waited for.
///
/// State: one struct under one lock; any thread.
final class WatchCookie: Sendable {
    private struct Waiting {
        let goOn: CheckedContinuation<Bool, Never>
        var isFolderTold = false
        var isFileTold = false
        /// Nil while it is about to begin.
        var fileWatch: DirectoryWatch?
    }

    private struct State {
        var count = 0
        /// By the names of their files.
        var waiting: [String: Waiting] = [:]
        var watch: DirectoryWatch?
    }

    private let state = Locked(State())
    private let folder: URL
    private let queue = DispatchQueue(label: "sheaf.watch-cookie")
    /// Longer than a machine needs that has much else to do. What is not told then nobody waits for.
    private static let seconds = 5.0

    /// - Parameter folder: Where it makes a folder of its own.
    /// - Returns: Nil where nothing can be watched, and so nothing is told.
    init?(in folder: URL) {
        self.folder = folder.appendingPathComponent("what is told", isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
            let watch = try DirectoryWatch(FilePath(self.folder.path), on: queue) { [weak self] events in
                for name in Set(events.compactMap(\.name)) { self?.hear(name) { $0.isFolderTold = true } }
            }
            state.withLock { $0.watch = watch }
        } catch {
            // A machine that has no watches left, say.
            return nil
        }
    }

    /// Returns when all was told that has happened before.
    ///
    /// - Returns: False where that could not be found out.
    func pass() async -> Bool {
        await withCheckedContinuation { goOn in
            let name = state.withLock { state in
                guard state.watch != nil else { return "" }
                state.count += 1
                state.waiting["\(state.count)"] = Waiting(goOn: goOn)
                return "\(state.count)"
            }
            guard !name.isEmpty else { return goOn.resume(returning: false) }
            do { try touch(name) } catch {
                // A full disk, or no watch to be had: then nobody knows.
                return giveUp(name)
            }
            queue.asyncAfter(deadline: .now() + Self.seconds) { [weak self] in self?.giveUp(name) }
        }
    }

    private func touch(_ name: String) throws {
        let file = folder.appendingPathComponent(name)
        try Data().write(to: file)
        let watch = try DirectoryWatch(FilePath(file.path), tellsWrites: true, on: queue) { [weak self] _ in
            self?.hear(name) { $0.isFileTold = true }
        }
        state.withLock { $0.waiting[name]?.fileWatch = watch }
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data([0]))
        try handle.close()
    }

    private func hear(_ name: String, _ note: (inout Waiting) -> Void) {
        let told = state.withLock { state -> Waiting? in
            guard var waiting = state.waiting[name] else { return nil }
            note(&waiting)
            let isTold = waiting.isFolderTold && waiting.isFileTold
            state.waiting[name] = isTold ? nil : waiting
            return isTold ? waiting : nil
        }
        told?.goOn.resume(returning: true)
    }

    private func giveUp(_ name: String) {
        state.withLock { $0.waiting.removeValue(forKey: name) }?.goOn.resume(returning: false)
    }

    /// Nothing is told any more.
    func end() {
        let waiting = state.withLock { state in
            state.watch = nil
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for each in waiting { each.goOn.resume(returning: false) }
    }
}
