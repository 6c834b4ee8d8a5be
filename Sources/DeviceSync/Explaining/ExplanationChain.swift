internal import FileSystem
internal import StandardStreams
internal import Sync
internal import SyncMessages

// The engine's reasons in words: from an item to what it waits for in the end.
extension SyncRun {
    /// What an item waits for, and what that waits for; none for an item in step.
    ///
    /// - Parameter seen: The items that are in the chain already.
    func chain(from item: ItemID, _ seen: inout Set<ItemID>) -> [Explanation.Cause] {
        guard seen.insert(item).inserted, seen.count < 16 else { return [] }
        var causes: [Explanation.Cause] = []
        for reason in engine.reasons(for: item) {
            causes.append(cause(reason, item))
            switch reason {
            case .nameTaken(let other), .nameLeft(let other), .uniting(let other):
                causes += links(to: other, &seen)
            case .folderMissing(let folder): causes += links(to: folder, &seen)
            case .loop: causes += folderToLeave(item).map { links(to: $0, &seen) } ?? []
            case .members(let members): causes += members.prefix(1).flatMap { links(to: $0, &seen) }
            default: break
            }
        }
        return causes
    }

    /// The folder in another, here, that is to leave it before that one can go where the hub has it.
    private func folderToLeave(_ folder: ItemID) -> ItemID? {
        var at = engine.tree[folder]?.place.parent
        while let inside = at, inside != .root, inside != folder {
            let parent = engine.disk[inside]?.place.parent
            if parent != engine.tree[inside]?.place.parent { return inside }
            at = parent
        }
        return nil
    }

    /// What another item waits for that one is waited for.
    private func links(to other: ItemID, _ seen: inout Set<ItemID>) -> [Explanation.Cause] {
        guard !seen.contains(other), var obstacle = obstacle(to: other) else {
            return chain(from: other, &seen)
        }
        seen.insert(other)
        obstacle.text = "“\(path(of: other))”: \(obstacle.text)"
        return [obstacle]
    }

    func cause(_ reason: SyncEngine.Reason, _ item: ItemID) -> Explanation.Cause {
        var cause = Explanation.Cause(kind(of: reason), text(reason, item))
        switch reason {
        case .sending(let content), .getting(let content): cause.remedy = failedContents[content]?.remedy
        case .contentsLost:
            cause.remedy = "Have a device that has them be kept in step; then it goes on by itself."
        case .braked:
            cause.remedy = "Say which: sheaf decide \(place.folder.string.shellWord) --go-on, or --put-back."
        case .paused:
            (cause.sinceSeconds, cause.remedy) = (paused[item]?.sinceSeconds, resuming(item))
        default: break
        }
        return cause
    }

    private func kind(of reason: SyncEngine.Reason) -> Explanation.Cause.Kind {
        switch reason {
        case .sending(let content):
            failedContents[content].map { $0.code == .quota ? .hubFull : .cannotSend } ?? .sending
        case .getting(let content): failedContents[content] == nil ? .getting : .cannotGet
        case .contentsLost: .contentsLost
        case .committing: .committing
        case .readingLog: .readingLog
        case .placing: .placing
        case .merging: .merging
        case .nameTaken: .nameTaken
        case .nameLeft: .nameLeft
        case .uniting: .uniting
        case .folderMissing: .folderMissing
        case .loop: .loop
        case .members: .members
        case .braked: .braked
        case .paused: .paused
        case .due: .due
        }
    }

    private func text(_ reason: SyncEngine.Reason, _ item: ItemID) -> String {
        let name = "“\(path(of: item))”"
        return switch reason {
        case .sending(let content):
            failedContents[content].map { "\(name) was changed here; its contents cannot be sent: \($0)" }
                ?? "\(name) was changed here; its contents are being sent to the hub\(upload(of: content).text)."
        case .getting(let content):
            failedContents[content].map { "\(name) was changed elsewhere; its contents cannot be had: \($0)" }
                ?? "\(name) was changed elsewhere; its contents are being got from the hub\(download(of: content).text)."
        case .contentsLost:
            "\(name) is without its contents here, and the hub has them no more: a device that has them is to send them."
        case .committing:
            lineState == .up
                ? "\(name) was changed here; the hub has been told and has not answered yet."
                : "\(name) was changed here; the hub is to hear of it."
        case .readingLog(let position):
            "Another device was faster about \(name); the log is to be read to entry \(position) first."
        case .placing: "\(name) is being made what the hub says."
        case .merging: "\(name) was changed here and elsewhere; the two are being merged."
        case .nameTaken(let other): "\(name) waits for its name, which “\(path(of: other))” has."
        case .nameLeft(let other):
            "\(name) waits until the hub knows that “\(path(of: other))” has left its name."
        case .uniting(let other):
            "\(name) was made on another device, too; the two become one when “\(path(of: other))” is here as it is there."
        case .folderMissing(let folder): "\(name) waits for its folder “\(path(of: folder))”."
        case .loop: "\(name) is to go into a folder that is inside it here, and waits for that one to leave."
        case .members(let members):
            members.count == 1
                ? "\(name) goes when the item in it has gone."
                : "\(name) goes when the \(members.count) items in it have gone."
        case .braked(.leaving):
            "\(name) is part of so large a change here that somebody is to say whether it is meant."
        case .braked(.arriving):
            "\(name) is part of so large a change elsewhere that somebody is to say whether it is meant."
        case .paused:
            "\(name) is paused\(paused[item].map { " \($0.since)" } ?? ""): what was done to it waits."
        case .due: "\(name) is about to be looked at."
        }
    }
}
