internal import Sync
internal import SyncMessages

// Changes so large that a person is asked first.
extension SyncRun {
    private var waiting: [SyncBrake] { SyncBrake.Direction.allCases.compactMap { engine.brake($0) } }

    var brakes: [SyncStatus.Brake] {
        waiting.map {
            SyncStatus.Brake(
                isLeaving: $0.direction == .leaving,
                waitingCount: $0.waitingCount,
                itemCount: $0.itemCount
            )
        }
    }

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
