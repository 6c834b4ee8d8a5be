internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages

/// How a container comes to be kept in step: at once, or when the disk lets it.
///
///     begin ──▶ run
///       │ ▲
///       ▼ │ every ten seconds, or when somebody says so
///     waiting for room, for a disk that works, or for its folder ──▶ stopped (something else keeps it from beginning)
///
/// Used on the container's queue.
final class ContainerStart {
    let place: ContainerSync.Place
    /// Nil until it has begun.
    private(set) var run: SyncRun?
    private let ahead: AskedAhead
    private let queue: DispatchQueue
    private let report: @Sendable (SyncReport) -> Void
    private let make: () throws -> SyncRun
    /// Why it has not begun.
    private var why: DiskRefusal?
    private var isStopped = false
    private var isRetryDue = false
    /// Whether it waits for its folder, too, where that is away.
    private var waitsForFolder = false
    /// Who follows meanwhile, and what is done for them when it has begun; that tells what ends it.
    private var waiting: [UUID: (SyncRun) -> @Sendable () -> Void] = [:]
    private var ends: [UUID: @Sendable () -> Void] = [:]

    init(
        _ place: ContainerSync.Place,
        _ ahead: AskedAhead,
        on queue: DispatchQueue,
        _ report: @escaping @Sendable (SyncReport) -> Void,
        _ make: @escaping () throws -> SyncRun
    ) {
        (self.place, self.ahead, self.queue, self.report, self.make) = (place, ahead, queue, report, make)
    }

    /// Begins, or waits until the disk lets it.
    ///
    /// - Throws: What else keeps it from beginning.
    func begin() throws {
        do {
            run = try begun()
            why = nil
        } catch let error where waitsForFolder && (error as? SyncFailure)?.code == .rootMissing {
            let refusal = SyncRun.rootAway(place.folder)
            return wait(refusal, failing: place.folder.name)
        } catch let error where DiskRefusal.cause(of: error) != .other {
            return wait(DiskRefusal(error), failing: "what this device remembers")
        }
        guard let run else { return }
        for (id, attach) in waiting { ends[id] = attach(run) }
        waiting = [:]
    }

    /// Begins, or waits until the disk lets it, or until the folder is there. What else keeps it from beginning ends it, as if it had
    /// run.
    ///
    /// - Throws: That.
    func beginAmongOthers() throws {
        waitsForFolder = true
        do { try begin() } catch {
            fail(error)
            throw error
        }
    }

    /// What stays as it is is tried every ten seconds; what there is to say of it is said once.
    private func wait(_ refusal: DiskRefusal, failing what: String) {
        if !refusal.isSaid(by: why) { report(.failed(path: what, why: refusal.description)) }
        why = refusal
        retryLater()
    }

    private func fail(_ error: any Error) {
        isStopped = true
        why = DiskRefusal(error)
        report(.stopped("\(error)"))
    }

    private func begun() throws -> SyncRun {
        let run = try make()
        do { try run.start() } catch {
            // What it has begun to watch is watched no more, and its memory is free for the next.
            end(run)
            ahead.drop()
            throw error
        }
        return run
    }

    func stop() {
        isStopped = true
        run.map(end)
        ahead.end()
    }

    /// Who still holds on to it, as one does for whom it has just done something, does not keep the next from beginning.
    private func end(_ run: SyncRun) {
        // Whoever has files open that are no one's any more may go on: what was written so far is kept.
        run.endLate()
        run.stop()
        run.memory.release()
    }

    func tryAgain() {
        guard !isStopped else { return }
        guard run == nil else {
            if run?.isStopped == false { run?.retry() }
            return
        }
        do { try begin() } catch { fail(error) }
    }

    private func retryLater() {
        guard !isRetryDue else { return }
        isRetryDue = true
        queue.asyncAfter(deadline: .now() + SyncRun.retrySeconds) { [box = Confined(Weak(self))] in
            guard let self = box.value.value else { return }
            self.isRetryDue = false
            if self.run == nil { self.tryAgain() }
        }
    }

    // MARK: What is said meanwhile

    private var whyNot: String { why.map { "It cannot begin: \($0)" } ?? "It has not begun yet." }

    var refusal: SyncRefusal { SyncRefusal(.failed, whyNot) }

    var status: SyncStatus {
        var status = SyncStatus(
            line: isStopped ? .stopped : .down,
            lineFailure: whyNot,
            itemCount: 0,
            unsettledCount: 0,
            isSettled: false,
            stuck: [:]
        )
        status.lineRemedy = why?.remedy
        return status
    }

    func explanation(of path: String) -> Explanation {
        Explanation(
            path: path,
            isSettled: false,
            change: SyncEngine.Change.none.rawValue,
            [Explanation.Cause(.cannotBegin, whyNot, remedy: why?.remedy)],
            next: why?.remedy ?? "Read what stopped it, then start it again."
        )
    }

    /// - Returns: What ends it.
    func follow(_ follower: Follower) -> @Sendable () -> Void {
        follower.tell([], false)
        return attachLater { run in
            // Nothing was known of them until now.
            let item = run.item(at: follower.path).flatMap { $0 == .root ? nil : $0 }
            let own = item.map { follower.isDeep ? run.state(of: $0) : run.listedState(of: $0) }
            let others =
                follower.isDeep ? run.states(below: follower.path) : run.unsettledStates(in: follower.path)
            follower.tell((own.map { [$0] } ?? []) + others, run.isSettled(below: follower.path))
            return run.follow(follower)
        }
    }

    /// - Returns: What ends it.
    func followExplanation(
        _ path: String,
        _ tell: @escaping @Sendable (Explanation) -> Void
    ) -> @Sendable () -> Void {
        tell(explanation(of: path))
        return attachLater { $0.followExplanation(path, tell) }
    }

    /// - Returns: What ends it.
    func followLargeChanges(_ tell: @escaping @Sendable (LargeChanges) -> Void) -> @Sendable () -> Void {
        tell(LargeChanges())
        return attachLater { $0.followLargeChanges(tell) }
    }

    private func attachLater(_ attach: @escaping (SyncRun) -> @Sendable () -> Void) -> @Sendable () -> Void {
        let id = UUID()
        waiting[id] = attach
        return { [queue, box = Confined(Weak(self))] in
            queue.async {
                box.value.value?.waiting[id] = nil
                box.value.value?.ends.removeValue(forKey: id)?()
            }
        }
    }
}
