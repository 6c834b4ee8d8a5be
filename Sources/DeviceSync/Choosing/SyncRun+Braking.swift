internal import Foundation
internal import Sync
internal import SyncMessages

/// Who is told of the changes that a person is asked about.
struct LargeChangeFollower: Sendable {
    var known: LargeChanges
    /// Told on the container's queue.
    var tell: @Sendable (LargeChanges) -> Void
}

// Changes so large that a person is asked first.
extension SyncRun {
    private var waiting: [SyncBrake] { SyncBrake.Direction.allCases.compactMap { engine.brake($0) } }

    var brakes: [SyncStatus.Brake] {
        waiting.map {
            var brake = SyncStatus.Brake(
                isLeaving: $0.direction == .leaving,
                waitingCount: $0.waitingCount,
                itemCount: $0.itemCount
            )
            (brake.doneCount, brake.restorePoint) = ($0.doneCount, $0.restorePoint)
            return brake
        }
    }

    func limit(_ limits: BrakeLimits) { engine.brakeLimits = SyncBrake.Limits(limits) }

    /// Says so, each time that there is one more than before.
    func tellBrakes() {
        let now = waiting
        for brake in now where !toldBrakes.contains(brake.direction) {
            report(
                .braked(
                    isLeaving: brake.direction == .leaving,
                    waitingCount: brake.waitingCount,
                    itemCount: brake.itemCount
                )
            )
        }
        toldBrakes = Set(now.map(\.direction))
        tellLargeChanges()
    }

    /// None where nobody could carry out what is decided any more.
    private var largeChanges: LargeChanges {
        isStopped ? LargeChanges() : LargeChanges(waiting: brakes, last: toldChange)
    }

    /// Tells what waits for a person, and what has gone on, now and whenever that is something else.
    ///
    /// - Returns: What ends it.
    func followLargeChanges(_ tell: @escaping @Sendable (LargeChanges) -> Void) -> @Sendable () -> Void {
        let id = UUID()
        let follower = LargeChangeFollower(known: largeChanges, tell: tell)
        largeChangeFollowers[id] = follower
        tell(follower.known)
        return { [queue, box = Confined(Weak(self))] in
            queue.async { box.value.value?.largeChangeFollowers[id] = nil }
        }
    }

    func tellLargeChanges() {
        guard !largeChangeFollowers.isEmpty else { return }
        let now = largeChanges
        for (id, follower) in largeChangeFollowers where follower.known != now {
            largeChangeFollowers[id]?.known = now
            follower.tell(now)
        }
    }

    func decide(goesOn: Bool) -> Bool {
        guard !isStopped else { return false }
        let directions = waiting.map(\.direction)
        take(directions.map { goesOn ? .brakeReleased($0) : .brakeUndone($0) })
        return !directions.isEmpty
    }
}

extension SyncBrake.Limits {
    /// What a person has set.
    init(_ limits: BrakeLimits) {
        self = limits.isOff ? .off : Self(sharePercent: limits.sharePercent, countMin: limits.countMin)
    }
}

extension BrakeLimits {
    init(_ limits: SyncBrake.Limits) {
        self.init()
        isOff = limits == .off
        if !isOff { (sharePercent, countMin) = (limits.sharePercent, limits.countMin) }
    }
}
