internal import SyncMessages

// What the page shows of changes so large that a person is asked first, and what people say of them.
extension UIDocumentBrowserViewController {
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
}
