internal import Sync

// People pause single items, and resume them.
extension SyncWorld {
    mutating func pause(_ number: Int, on index: Int) {
        withItem(number, on: index) { world, item, _ in
            while !world.devices[index].news.isEmpty { world.hear(index) }
            // What it is on the way to is ended first: a person is told to try again.
            guard world.devices[index].engine.mayBePaused(item) else { return }
            world.devices[index].paused.insert(item)
            world.tell { _ in "device \(index): pauses \(item)" }
            world.hearAtOnce(.paused([item]), on: index)
        }
    }

    mutating func resume(_ number: Int, on index: Int) {
        let items = devices[index].paused.sorted()
        guard !items.isEmpty else { return }
        resume(items[number % items.count], on: index)
    }

    mutating func resume(_ item: ItemID, on index: Int) {
        devices[index].paused.remove(item)
        tell { _ in "device \(index): resumes \(item)" }
        hearAtOnce(.resumed(item, dropsLocal: false), on: index)
    }

    /// What a person asks for comes after all that has happened, and nothing comes between.
    private mutating func hearAtOnce(_ event: SyncEngine.Event, on index: Int) {
        devices[index].news.append(event)
        while !devices[index].news.isEmpty { hear(index) }
    }

    /// What is here of a paused item is let through.
    mutating func offerPaused(_ number: Int, on index: Int) {
        let items = devices[index].paused.sorted()
        guard !items.isEmpty else { return }
        let item = items[number % items.count]
        tell { _ in "device \(index): lets through what there is of \(item)" }
        hearAtOnce(.offered(item), on: index)
    }

    /// Nothing is done to a paused item.
    mutating func checkThatNothingIsPaused(_ item: ItemID, on index: Int, _ what: String) {
        if devices[index].paused.contains(item), bug == nil || bug == .unheardPause {
            broken.append("device \(index): \(item) is paused, and is \(what)")
        }
    }
}
