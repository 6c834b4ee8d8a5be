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
