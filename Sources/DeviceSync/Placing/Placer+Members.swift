internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

// How a package of which a few files are others becomes what it is to be: what nobody has changed stays where it is.
extension Placer {
    /// So many files are put in place by themselves. More are not worth while: the package is made anew.
    private static let memberCountMax = 64

    /// Changes the files of a package that are others, all in one step.
    ///
    /// - Returns: False when it has to be made anew; nothing has been done then.
    func changeMembers(
        _ item: ItemID,
        _ known: FolderItem,
        to content: ContentName,
        modified: Int64?,
        at path: FilePath
    ) throws -> Bool {
        guard known.trace.kind == .directory, let former = known.state.content,
            // Where something was lost, what is there is not what it is taken for.
            try losses.of(item).isEmpty,
            let difference = try contents.difference(from: former, to: content, countMax: Self.memberCountMax)
        else { return false }
        let restorer = try ContentRestorer(contents.vault)
        var isDone = true
        try coordinate(path, []) {
            let save = try StagedSave(item: path, followsSymbolicLink: false)
            save.replacesReadOnly = true
            // Who has not read a member knows it by the folder's date, beside its own, which may lie before that reading.
            save.makesFolderAnew = Self.isSameDate(modified, as: known.trace)
            try save.write(PackageChanges())
            try losses.note([item: try restorer.restore(difference, into: try save.stagedPath())])
            // What a program that coordinates nothing wrote until now is not to go.
            let isAsSeen = { (status: MemberStatus) in ItemTrace(status).hasContents(of: known.trace) }
            var (replaced, isOpen): ([MemberPath: MemberStatus], Bool) = ([:], false)
            save.beforeSwap = { () throws(SystemError) in
                // What cannot be read any more has changed.
                guard let found = try? restorer.replaced(by: difference, in: path),
                    let status = try FolderScan.status(at: path), isAsSeen(status)
                else { throw SystemError(call: "renameat2", errno: ESTALE, path: path) }
                isOpen = found.keys.contains { member in
                    OpenForWriting.isOpen(member.components.reduce(path) { $0.appending($1) }) == true
                }
                guard !isOpen else { throw SystemError(call: "renameat2", errno: ESTALE, path: path) }
                replaced = found
            }
            save.isReplaceable = { status, _ in isAsSeen(status) }
            save.isMemberReplaceable = { path, status in
                replaced[path].map { ItemTrace(status).hasContents(of: ItemTrace($0)) } ?? false
            }
            do throws(SystemError) {
                try save.commit(MemberAttributes(modified: contents.date(modified)))
            } catch {
                // Nothing goes into a folder that its owner may not write to: another one can take its place.
                isDone = error.errno != EACCES || error.isNewInPlace
                guard !isDone else { throw isOpen ? OpenInPrograms(path) : error }
            }
        }
        return isDone
    }

    /// Whether a folder that gets this date may bear the one that it bears: some volumes keep whole seconds, or every second one.
    private static func isSameDate(_ modified: Int64?, as trace: ItemTrace) -> Bool {
        guard let modified else { return false }
        let step: UInt64 = trace.modified % 1_000_000_000 == 0 ? 2_000_000_000 : 1
        let (difference, isFar) = modified.subtractingReportingOverflow(trace.modified)
        return !isFar && difference.magnitude < step
    }
}
