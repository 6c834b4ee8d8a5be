/// What people have done in a story, as far as it decides what may come of it in the end; pure.
struct StoryRecord: Sendable {
    /// What somebody has removed.
    struct Removal: Hashable, Sendable {
        let path: String
        /// All that he had before his eyes as he did so.
        let marks: Set<String>
        let device: Int
        /// Whether the device has been at rest since, and so has told it.
        var isTold = false
    }

    /// On which devices somebody has done something.
    private(set) var actors: Set<Int> = []
    /// By numbers of documents: on which devices somebody has edited one.
    private(set) var editors: [Int: Set<Int>] = [:]
    /// Whether a document may be executed, where somebody has said so.
    private(set) var executables: [Int: Bool] = [:]
    private(set) var removals: [Removal] = []
    /// Documents that may be there although they were removed: who settles a conflict, or has a file be executed, edits it, and that
    /// leaves no mark.
    private(set) var mayReturn: Set<Int> = []
    /// Documents that may be there twice: who saves one that is open, while what another device has done moves it, may put it back to
    /// where it was.
    private(set) var mayBeTwice: Set<Int> = []
    /// On which devices somebody has moved a document since all were at rest: who removes it meanwhile may have removed it there.
    private var movers: [Int: Set<Int>] = [:]
    /// The items as they were after the last thing that somebody did, as long as all was done on one device.
    private(set) var wish: Set<String>?
    /// Devices whose processes or disks have ended badly: what was done there just before nobody can be sure of.
    private(set) var shaken: Set<Int> = []
    /// Devices on which a save has failed: two documents of one file may each have edits then that the other lacks.
    private(set) var unsaved: Set<Int> = []
    /// Whether a device or the hub was put back to a backup: nobody can tell any more what some edits came from.
    private(set) var hasForgotten = false
    /// Whether messages may have come that were given up: their device has gone on from what was before them.
    private(set) var hasStragglers = false

    /// Somebody has done something, after which the items of his device are these.
    mutating func noteDeed(on device: Int, _ items: Set<String>) {
        actors.insert(device)
        wish = actors.count == 1 ? items : nil
    }

    mutating func noteEdit(of documents: some Sequence<Int>, on device: Int) {
        for document in documents { editors[document, default: []].insert(device) }
    }

    /// - Parameter isExecutable: Nil where the disk has refused it, and nobody knows.
    mutating func noteExecutable(_ isExecutable: Bool?, of documents: some Collection<Int>, on device: Int) {
        noteEdit(of: documents, on: device)
        mayReturn.formUnion(documents)
        for document in documents { executables[document] = isExecutable }
    }

    mutating func noteSettling(of documents: some Sequence<Int>) { mayReturn.formUnion(documents) }

    mutating func noteRemoval(of path: String, with marks: Set<String>, on device: Int) {
        // A device that was ended in the midst of something cannot know that an item was ever there.
        guard !shaken.contains(device), !marks.isEmpty else { return }
        let documents = marks.compactMap(StoryMarks.document)
        guard documents.allSatisfy({ movers[$0]?.subtracting([device]).isEmpty ?? true }) else { return }
        removals.append(Removal(path: path, marks: marks, device: device))
    }

    /// A process is ended in the midst of something, or a disk fails.
    ///
    /// What was removed just before may be taken for what a power cut has swallowed.
    mutating func noteBadEnd(of device: Int) {
        shaken.insert(device)
        removals.removeAll { $0.device == device && !$0.isTold }
    }

    mutating func noteMove(of documents: Set<Int>, on device: Int) {
        for document in documents { movers[document, default: []].insert(device) }
        removals.removeAll { removal in
            let others = removal.marks.compactMap(StoryMarks.document)
            return !removal.isTold && removal.device != device && !documents.isDisjoint(with: others)
        }
    }

    mutating func noteOpening(of documents: some Sequence<Int>) { mayBeTwice.formUnion(documents) }

