internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// How steps get at the items that they change, which others may be reading or writing, and which presenters have to make way.
///
/// Nobody knows how long that takes: an app may be stopped, or hang. The container's queue, which has all other items and all
/// questions to see to, waits for a moment; then the step is put off until others have made way (`Awaited`), and done
/// again with what it has waited for. For the container's queue.
final class FolderAccess {
    /// An item that is written, and how.
    struct Target: Hashable, Sendable {
        let path: FilePath
        let options: UInt

        init(_ path: FilePath, _ options: NSFileCoordinator.WritingOptions) {
            (self.path, self.options) = (path, options.rawValue)
        }

        fileprivate var item: (url: URL, options: NSFileCoordinator.WritingOptions) {
            (path.url(isDirectory: false), .init(rawValue: options))
        }
    }

    /// Others are to make way first.
    struct Awaited: Error, CustomStringConvertible {
        /// Under which it is told that they have.
        let number: UInt64
        let targets: [Target]
        let pending: PendingAccess

        var description: String { "others use “\(targets.first?.path.name ?? "it")”" }
    }

    /// What a step has waited for.
    struct Granted: Sendable {
        let targets: [Target]
        let access: HeldAccess
    }

    let coordinator: NSFileCoordinator
    /// Told, on any thread, what has come of an access that a step was put off for.
    var tell: @Sendable (_ number: UInt64, Result<HeldAccess, any Error>) -> Void = { _, _ in }
    private var count: UInt64 = 0
    /// Folders in which somebody took his time, and when.
    private var slow: [FilePath: DispatchTime] = [:]
    /// For the step that is done next.
    private var granted: Granted?
    /// Until when steps wait, whatever else; nil for a moment.
    private var deadline: DispatchTime?

    /// So long the queue waits: most presenters make way much sooner.
    private static let patienceSeconds = 0.05
    /// For so long nothing else in a folder is waited for in which somebody has taken longer.
    private static let memorySeconds = 1.0

    init(_ coordinator: NSFileCoordinator) { self.coordinator = coordinator }

    /// Has a step done with what it has waited for.
    func with(_ granted: Granted, _ step: () -> Void) {
        self.granted = granted
        defer {
            // It has found that there is nothing to do.
            self.granted?.access.end()
            self.granted = nil
        }
        step()
    }

    /// Has steps waited for longer than a moment: somebody waits for what comes of them.
    func waiting<Value>(until deadline: DispatchTime, _ steps: () throws -> Value) rethrows -> Value {
        self.deadline = deadline
        defer { self.deadline = nil }
        return try steps()
    }

    /// Runs what changes items when others have made way.
    ///
    /// - Throws: `Awaited` when they take their time; why there is no access; what `body` throws.
    func coordinate(_ targets: [Target], _ body: () throws -> Void) throws {
        if let granted {
            self.granted = nil
            if granted.targets == targets { return try granted.access.run(body) }
            // What it waited for has moved meanwhile, and would be in its own way.
            granted.access.end()
        }
        count += 1
        let outcome = try coordinator.coordinate(
            writing: targets.map(\.item),
            until: end(for: targets),
            later: { [tell, count] in tell(count, $0) },
            byAccessor: body
        )
        guard case .waiting(let pending) = outcome else { return }
        for target in targets { slow[target.path.parent] = .now() }
        throw Awaited(number: count, targets: targets, pending: pending)
    }

    private func end(for targets: [Target]) -> DispatchTime {
        let now = DispatchTime.now()
        slow = slow.filter { now < $0.value + Self.memorySeconds }
        let isSlow = targets.contains { slow[$0.path.parent] != nil }
        return max(deadline ?? now, isSlow ? now : now + Self.patienceSeconds)
    }
}
