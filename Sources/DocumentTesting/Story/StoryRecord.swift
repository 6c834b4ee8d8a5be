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
    /// Those of them that have not been at rest since.
    private var isUnsure: Set<Int> = []
    /// Devices on which a save has failed: two documents of one file may each have edits then that the other lacks.
    private(set) var unsaved: Set<Int> = []
    /// Documents of which a device or the hub that was put back to a backup may have forgotten something: nobody can tell any more
    /// what an edit of one came from.
    private(set) var forgotten: Set<Int> = []
    /// Those of them of which the hub may have.
    private(set) var forgottenByHub: Set<Int> = []
    /// Edits that were in versions alone when a device was put back which had them in a document.
    private(set) var mayBeHidden: Set<String> = []
    /// Whether a device or the hub was put back to a backup: where folders are then nobody can tell.
    private(set) var hasForgotten = false
    /// How many things have been done with documents.
    private var touchCount = 0
    /// The last that was done with each, by how many there were then.
    private var touches: [Int: Int] = [:]
    /// How many there were when all were at rest last: whatever is copied from then on has all that was done before, and told.
    private(set) var restCount = 0
    /// Whether not all have met since the hub was put back, or a device.
    private var (isMeetingHub, isMeeting) = (false, false)
    /// Whether messages may have come that were given up: their device has gone on from what was before them.
    private(set) var hasStragglers = false

    /// Somebody has done something, after which the items of his device are these.
    mutating func noteDeed(on device: Int, _ items: Set<String>) {
        actors.insert(device)
        wish = actors.count == 1 ? items : nil
    }

    mutating func noteEdit(of documents: some Sequence<Int>, on device: Int) {
        noteTouch(of: documents)
        for document in documents { editors[document, default: []].insert(device) }
    }

    /// Something is done with documents, be it that what was edited before is saved.
    mutating func noteTouch(of documents: some Sequence<Int>) {
        touchCount += 1
        for document in documents {
            touches[document] = touchCount
            if isMeeting { forgotten.insert(document) }
            if isMeetingHub { forgottenByHub.insert(document) }
        }
    }

    /// - Parameter isExecutable: Nil where the disk has refused it, and nobody knows.
    mutating func noteExecutable(_ isExecutable: Bool?, of documents: some Collection<Int>, on device: Int) {
        noteEdit(of: documents, on: device)
        mayReturn.formUnion(documents)
        for document in documents { executables[document] = isExecutable }
    }

    mutating func noteSettling(of documents: some Collection<Int>) {
        noteTouch(of: documents)
        mayReturn.formUnion(documents)
    }

    mutating func noteRemoval(of path: String, with marks: Set<String>, on device: Int) {
        noteTouch(of: marks.compactMap(StoryMarks.document))
        // A device that was ended in the midst of something cannot know that an item was ever there.
        guard !isUnsure.contains(device), !marks.isEmpty else { return }
        let documents = marks.compactMap(StoryMarks.document)
        guard documents.allSatisfy({ movers[$0]?.subtracting([device]).isEmpty ?? true }) else { return }
        removals.append(Removal(path: path, marks: marks, device: device))
    }

    /// A process is ended in the midst of something, or a disk fails.
    ///
    /// What was removed just before may be taken for what a power cut has swallowed.
    mutating func noteBadEnd(of device: Int) {
        shaken.insert(device)
        isUnsure.insert(device)
        removals.removeAll { $0.device == device && !$0.isTold }
    }

    mutating func noteMove(of documents: Set<Int>, on device: Int) {
        noteTouch(of: documents)
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
        if areAll {
            movers = [:]
            restCount = touchCount
            (isMeeting, isMeetingHub) = (false, false)
        }
        isUnsure.subtract(devices)
        for index in removals.indices where devices.contains(removals[index].device) {
            removals[index].isTold = true
        }
    }

    mutating func noteFailedSave(on device: Int) { unsaved.insert(device) }

    mutating func noteLostMessages() { hasStragglers = true }

    /// A device is put back to a backup, or the hub.
    ///
    /// - Parameters:
    ///   - count: What `restCount` was when the backup was made: all that was done with documents since may be forgotten, and so may
    ///     what is done until all have met again.
    ///   - documents: Others with which something may just be done: what is typed, and not saved.
    ///   - hidden: Edits that are in no document and no conflict any more, though in a version.
    ///   - isHub: Whether it is the hub.
    mutating func noteForgetting(
        since count: Int,
        also documents: Set<Int> = [],
        hidden: Set<String> = [],
        isHub: Bool = false
    ) {
        hasForgotten = true
        isMeeting = true
        let touched = documents.union(touches.filter { $0.value > count }.keys)
        forgotten.formUnion(touched)
        mayBeHidden.formUnion(hidden)
        guard isHub else { return }
        isMeetingHub = true
        forgottenByHub.formUnion(touched)
    }

    /// Whether an edit may be in a version alone: nobody has told anybody of those.
    func mayBeHidden(_ mark: String) -> Bool {
        mayBeHidden.contains(mark) || StoryMarks.document(of: mark).map(forgottenByHub.contains) ?? false
    }

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
        guard documents.isDisjoint(with: forgotten) else { return faults }
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
        var (faults, places): ([StoryFault], [String: String]) = ([], [:])
        for (path, held) in items.sorted(by: { $0.key < $1.key }) {
            guard forgotten.isDisjoint(with: held.marks.compactMap(StoryMarks.document)) else { continue }
            for mark in held.marks where !mayBeTwice.contains(StoryMarks.document(of: mark) ?? 0) {
                guard let other = places.updateValue(path, forKey: mark) else { continue }
                faults.append(StoryFault(.doubled, "\(mark) is in “\(other)” and in “\(path)”"))
            }
        }
        let there = folders.union(items.keys)
        if let wish, !hasForgotten, !hasStragglers, actors.isDisjoint(with: shaken), there != wish {
            let said =
                "\(there.sorted()), and the only one who has done anything has made it \(wish.sorted())"
            faults.append(StoryFault(.elsewhere, "in the end there is \(said)"))
        }
        return faults
    }
}
