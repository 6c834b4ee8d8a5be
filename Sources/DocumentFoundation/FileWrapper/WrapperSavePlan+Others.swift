package import FileSystem
internal import Foundation

extension WrapperSavePlan {
    /// Whether the save would take away bytes that this tree has never seen: a member that it replaces or removes
    /// is not as it was read or written last, or something is where a new member is to go.
    ///
    /// Looks at what changes only. What cannot be looked at counts as someone else's.
    package func takesAwayOthersWork(at path: FilePath) -> Bool {
        for member in replaced {
            guard let wrapper = member.wrapper, isPresent(member.path, in: path) else { continue }
            let place = member.path.components.reduce(path) { $0.appending($1) }
            if !wrapper.matches(itemAt: place.url(isDirectory: wrapper.isDirectory)) { return true }
        }
        guard case .changes(let changes) = work else { return false }
        let known = Set(replaced.map(\.path))
        return changes.placed.keys.contains { !known.contains($0) && isPresent($0, in: path) }
    }

    /// The members that the save replaces or removes, and those that it adds: others may have put something there.
    package var takenPaths: [MemberPath] {
        let paths = replaced.map(\.path)
        guard case .changes(let changes) = work else { return paths }
        let known = Set(paths)
        return paths
            + changes.placed.keys.filter { !known.contains($0) }.sorted { $0.description < $1.description }
    }

    /// Whether a member is one of those.
    package func takes(_ member: MemberPath) -> Bool {
        if case .changes(let changes) = work,
            changes.placed[member] != nil || changes.removed.contains(member)
        {
            return true
        }
        return replaced.contains { $0.path == member }
    }

    /// How what the save takes the place of looks now; another value, another state.
    package func replacedStamps(at path: FilePath) -> [FileStamp?] {
        [try? FileStamp.ifPresent(at: path)]
            + takenPaths.map { member in
                // What cannot be looked at is as good as gone: the state is another one when it can.
                try? FileStamp.ifPresent(at: member.components.reduce(path) { $0.appending($1) })
            }
    }

    private func isPresent(_ member: MemberPath, in path: FilePath) -> Bool {
        do {
            return try FileStamp.ifPresent(at: member.components.reduce(path) { $0.appending($1) }) != nil
        } catch {
            return true
        }
    }
}

extension WrapperSavePlan {
    /// The members that the save writes, replaces or removes; nil when it writes all.
    package var changedPaths: [MemberPath]? {
        guard case .changes(let changes) = work else { return nil }
        return Array(changes.placed.keys) + changes.removed + replaced.map(\.path)
    }
}
