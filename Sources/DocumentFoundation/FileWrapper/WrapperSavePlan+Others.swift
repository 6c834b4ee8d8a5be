package import FileSystem
internal import Foundation

extension WrapperSavePlan {
    /// Whether the save would take away bytes that this tree has never seen: a member that it replaces or removes
    /// is not as it was read or written last, or something is where a new member is to go.
    ///
    /// Looks at what changes only. What cannot be looked at counts as someone else's.
    package func takesAwayOthersWork(at path: FilePath) -> Bool {
        var known: Set<[String]> = []
        for gone in forgotten {
            let components = TreeLock.with { gone.folder.components + [gone.name] }
            known.insert(components)
            if holdsOthersWork(components, of: path, insteadOf: gone.wrapper) { return true }
        }
        guard case .changes(let changes) = work else { return false }
        return changes.placed.keys.contains { member in
            !known.contains(member.components) && isPresent(member.components, in: path)
        }
    }

    private func holdsOthersWork(
        _ components: [String],
        of path: FilePath,
        insteadOf wrapper: FileWrapper
    ) -> Bool {
        guard isPresent(components, in: path) else { return false }
        let place = components.reduce(path) { $0.appending($1) }
        return !wrapper.matches(itemAt: place.url(isDirectory: wrapper.isDirectory))
    }

    private func isPresent(_ components: [String], in path: FilePath) -> Bool {
        do {
            return try FileStamp.ifPresent(at: components.reduce(path) { $0.appending($1) }) != nil
        } catch {
            return true
        }
    }
}
