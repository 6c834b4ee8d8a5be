internal import Foundation
internal import Sync
internal import SyncMessages

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
