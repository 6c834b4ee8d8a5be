internal import Sync

// What has to hold when all has come to rest.
extension SyncWorld {
    /// What is wrong with a world at rest.
    package var faults: [String] {
        var faults = broken
        let items = devices[0].engine.tree.items
        for (index, device) in devices.enumerated() {
            let lost = device.engine.lostItems
            if device.disk.filter({ !lost.contains($0.key) }).exact != items.exact {
                faults.append("device \(index) has other items than the first")
            }
            if bug == nil, device.engine.dataless != device.dataless {
                faults.append("device \(index) does not know which contents are here")
            }
            for item in lost.sorted() {
                if let why = whyNotLost(item, on: index) { faults.append("device \(index): \(item) \(why)") }
            }
        }
        let kept = items.values.flatMap(\.contents).reduce(into: Set<Int>()) { $0.formUnion(marks[$1] ?? []) }
        let lost = Set(1...max(1, markCount)).subtracting(kept).subtracting(discarded)
            .subtracting(evaporated)
        if markCount > 0, !lost.isEmpty { faults.append("edits \(lost.sorted()) are lost") }
        for (item, state) in items.sorted(by: { $0.key < $1.key }) {
            if !state.conflicts.isEmpty, editors[item]?.count == 1, !hasForgotten, !mayConflict.contains(item)
            {
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
        if let whose = actors.first, actors.count == 1, !hasForgotten, !hasStragglers, hubNumber == 0,
            brakePercent == nil
        {
            for (item, wish) in wishes where items[item].map({ $0.place.exact != wish.exact }) ?? false {
                faults.append(
                    "\(item) is elsewhere than device \(whose) has put it, which alone did anything"
                )
            }
        }
        let places = items.values.map(\.place.exact)
        if Set(places).count < places.count { faults.append("two items have one name") }
        return faults
    }

    /// What is wrong with it that an item waits for contents for ever.
    private func whyNotLost(_ item: ItemID, on index: Int) -> String? {
        if hubNumber == 0 { return "is lost, and the hub has lost nothing" }
        guard let state = devices[index].disk[item] else { return "is lost, and is not there" }
        let reasons = devices[index].engine.reasons(for: item)
        for content in state.contents where reasons == [.contentsLost(content)] {
            let source = devices.indices.first { bytes(on: $0).contains(content) }
            return source.map { "waits for what device \($0) has" }
        }
        return "waits for \(reasons)"
    }

    /// Contents of a device's items whose bytes are there.
    func bytes(on index: Int) -> Set<ContentName> {
        let device = devices[index]
        return device.disk.reduce(into: []) {
            if !device.dataless.contains($1.key) { $0.formUnion($1.value.contents) }
        }
    }

    /// All marks that somebody has: the hub, or a device.
    func heldMarks() -> Set<Int> {
        var tree = ContainerTree()
        for entry in hub.log.entries { _ = tree.read(entry) }
        let there = tree.items.values.reduce(into: Set<ContentName>()) { $0.formUnion($1.contents) }
        return devices.indices.reduce(into: there) { $0.formUnion(bytes(on: $1)) }
            .reduce(into: Set<Int>()) { $0.formUnion(marks[$1] ?? []) }
    }

    /// The items that are not at rest, as each device sees them.
    package var unrest: [String] {
        devices.indices.flatMap { index -> [String] in
            let (engine, disk) = (devices[index].engine, devices[index].disk)
            var all: [String] = []
            if engine.tree.position != hub.log.head {
                all.append("device \(index) has read \(engine.tree.position) of \(hub.log.head) entries")
            }
            if !engine.itemsAtWork.isEmpty {
                all.append("device \(index) is at \(engine.itemsAtWork.sorted())")
            }
            let items = engine.unsettled.union(engine.differing).sorted()
            return all
                + items.map { item in
                    """
                    device \(index), \(item): disk \(text(disk[item])), heard of \(text(engine.disk[item])), agreed \
                    \(text(engine.memory.agreed[item])), log \(text(engine.tree[item])), \(engine.reasons(for: item))
                    """
                }
        }
    }
}
