/// Who comes before whom: kept for each waiting access as others come, pass it by, move and go, since after every event each
/// of them is looked at.
extension AccessArbiter {
    /// Puts an access behind all others.
    mutating func enqueue(_ id: AccessID) {
        guard let place = accesses.place(of: id) else { return }
        accesses[at: place].predecessors = (admitted + queue).filter { conflicts(place, $0) }
        queue.append(id)
    }

    /// An access that was admitted comes before those that wait, also before those that had come earlier.
    mutating func noteAhead(_ id: AccessID) {
        for waiting in queue {
            guard let place = accesses.place(of: waiting), conflicts(place, id),
                !accesses[at: place].predecessors.contains(id)
            else { continue }
            let admittedCount = accesses[at: place].predecessors.prefix { accesses[$0]?.stage != .waiting }
                .count
            accesses[at: place].predecessors.insert(id, at: admittedCount)
        }
    }

    /// Nobody waits any more for one that is gone.
    mutating func noteRemoval(of id: AccessID) {
        for waiting in queue {
            guard let place = accesses.place(of: waiting),
                let index = accesses[at: place].predecessors.firstIndex(of: id)
            else { continue }
            accesses[at: place].predecessors.remove(at: index)
        }
    }

    /// Finds anew who comes before whom, after items have moved.
    mutating func reorder() {
        let waiting = queue
        queue = []
        for id in waiting { enqueue(id) }
    }

    private func conflicts(_ place: Int, _ id: AccessID) -> Bool {
        guard let other = accesses.place(of: id) else { return false }
        return Self.conflict(accesses[at: place], accesses[at: other])
    }
}
