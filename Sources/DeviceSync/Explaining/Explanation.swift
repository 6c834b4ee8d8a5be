internal import FileSystem
internal import Foundation
internal import StandardStreams
internal import Sync
internal import SyncMessages

extension SyncPause {
    /// Since when, and by whom.
    var since: String {
        "since \(PlainDate.text(Date(timeIntervalSince1970: sinceSeconds))) by \(by)"
    }

    var text: String { "It is paused \(since)." }
}

extension ItemSyncState.Share? {
    /// How far something has come, behind what is said of it; empty for what is not known.
    var text: String {
        guard let self, self.totalByteCount > 0 else { return "" }
        let (unit, name) = Self.unit(self.totalByteCount)
        func number(_ count: UInt64) -> String {
            unit == 1 ? "\(count)" : String(format: "%.1f", Double(count) / Double(unit))
        }
        let bytes = "\(number(self.doneByteCount)) of \(number(self.totalByteCount)) \(name)"
        return ": \(bytes)" + (self.objects.map { ", \($0.done) of \($0.total) objects" } ?? "")
    }

    private static func unit(_ byteCount: UInt64) -> (UInt64, String) {
        switch byteCount {
        case ..<1_000: (1, "bytes")
        case ..<1_000_000: (1_000, "kB")
        case ..<1_000_000_000: (1_000_000, "MB")
        default: (1_000_000_000, "GB")
        }
    }
}

extension ItemConcern {
    /// What is the matter in a folder with such an item.
    var textOfFolder: String {
        switch self {
        case .remote: "The contents of items in it are at the hub and not on this device."
        case .downloading: "The contents of items in it are being got from the hub."
        case .uploading: "Items in it are being sent to the hub."
        case .waiting: "Items in it are not the same here and at the hub yet."
        case .paused: "Items in it are paused."
        case .error: "Something in it cannot be kept in step."
        case .conflict: "Other versions of items in it lost conflicts that nobody has settled."
        }
    }
}

extension SyncRun {
    /// Explains what is at a place below the folder.
    ///
    /// It is looked at: what has just been saved no event may have told of yet, and is not at the hub for all that.
    func explain(_ path: String) -> Explanation {
        guard let item = item(at: path) ?? packageHolding(path) else {
            return explanation(ofUnknown: path)
        }
        var explanation = explain(item)
        if explanation.isSettled, !isFileAsRead(item) {
            explanation.isSettled = false
            explanation.chain = [Explanation.Cause(.justChanged, Self.justChanged)]
            explanation.next = Self.byItself
        }
        if let trouble = nameTrouble(of: item) { explanation.notes.append(trouble) }
        if let survival = survivalText(of: item) { explanation.notes.append(survival) }
        if let deed = logDeed {
            // What waits for the line says so already.
            let isFolder = explanation.chain.contains { $0.kind == .inside }
            if explanation.isSettled || isFolder { explanation.notes.append(deed.text) }
            explanation.hubDeed = explanation.hubDeed ?? deed
        }
        if item != .root {
            let state = state(of: item)
            (explanation.upload, explanation.download) = (state.upload, state.download)
        }
        if let whereabouts = whereabouts(of: item) {
            (explanation.devices, explanation.whereabouts) = (whereabouts.standings, whereabouts.sentences)
        }
        return explanation
    }

    /// What keeps this device from remembering anything, and so from doing it.
    private var memoryRefusal: (cause: String, why: DiskRefusal)? {
        if let why = unremembered?.why {
            return ("What this device remembers cannot be written: \(why)", why)
        }
        return wayBack?.why.map { ("There is no line to the hub: \(lineReason)", $0) }
    }

    /// What a path leads to here, or else at the hub. The path of a placeholder leads to the item that it stands for.
    func item(at path: String) -> ItemID? {
        var (here, there): (ItemID?, ItemID?) = (.root, .root)
        for name in path.pathNames {
            here = here.flatMap { table.item(at: ItemPlace($0, name)) }
            there = there.flatMap { engine.tree.item(at: ItemPlace($0, name)) }
        }
        return here ?? there ?? evictedItem(withPlaceholderAt: path)
    }

