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
        for reasons in [unlisted, unkept, stuck.mapValues(\.why)] {
            for (item, why) in reasons { held[item] = (why.description, why.remedy) }
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
}