    /// Some devices have come to rest.
    ///
    /// - Parameter areAll: Whether nobody else was there.
    mutating func noteRest(of devices: some Collection<Int>, areAll: Bool = true) {
        if areAll { movers = [:] }
        for index in removals.indices where devices.contains(removals[index].device) {
            removals[index].isTold = true
        }
    }

    mutating func noteFailedSave(on device: Int) { unsaved.insert(device) }

    mutating func noteLostMessages() { hasStragglers = true }

    mutating func noteForgetting() { hasForgotten = true }

    // MARK: What may not be

    /// What is wrong with one item at rest.
    ///
    /// - Parameters:
    ///   - path: Below the device's folder.
    ///   - held: What it holds.
    ///   - conflicts: What has lost conflicts with it that nobody has settled.
    ///   - isMerged: Whether all edits of it can be merged.
    func faults(
        of path: String,
        _ held: StoryFolder,
        inConflictWith conflicts: Set<StoryFolder>,
        isMerged: Bool
    ) -> [StoryFault] {
        let marks = conflicts.reduce(into: held.marks) { $0.formUnion($1.marks) }
        let documents = Set(marks.compactMap(StoryMarks.document))
        guard !documents.isEmpty else {
            return [StoryFault(.strange, "nobody has made “\(path)”: there is no edit in it")]
        }
        var faults = held.items.values.map { StoryMarks.doubled(in: $0) }.filter { !$0.isEmpty }.map {
            StoryFault(.doubled, "“\(path)” has edits more than once: \($0)")
        }
        guard !hasForgotten else { return faults }
        let removal = removals.first { marks.isSubset(of: $0.marks) }
        if let removal, mayReturn.isDisjoint(with: documents) {
            let said =
                "“\(removal.path)” was removed, nobody has edited it since, and it is there as “\(path)”"
            faults.append(StoryFault(.returned, said))
        }
        let editors = documents.reduce(into: Set<Int>()) { $0.formUnion(self.editors[$1] ?? []) }
        if hasStragglers {
            // What two messages have made of one edit may be in conflict with itself.
        } else if !conflicts.isEmpty, editors.count < 2, editors.isDisjoint(with: shaken.union(unsaved)) {
            let said = "“\(path)” is in conflict, and only one device has ever edited it"
            faults.append(StoryFault(.needless, said))
        } else if !conflicts.isEmpty, isMerged, documents.count == 1, editors.isDisjoint(with: unsaved) {
            faults.append(
                StoryFault(.needless, "“\(path)” is in conflict, and all edits of it can be merged")
            )
        }
        if editors.count == 1, editors.isDisjoint(with: shaken), documents.count == 1,
            let document = documents.first, let isExecutable = executables[document],
            case .file(_, let dress)? = held.items[[]], dress.isExecutable != isExecutable
        {
            let said = isExecutable ? "may not be executed any more" : "may be executed"
            faults.append(
                StoryFault(.differs, "“\(path)” \(said), and the one who edits it has said otherwise")
            )
        }
        return faults
    }

    /// What is wrong with all items together.
    ///
    /// - Parameter items: What each holds, by paths.
    func faults(ofAll items: [String: StoryFolder], folders: Set<String>) -> [StoryFault] {
        guard !hasForgotten else { return [] }
        var (faults, places): ([StoryFault], [String: String]) = ([], [:])
        for (path, held) in items.sorted(by: { $0.key < $1.key }) {
            for mark in held.marks where !mayBeTwice.contains(StoryMarks.document(of: mark) ?? 0) {
                guard let other = places.updateValue(path, forKey: mark) else { continue }
                faults.append(StoryFault(.doubled, "\(mark) is in “\(other)” and in “\(path)”"))
            }
        }
        let there = folders.union(items.keys)
        if let wish, !hasStragglers, actors.isDisjoint(with: shaken), there != wish {
            let said =
                "\(there.sorted()), and the only one who has done anything has made it \(wish.sorted())"
            faults.append(StoryFault(.elsewhere, "in the end there is \(said)"))
        }
        return faults
    }
}