    /// Explains an item, without what is said of its name and of other devices.
    func explain(_ item: ItemID) -> Explanation {
        var explanation = causes(of: item)
        // What the item itself waits for is so since it is not as the hub has it, where nothing else is known.
        if !explanation.isSettled, !explanation.chain.isEmpty, explanation.chain[0].sinceSeconds == nil {
            explanation.chain[0].sinceSeconds = causalRecord.seconds(of: item)
        }
        return explanation
    }

    private func causes(of item: ItemID) -> Explanation {
        var explanation = Explanation(
            path: path(of: item),
            isSettled: false,
            change: engine.change(of: item).rawValue,
            [],
            next: "Nothing is to be done."
        )
        if let obstacle = obstacle(to: item) {
            explanation.chain = [obstacle]
            explanation.next = obstacle.remedy ?? explanation.next
            return explanation
        }
        var seen: Set<ItemID> = []
        explanation.chain = chain(from: item, &seen)
        explanation.isSettled = explanation.chain.isEmpty
        if explanation.isSettled {
            explainRest(of: item, &explanation)
        } else if paused[item] != nil, engine.reasons(for: item) == [.paused] {
            explanation.next = resuming(item)
        } else if lineState != .up {
            let kind: Explanation.Cause.Kind = shutOut == nil ? .offline : .shutOut
            let text = "There is no line to the hub: \(lineReason)"
            let since = logDeed?.sinceSeconds ?? causalRecord.lineSeconds
            explanation.chain.append(
                Explanation.Cause(kind, text, sinceSeconds: since, remedy: nextWithoutLine)
            )
            explanation.next = nextWithoutLine
        } else {
            // What helps against a later cause helps against those before it.
            explanation.next = explanation.chain.compactMap(\.remedy).last ?? nextOnLine(explanation.chain)
            if let deed = deed(of: awaitedContents(of: item)) {
                (explanation.hubDeed, explanation.next) = (deed, deed.next)
            }
        }
        return explanation
    }

    /// Of an item that waits for nothing that is known.
    private func explainRest(of item: ItemID, _ explanation: inout Explanation) {
        guard !isStopped else {
            explanation.isSettled = false
            explanation.chain = [endCause]
            explanation.next = nextWithoutLine
            return
        }
        let folder = table[item]?.state.place.parent ?? .root
        if dirtyFolders.contains(folder) || dirtyPackages.contains(item) || missing.contains(item)
            || unread[item] != nil
        {
            explanation.isSettled = false
            explanation.chain = [Explanation.Cause(.justChanged, Self.justChanged)]
            explanation.next = Self.byItself
            return
        }
        explanation.chain = [Explanation.Cause(.settled, "It is the same here and at the hub.")]
        explainContents(of: item, &explanation)
        // What waits for the line says so already.
        if explanation.isSettled, isLineDown, logDeed == nil,
            !explanation.chain.contains(where: { $0.kind == .cannotGet })
        {
            let said = lineRemedy.map { "\(lineReason). \($0)" } ?? lineReason
            explanation.notes.append(
                "That is so as far as was known when the hub answered last. There is no line to it: \(said)"
            )
        }
    }

    /// Why nobody knows how anything is: what is done since this has ended is not looked at.
    var endCause: Explanation.Cause {
        Explanation.Cause(
            shutOut == nil ? .offline : .shutOut,
            endRefusal.description,
            sinceSeconds: logDeed?.sinceSeconds ?? causalRecord.lineSeconds,
            remedy: nextWithoutLine
        )
    }

