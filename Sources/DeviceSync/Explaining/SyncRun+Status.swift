internal import Sync
internal import SyncMessages

// How things stand with the folder as a whole, and with each item that cannot go on.
extension SyncRun {
    var status: SyncStatus {
        let held = heldUp
        var status = SyncStatus(
            line: lineState,
            lineFailure: lineFailure,
            itemCount: table.items.count,
            unsettledCount: engine.differing.count,
            isSettled: isSettled,
            stuck: Dictionary(held.map { (path(of: $0), $1.why) }, uniquingKeysWith: { $1 })
        )
        status.remedies = Dictionary(
            held.compactMap { item, held in held.helps.map { (path(of: item), $0) } },
            uniquingKeysWith: { $1 }
        )
        status.brakes = brakes
        status.brakeLimits = BrakeLimits(engine.brakeLimits)
        status.largeChange = toldChange
        status.isShutOut = shutOut != nil
        status.lineRemedy = lineRemedy
        status.hubDeeds = toldDeeds
        noteNames(in: &status)
        return status
    }

    /// Why an item cannot go on, and what helps; nil where what is in its way tells, or nothing is to be done.
    private typealias HeldUp = (why: String, helps: String?)

    private var heldUp: [ItemID: HeldUp] {
        var held: [ItemID: HeldUp] = [:]
        let waiting = missingText
        for (item, why) in unlisted {
            let text = waiting.flatMap { Self.isBlinding(why) ? "\(why) \($0)" : nil }
            held[item] = (text ?? why.description, why.remedy)
        }
        for reasons in [unkept, stuck.mapValues(\.why)] {
            for (item, why) in reasons { held[item] = (why.description, why.remedy) }
        }
        for (item, content) in engine.lacking {
            let cause = cause(.contentsLost(content), item)
            held[item] = (cause.text, cause.remedy)
        }
        for (item, step) in awaited { held[item] = (step.text, nil) }
        for item in amidSaves { held[item] = (Self.amidSave, nil) }
        for item in writing.waiting.keys { held[item] = (writingText(of: item), nil) }
        if let why = unremembered?.why {
            // Whatever comes next waits with it.
            for item in unremembered?.items.union([.root]) ?? [] {
                held[item] = ("What this device remembers cannot be written: \(why)", why.remedy)
            }
        }
        for (name, why) in failedContents where falseContents[name] == nil {
            // What the hub gives otherwise is among its deeds.
            let what =
                engine.isSending(name)
                ? "It was changed here; its contents cannot be sent"
                : "Its contents cannot be had from the hub"
            for item in engine.waitingItems(for: name) { held[item] = ("\(what): \(why)", why.remedy) }
        }
        for (item, pause) in paused where engine.differing.contains(item) { held[item] = (pause.text, nil) }
        return held
    }

    /// What waits for folders that cannot be looked at, beside what is in them; nil for nothing.
    var missingText: String? {
        guard isBlind else { return nil }
        let count = missing.items.count { unlistedFolder(above: $0) == nil }
        guard count > 0 else { return nil }
        let waiting = count == 1 ? "1 item that is missing waits" : "\(count) items that are missing wait"
        return "Nothing counts as deleted until it can be looked at: \(waiting) for that."
    }
}
