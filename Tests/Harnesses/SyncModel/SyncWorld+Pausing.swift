internal import Sync

// People pause single items, and resume them.
extension SyncWorld {
    mutating func pause(_ number: Int, on index: Int) {
        withItem(number, on: index) { world, item, _ in
            // What it is on the way to is ended first: a person is told to try again.
            guard world.devices[index].engine.mayBePaused(item) else { return }
            world.devices[index].paused.insert(item)
            // It is heard of at once.
            world.devices[index].news.insert(.paused([item]), at: 0)
            world.tell { _ in "device \(index): pauses \(item)" }
            world.hear(index)
        }
    }

    mutating func resume(_ number: Int, on index: Int) {
        let items = devices[index].paused.sorted()
        guard !items.isEmpty else { return }
        resume(items[number % items.count], on: index)
    }

    mutating func resume(_ item: ItemID, on index: Int) {
        devices[index].paused.remove(item)
        devices[index].news.append(.resumed(item, dropsLocal: false))
        tell { _ in "device \(index): resumes \(item)" }
    }

    /// What is here of a paused item is let through.
    mutating func offerPaused(_ number: Int, on index: Int) {
        let items = devices[index].paused.sorted()
        guard !items.isEmpty else { return }
        let item = items[number % items.count]
        devices[index].news.append(.offered(item))
        tell { _ in "device \(index): lets through what there is of \(item)" }
    }

    /// Nothing is done to a paused item.
    mutating func checkThatNothingIsPaused(_ item: ItemID, on index: Int, _ what: String) {
        if devices[index].paused.contains(item), bug == nil || bug == .unheardPause {
            broken.append("device \(index): \(item) is paused, and is \(what)")
        }
    }
}