    /// What keeps anything from being done with an item here, and what helps.
    func obstacle(to item: ItemID) -> Explanation.Cause? {
        if let (cause, why) = memoryRefusal {
            return Explanation.Cause(.cannotRemember, cause, remedy: why.remedy)
        }
        if let (folder, why) = unlistedFolder(above: item) {
            if why.cause == .away {
                return Explanation.Cause(.notMounted, why.description, remedy: why.remedy)
            }
            let name = name(ofFolder: folder)
            let waiting = folder == item ? missingText.map { " " + $0 } ?? "" : ""
            return Explanation.Cause(
                .cannotRead,
                why.cause == .watches
                    ? "\(name) cannot be watched, so what happens in it shows a while later: \(why)"
                    : "\(name) cannot be looked at, so nobody can say what is in it: \(why)\(waiting)",
                remedy: why.remedy ?? Self.makeReadable
            )
        }
        if let folder = folderToHold(item), let why = unlisted[folder] {
            let name = name(ofFolder: folder)
            return Explanation.Cause(
                .cannotRead,
                "It is not where it was, and may be in \(name), which cannot be looked at: \(why)",
                remedy: why.remedy ?? Self.makeReadable
            )
        }
        if isExcluded(item) { return exclusion }
        if amidSaves.contains(item) {
            return Explanation.Cause(.beingWritten, Self.amidSave, remedy: Self.byItself)
        }
        if let why = unkept[item], perishable.contains(item) {
            let remedy = why.remedy ?? Self.isTriedAgain
            return Explanation.Cause(.cannotPlace, why.description, remedy: remedy)
        }
        if let why = unkept[item], suspects.contains(item) {
            return Explanation.Cause(
                .emptied,
                why.description,
                remedy: why.remedy ?? "It comes by itself when the hub answers."
            )
        }
        if let why = unkept[item] {
            let isReadable = why.cause != .full && why.cause != .sparse
            let cause = isReadable ? "It cannot be read: \(why)" : "It cannot be kept: \(why)"
            return Explanation.Cause(.cannotRead, cause, remedy: why.remedy ?? Self.makeReadable)
        }
        if writing.waiting[item] != nil {
            refreshWriters(of: item)
            return Explanation.Cause(.beingWritten, writingText(of: item), remedy: writingRemedy(of: item))
        }
        if let step = awaited[item] {
            refreshHolders(of: item)
            return Explanation.Cause(
                .inUse,
                step.text,
                sinceSeconds: step.sinceSeconds,
                remedy: "Close it there, or wait: it goes on by itself when they are done."
            )
        }
        return stuck[item].map(obstacle)
    }

    /// Of a step that cannot be taken.
    private func obstacle(_ held: (effect: Effect, why: DiskRefusal)) -> Explanation.Cause {
        let why = held.why
        return switch held.effect {
        case .commit, .upload:
            Explanation.Cause(
                why.cause == .hubFull ? .hubFull : .cannotSend,
                "It cannot be sent: \(why)",
                remedy: why.remedy
            )
        case .merge:
            Explanation.Cause(
                .cannotPlace,
                "What was done to it here and elsewhere cannot be merged: \(why)",
                remedy: why.remedy ?? "Both are kept; it is tried again every ten seconds."
            )
        case .place, .remove, .become, .fetch:
            Explanation.Cause(
                .cannotPlace,
                "It cannot be put in place: \(why)",
                remedy: why.remedy ?? "Remove what is in the way; it is tried again every ten seconds."
            )
        }
    }

    static let justChanged = "Something has just happened to it, which is about to be looked at."
    static let amidSave = "It is being saved, and out of its place until that ends."
    static let byItself = "It goes on by itself."
    static let isTriedAgain = "It is tried again every ten seconds."
    static let makeReadable = "Make it readable; it is tried again by itself."

    var exclusion: Explanation.Cause {
        Explanation.Cause(
            .leftOut,
            "It is excluded from sync on this device: nothing of it goes or comes.",
            remedy: "End its exclusion; then it is kept in step."
        )
    }

    private func name(ofFolder folder: ItemID) -> String {
        folder == .root ? "The folder" : "“\(path(of: folder))”"
    }

    /// The folder that may hold an item which is not where it was, or a folder above it: nobody can look into that one.
    private func folderToHold(_ item: ItemID) -> ItemID? {
        guard !missing.isEmpty, isBlind else { return nil }
        var at = item
        while !missing.contains(at) {
            guard at != .root, let folder = parent(of: at) else { return nil }
            at = folder
        }
        return unlisted.filter { Self.isBlinding($0.value) }.keys.min()
    }

    /// The folder that cannot be looked at, not all of it at least, which an item is, or is in.
    func unlistedFolder(above item: ItemID) -> (ItemID, DiskRefusal)? {
        guard !unlisted.isEmpty else { return nil }
        var at = item
        while true {
            if let why = unlisted[at] { return (at, why) }
            guard at != .root, let parent = (table[at]?.state ?? engine.tree[at])?.place.parent else {
                return nil
            }
            at = parent
        }
    }

