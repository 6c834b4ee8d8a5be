internal import SyncMessages

/// What has to hold when all has come to rest; pure.
struct StoryJudge: Sendable {
    /// What is known of one device.
    struct Evidence: Sendable {
        var name: String
        var folder: StoryFolder
        /// The paths of items whose contents have left it: nobody can say of those how they are there.
        var left: Set<String> = []
        /// By paths: what has lost conflicts that nobody has settled.
        var conflicts: [[UInt8]: Set<StoryFolder>] = [:]
        /// All marks that are in its conflicts and versions.
        var keptMarks: Set<String> = []
        /// What is half, or otherwise wrong in itself.
        var wrong: [StoryFault] = []

        /// The same with what has left it as the hub has that; what the hub has not stays there, as a folder.
        func filled(from witness: Evidence) -> Evidence {
            var filled = self
            for path in left {
                let (key, held) = (Array(path.utf8), witness.folder.item(at: path))
                filled.conflicts[key] = witness.conflicts[key]
                if held.items.isEmpty { filled.folder.items[key] = .folder }
                for (member, content) in held.items {
                    filled.folder.items[member.isEmpty ? key : key + Array("/".utf8) + member] = content
                }
            }
            return filled
        }
    }

    /// The edits whose saves were acknowledged.
    var acknowledged: Set<String>
    /// Those that somebody had before his eyes when he removed them.
    var discarded: Set<String>
    /// Those that nobody had any more, neither the hub nor a device, when a device or the hub had been put back to a backup.
    var evaporated: Set<String> = []
    /// What people have done.
    var record = StoryRecord()
    /// Whether a folder of some name is one item.
    var isPackage: @Sendable (String) -> Bool = { _ in false }
    /// Whether all edits of a document of some name can be merged.
    var isMerged: @Sendable (String) -> Bool = { _ in false }

    /// What is wrong.
    ///
    /// All are to have what the hub has, and to show what it says is in conflict.
    ///
    /// - Parameters:
    ///   - devices: All that had a part in the story.
    ///   - witness: One that has got all from the hub.
    func faults(_ devices: [Evidence], witness: Evidence) -> [StoryFault] {
        var faults = (devices + [witness]).flatMap(\.wrong)
        for device in devices.map({ $0.filled(from: witness) }) {
            if let difference = device.folder.difference(to: witness.folder) {
                faults.append(StoryFault(.differs, "\(device.name) \(difference): not as at the hub"))
            }
            if device.conflicts != witness.conflicts {
                let (here, there) = (Self.names(device), Self.names(witness))
                faults.append(
                    StoryFault(.conflict, "\(device.name) has conflicts in \(here), the hub in \(there)")
                )
            }
        }
        let found = (devices + [witness]).reduce(into: Set<String>()) {
            $0.formUnion($1.folder.marks.union($1.keptMarks))
        }
        let wanted = acknowledged.subtracting(discarded).subtracting(evaporated)
        let lost = wanted.subtracting(found)
        if !lost.isEmpty { faults.append(StoryFault(.lost, "edits are lost: \(lost.sorted())")) }
        // A version that only devices have kept by themselves is what somebody finds who looks for it, and nobody has told him.
        let held = witness.conflicts.values.joined().reduce(into: witness.folder.marks) {
            $0.formUnion($1.marks)
        }
        let hidden = wanted.subtracting(held).subtracting(lost).filter { !record.mayBeHidden($0) }
        if !hidden.isEmpty {
            let said =
                "edits are in no document and no conflict, only in former versions: \(hidden.sorted())"
            faults.append(StoryFault(.lost, said))
        }
        return faults + self.faults(of: witness)
    }

    /// What may not be in a folder after what people have done.
    private func faults(of witness: Evidence) -> [StoryFault] {
        var (items, folders): ([String: StoryFolder], Set<String>) = ([:], [])
        for path in witness.folder.paths {
            let names = path.split(separator: "/").map(String.init)
            guard !names.dropLast().contains(where: isPackage) else { continue }
            let held = witness.folder.item(at: path)
            if held.items[[]] == .folder, !isPackage(names[names.count - 1]) {
                folders.insert(path)
            } else {
                items[path] = held
            }
        }
        return record.faults(ofAll: items, folders: folders)
            + items.sorted { $0.key < $1.key }.flatMap { path, held in
                record.faults(
                    of: path,
                    held,
                    inConflictWith: witness.conflicts[Array(path.utf8)] ?? [],
                    isMerged: isMerged(path)
                )
            }
    }

    /// What is wrong in what explain says of an item at any moment: it has a reason and what comes next, and does not say that
    /// the item is in step while it is not. That it does not say so yet while something has just happened beside the item is
    /// right.
    ///
    /// - Parameters:
    ///   - explanation: What it says.
    ///   - state: How the item stands at that moment.
    ///   - device: Where.
    static func fault(
        in explanation: Explanation,
        of state: ItemSyncState,
        on device: String
    ) -> StoryFault? {
        let isExplained = !explanation.causes.isEmpty && !explanation.next.isEmpty
        if isExplained, state.isSettled || !explanation.isSettled { return nil }
        let standing = state.isSettled ? "in step" : "not in step"
        let said = "explain says of “\(state.path)” on \(device), which is \(standing): \(explanation)"
        return StoryFault(.explain, said)
    }

    /// The same of what is in the folder, which the device may not have seen.
    ///
    /// - Parameter isThere: Whether something was there before it was asked and after.
    static func fault(
        in explanation: Explanation,
        at path: String,
        on device: String,
        isThere: Bool = false
    ) -> StoryFault? {
        let isAbsent = explanation.chain.contains { $0.kind == .absent }
        if !explanation.causes.contains(""), !explanation.causes.isEmpty, !explanation.next.isEmpty,
            !(isThere && isAbsent)
        {
            return nil
        }
        return StoryFault(.explain, "explain says of “\(path)” on \(device): \(explanation)")
    }

    private static func names(_ device: Evidence) -> String {
        let said = device.conflicts.map { path, versions in
            let marks = versions.map { $0.marks.sorted().joined(separator: " ") }.sorted()
            return "\(String(decoding: path, as: UTF8.self)) (\(marks.joined(separator: "; ")))"
        }
        return said.isEmpty ? "none" : said.sorted().joined(separator: ", ")
    }
}
