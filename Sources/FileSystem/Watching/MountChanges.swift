internal import Foundation
internal import Glibc
internal import Locks
internal import Threads

/// Where volumes are mounted and unmounted, for everyone in the process who wants to know.
///
/// No folder's watch tells that something is mounted over it; the table of mounts does, proc(5), to who asks poll(2) for what is
/// urgent. Dispatch cannot ask that: there is always something to read in it. So one thread sleeps in poll(2), from the first who
/// wants to know on until the process ends.
///
/// Sendable; every call may come from any thread. Receivers are called on that thread, and must not block it.
package final class MountChanges: Sendable {
    /// The process's own.
    package static let shared = MountChanges()

    /// Gets the places at which another volume is mounted than before, or none any more; without links on the way.
    package typealias Receiver = @Sendable ([FilePath]) -> Void

    private struct State {
        var receivers: [Int: Receiver] = [:]
        var receiverCount = 0
        var isFollowing = false
    }

    private let state = Locked(State())

    package init() {}

    /// Wants to know for as long as it lives.
    package final class Watch: Sendable {
        private let changes: MountChanges
        private let number: Int

        fileprivate init(_ changes: MountChanges, _ number: Int) {
            (self.changes, self.number) = (changes, number)
        }

        deinit { changes.state.withLock { $0.receivers[number] = nil } }
    }

    /// Tells what is mounted and unmounted after this has returned. Nothing is told where the system has no table of it.
    package func follow(_ receiver: @escaping Receiver) -> Watch {
        let number = state.withLock { state in
            state.receiverCount += 1
            state.receivers[state.receiverCount] = receiver
            // Under the lock: who comes next is told, too, when this returns.
            if !state.isFollowing { state.isFollowing = begin() }
            return state.receiverCount
        }
        return Watch(self, number)
    }

    /// Whether what is mounted is told now.
    var isFollowing: Bool { state.withLock { $0.isFollowing } }

    /// - Returns: Whether there is a table, and a thread that follows it.
    private func begin() -> Bool {
        // Without one, what is mounted is seen when its folder is looked at for something else.
        guard let opened = try? SystemCalls.openat(.working, Mount.table.string, O_RDONLY) else {
            return false
        }
        // Read after it is open: whatever is another afterwards is told.
        let (table, known) = (Folder(opened), Self.lines)
        // Where there is no thread for it, whoever follows next tries anew.
        do { try OwnThread.start("sheaf.mounts") { [self] in follow(table, known) } } catch { return false }
        return true
    }

    private static var lines: Set<Substring> {
        Set((ProcessFiles.text(at: Mount.table) ?? "").split(separator: "\n"))
    }

    private func follow(_ table: Folder, _ known: Set<Substring>) {
        var known = known
        while SystemCalls.waitForChange(table.descriptor) {
            let now = Self.lines
            let changed = Mount.all(in: now.symmetricDifference(known).joined(separator: "\n"))
            known = now
            guard !changed.isEmpty else { continue }
            let places = Set(changed.map { FilePath($0.place) }).sorted { $0.string < $1.string }
            for receiver in state.withLock({ $0.receivers.values.map { $0 } }) { receiver(places) }
        }
        // Whoever follows next tries anew.
        state.withLock { $0.isFollowing = false }
    }
}