    /// What helps an item that waits for the line.
    private var nextWithoutLine: String {
        if shutOut != nil {
            return "What is here stays here as it is. To share it again, join anew: sheaf join."
        }
        if let lineRemedy { return lineRemedy }
        if let deed = logDeed { return deed.next }
        return lineState == .stopped
            ? "Read what stopped it, then start it again."
            : "Check the network and the hub; it goes on by itself."
    }

    /// What helps an item for whose causes nobody has to do anything.
    private func nextOnLine(_ chain: [Explanation.Cause]) -> String {
        let isRefused = chain.contains { $0.kind == .cannotSend || $0.kind == .cannotGet }
        return isRefused ? Self.isTriedAgain : Self.byItself
    }

    /// All that an item is, or is to be.
    func awaitedContents(of item: ItemID) -> Set<ContentName> {
        (engine.tree[item]?.contents ?? []).union(table[item]?.state.contents ?? [])
    }

    func resuming(_ item: ItemID) -> String {
        "Resume it: sheaf resume \(place.folder.appending(path(of: item)).string.shellWord)"
    }

    /// Of an item in step, which the first cause says: what is not here of it, and what somebody has to decide.
    private func explainContents(of item: ItemID, _ explanation: inout Explanation) {
        let place = place.folder.appending(path(of: item))
        if let count = engine.disk[item]?.lostConflicts.count, count > 0 {
            explanation.next = "Open it and choose, or see: sheaf versions \(place.string.shellWord)"
            explanation.chain.append(
                Explanation.Cause(
                    .conflict,
                    count == 1
                        ? "Another version of it lost a conflict that nobody has settled."
                        : "\(count) other versions of it lost conflicts that nobody has settled.",
                    remedy: explanation.next
                )
            )
        }
        if let pause = paused[item] {
            explanation.next = "To resume it: sheaf resume \(place.string.shellWord)"
            explanation.chain.append(
                Explanation.Cause(
                    .paused,
                    "\(pause.text) What is done to it from now on waits.",
                    sinceSeconds: pause.sinceSeconds,
                    remedy: explanation.next
                )
            )
        }
        if item == .root || engine.disk[item]?.kind == .folder, let inside = worst(in: item) {
            if isAnythingAstray(in: item) {
                explanation.isSettled = false
                explanation.chain[0].text = "The folder itself is the same here and at the hub."
            }
            explanation.next = "Look into the folder: each item in it says why it is as it is."
            explanation.chain.append(
                Explanation.Cause(.inside, inside.textOfFolder, remedy: explanation.next)
            )
        }
        guard table[item]?.isDataless == true else { return }
        if let download = downloads[item] {
            explanation.chain.append(
                download.failure.map {
                    Explanation.Cause(.cannotGet, "Its contents are wanted here, and cannot be had: \($0)")
                }
                    ?? Explanation.Cause(
                        .getting,
                        "Its contents are being got from the hub\(state(of: item).download.text)."
                    )
            )
            explanation.next = lineState == .up ? nextOnLine(explanation.chain) : nextWithoutLine
            if download.failure?.hubDeed != nil, let deed = deed(of: awaitedContents(of: item)) {
                (explanation.hubDeed, explanation.next) = (deed, deed.next)
            }
        } else if let deed = deed(of: awaitedContents(of: item)) {
            let text = "Its contents are not on this device, and could not be had from the hub: \(deed.text)"
            explanation.isSettled = false
            explanation.chain[0] = Explanation.Cause(
                .cannotGet,
                text,
                sinceSeconds: deed.sinceSeconds,
                remedy: deed.next
            )
            (explanation.hubDeed, explanation.next) = (deed, deed.next)
        } else {
            let text = "Its contents are at the hub and not on this device."
            explanation.chain.append(Explanation.Cause(.evicted, text))
            let command = "sheaf download \(place.string.shellWord)"
            explanation.next = "Nothing has to be done. To have them here: \(command)"
        }
    }
}
