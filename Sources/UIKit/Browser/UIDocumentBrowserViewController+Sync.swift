internal import Foundation
internal import SyncMessages

// What the page shows of items that other devices have, too, and what people do about them.
extension UIDocumentBrowserViewController {
    func syncDescription(of item: FolderItem) -> SceneDescription.Sync? {
        guard model.isSynced else { return nil }
        var sync = SceneDescription.Sync(state: "unknown", here: !item.isEvicted)
        guard let standing = model.standing(of: item) else { return sync }
        sync.paused = model.syncState(of: item)?.pause != nil
        switch standing {
        case .settled: sync.state = "settled"
        case .paused: sync.state = "paused"
        case .conflict: sync.state = "conflict"
        case .error(let refusal): (sync.state, sync.message) = ("error", refusal.description)
        case .downloading(let share): (sync.state, sync.percent) = ("downloading", share.map(Self.percent))
        case .uploading(let share): (sync.state, sync.percent) = ("uploading", share.map(Self.percent))
        case .remote: sync.state = "remote"
        case .waiting: sync.state = "waiting"
        }
        sync.inside = sync.state != "settled" && model.syncState(of: item)?.isWorseInside == true
        return sync
    }

    /// The end is told by what comes after.
    private static func percent(_ share: Double) -> Int { min(99, Int(share * 100)) }

    func description(of explanation: ItemExplanation) -> SceneDescription.Explained {
        SceneDescription.Explained(
            item: explanation.item.id,
            title: title(of: explanation.item),
            settled: explanation.isSettled,
            answered: explanation.isAnswered,
            causes: explanation.causes,
            next: explanation.next,
            devices: explanation.whereabouts
        )
    }

    // MARK: Large changes

    func description(of brake: SyncStatus.Brake) -> SceneDescription.LargeChange {
        SceneDescription.LargeChange(
            id: "\(brake.isLeaving ? "here" : "elsewhere")-\(brake.restorePoint)",
            leaving: brake.isLeaving,
            waiting: brake.waitingCount,
            done: brake.doneCount,
            items: brake.itemCount,
            restorePoint: brake.restorePoint
        )
    }

    func description(of change: SyncStatus.LargeChange) -> SceneDescription.PastLargeChange {
        SceneDescription.PastLargeChange(
            id: "\(change.restorePoint)",
            items: change.itemCount,
            restorePoint: change.restorePoint
        )
    }

    func performAboutLargeChanges(
        _ verb: Substring,
        _ arguments: Acts.Arguments,
        _ answer: @escaping Acts.Answer
    ) throws {
        if verb == "decide" {
            try decide(arguments.text("choice"), about: arguments.texts("changes"), answer)
        } else {
            try goBack(from: arguments.text("change"), answer)
        }
    }

    /// Says what becomes of what waits.
    ///
    /// - Parameters:
    ///   - choice: As the page spells it.
    ///   - shown: What waited when the person chose.
    private func decide(_ choice: String, about shown: [String], _ answer: @escaping Acts.Answer) throws {
        let goesOn: Bool
        switch choice {
        case "goOn": goesOn = true
        case "putBack": goesOn = false
        default: throw Acts.Refusal("That cannot be done", "There is no choice “\(choice)”.")
        }
        let waiting = model.largeChanges?.known.waiting.map { description(of: $0).id } ?? []
        try ask(isMeant: Set(waiting) == Set(shown) && !waiting.isEmpty, answer) { changes in
            try await changes.decide(goesOn: goesOn)
            return nil
        }
    }

    /// Has what a change that has gone on has taken be what it was.
    ///
    /// - Parameter shown: The one that the person meant.
    private func goBack(from shown: String, _ answer: @escaping Acts.Answer) throws {
        let last = model.largeChanges?.known.last.map { description(of: $0).id }
        try ask(isMeant: last == shown, answer) { changes in
            let back = try await changes.goBack()
            return ["count": back.itemCount, "newer": back.newer, "lost": back.lost]
        }
    }

    private func ask(
        isMeant: Bool,
        _ answer: @escaping Acts.Answer,
        _ body: @escaping @MainActor (FolderLargeChanges) async throws -> [String: Any]?
    ) throws {
        guard isMeant, let changes = model.largeChanges else {
            throw Acts.Refusal(
                "This question has gone",
                "It is another by now. Look at what waits, if anything does."
            )
        }
        Task {
            do { answer(.success(try await body(changes))) } catch {
                answer(.failure(Acts.Refusal("That was not possible", "\(error)")))
            }
        }
    }

    // MARK: Items

    /// The items that an act is about.
    func items(_ arguments: Acts.Arguments) throws -> [FolderItem] {
        let found = arguments.texts("items").compactMap { model.items[$0] }
        guard !found.isEmpty else {
            throw Acts.Refusal("That cannot be done", "The item is not there any more.")
        }
        return found
    }

    /// Has contents come, then goes on. Nothing more happens when that is called off.
    func fetch(_ items: [FolderItem], _ answer: @escaping Acts.Answer, then goOn: @escaping () -> Void) {
        Task {
            do {
                try await model.fetch(items)
                goOn()
                answer(.success(nil))
            } catch let error as CocoaError where error.code == .userCancelled {
                answer(.success(nil))
            } catch {
                answer(.failure(Acts.Refusal("“\(items[0].name)” could not be downloaded", error)))
            }
        }
    }

    func perform(
        _ what: String,
        _ items: [FolderItem],
        _ answer: @escaping Acts.Answer,
        _ body: @escaping @Sendable (URL) throws -> Void
    ) {
        Task {
            do {
                try await model.perform(on: items, body)
                answer(.success(nil))
            } catch {
                answer(.failure(Acts.Refusal("\(what) was not possible", error)))
            }
        }
    }
}
