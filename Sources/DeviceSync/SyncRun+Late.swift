internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

/// A file that was replaced, and that a program may have had open.
struct LateFile {
    let item: ItemID
    let file: ReplacedFile
    /// What it held when it was looked at last, if somebody had written into it.
    var content: ContentName?
}

// What a program writes into a file that is replaced under it is no one's any more, and would go with its end: it is kept,
// as a version in conflict with what took its place.
extension SyncRun {
    /// How long a replaced file is held. Programs that write in place open, write and close in one go.
    private static let lateSeconds = 3.0
    /// How many are held at a time: each takes a descriptor.
    private static let lateCountMax = 128

    func hold(_ file: ReplacedFile, of item: ItemID) {
        if late.count >= Self.lateCountMax { late.removeFirst() }
        late.append(LateFile(item: item, file: file))
        let look: @Sendable () -> Void = { [queue, box = Confined(Weak(self))] in
            queue.async { box.value.value?.lookAtLate() }
        }
        file.watch(written: look)
        queue.asyncAfter(deadline: .now() + Self.lateSeconds) { [box = Confined(Weak(self)), file] in
            guard let self = box.value.value else { return }
            self.lookAtLate()
            self.late.removeAll { $0.file === file }
        }
        if file.isWritten { lookAtLate() }
    }

    /// Keeps what programs have written into files that are held.
    func lookAtLate() {
        guard !isStopped else { return }
        for var file in late where file.file.isWritten {
            do { try keep(&file) } catch {
                report(.failed(path: path(of: file.item), why: "what was written late is lost: \(error)"))
            }
            // What was placed meanwhile may have changed the list.
            if let index = late.firstIndex(where: { $0.file === file.file }) { late[index] = file }
        }
    }

    private func keep(_ late: inout LateFile) throws {
        guard var seen = table[late.item], seen.state.kind == .document else { return }
        let (item, file) = (late.item, late.file)
        let kept = try withOwnFolder(for: "late") { folder in
            let copy = folder.appending(seen.state.place.name)
            try file.contents().write(to: copy.url(isDirectory: false))
            return try contents.keep(Vault.Keepable(copy, as: item.mark, isElsewhere: true))
        }
        guard let content = kept, content != late.content else { return }
        if let former = late.content { seen.state.conflicts.remove(former) }
        late.content = content
        guard content != seen.state.content else { return }
        seen.state.conflicts.insert(content)
        table[late.item] = seen
        take([.diskChanged(late.item, seen.state)])
        try showConflicts(of: late.item)
        report(.conflict(path: path(of: late.item)))
    }
}
