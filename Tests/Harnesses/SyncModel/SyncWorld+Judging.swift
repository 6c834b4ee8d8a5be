internal import Sync

// What has to hold when all has come to rest.
extension SyncWorld {
    /// What is wrong with a world at rest.
    package var faults: [String] {
        var faults = broken
        let items = devices[0].disk
        for (index, device) in devices.enumerated() where device.disk != items {
            faults.append("device \(index) has other items than the first")
        }
        let kept = items.values.flatMap(\.contents).reduce(into: Set<Int>()) { $0.formUnion(marks[$1] ?? []) }
        let lost = Set(1...max(1, markCount)).subtracting(kept).subtracting(discarded)
        if markCount > 0, !lost.isEmpty { faults.append("edits \(lost.sorted()) are lost") }
        for (item, state) in items.sorted(by: { $0.key < $1.key }) {
            if !state.conflicts.isEmpty, editors[item]?.count == 1, !hasForgotten {
                faults.append("\(item) is in conflict, and only one device has ever edited it")
            }
            let seen = state.contents.reduce(into: Set<Int>()) { $0.formUnion(marks[$1] ?? []) }
            if state.content != nil, let removed = removals[item], seen.isSubset(of: removed),
                !mayReturn.contains(item), !hasForgotten,
                brakePercent == nil
            {
                faults.append("\(item) was removed, nobody has edited it since, and it is there")
            }
            if state.place.name.hasPrefix(".") { faults.append("\(item) stands aside for ever") }
            if item.high != 1 || item.low > itemCount { faults.append("nobody has made \(item)") }
        }
        let places = items.values.map(\.place)
        if Set(places).count < places.count { faults.append("two items have one name") }
        return faults
    }

    /// The items that are not at rest, as each device sees them.
    package var unrest: [String] {
        devices.indices.flatMap { index -> [String] in
            let (engine, disk) = (devices[index].engine, devices[index].disk)
            return engine.unsettled.sorted().map { item in
                """
                device \(index), \(item): disk \(text(disk[item])), heard of \(text(engine.disk[item])), agreed \
                \(text(engine.memory.agreed[item])), log \(text(engine.tree[item])), \(engine.reasons(for: item))
                """
            }
        }
    }
}
