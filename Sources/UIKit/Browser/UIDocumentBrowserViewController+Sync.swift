internal import FileSystem
internal import Foundation
internal import SyncMessages

// What the page shows of items that other devices have, too, and what people do about them.
extension UIDocumentBrowserViewController {
    func syncDescription(of item: FolderItem) -> SceneDescription.Sync? {
        guard model.isSynced else { return nil }
        var sync = SceneDescription.Sync(state: "unknown", here: !item.isEvicted)
        if item.isExcluded, model.syncState(of: item) == nil {
            sync.state = "excluded"
            return sync
        }
        guard let standing = model.standing(of: item) else { return sync }
        sync.paused = model.syncState(of: item)?.pause != nil
        sync.requested = item.isEvicted && model.syncState(of: item)?.isDownloadRequested == true
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

    /// Has contents come, then goes on with where each item is, by its id. Nothing more happens when that is called off.
    func fetch(
        _ items: [FolderItem],
        _ answer: @escaping Acts.Answer,
        then goOn: @escaping ([FilePath: URL]) -> Void
    ) {
        Task {
            var places: [FilePath: URL] = [:]
            for item in items {
                do { places[FilePath(item.id)] = try await model.awaited.fetch(item) } catch let error
                    as CocoaError where error.code == .userCancelled
                {
                    return answer(.success(nil))
                } catch {
                    return answer(.failure(Acts.Refusal("“\(item.name)” could not be downloaded", error)))
                }
            }
            goOn(places)
            answer(.success(nil))
        }
    }

    func perform(
        _ what: String,
        _ items: [FolderItem],
        _ answer: @escaping Acts.Answer,
        _ body: @escaping @Sendable (URL) throws -> Void
    ) {
        Task {
            let failures = await model.perform(on: items, body)
            guard let first = failures.first else { return answer(.success(nil)) }
            var title = "\(what) was not possible"
            if items.count > 1 {
                let others = failures.count == 1 ? "" : " and \(failures.count - 1) more"
                title += " for “\(first.item.name)”\(others)"
            }
            answer(.failure(Acts.Refusal(title, first.error)))
        }
    }
}
