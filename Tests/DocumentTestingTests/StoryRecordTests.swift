import Foundation
import Testing

@testable import DocumentTesting

/// What may not come of what people have done.
@Suite("What people have done in stories")
struct StoryRecordTests {
    private func file(_ marks: String..., permissions: UInt16 = 0o644) -> StoryFolder {
        var folder = StoryFolder()
        folder.items[[]] = .file(Data(marks.joined(separator: "\n").utf8), .init(permissions: permissions))
        return folder
    }

    private func kinds(
        _ record: StoryRecord,
        _ held: StoryFolder,
        inConflictWith conflicts: Set<StoryFolder> = [],
        isMerged: Bool = false
    ) -> [StoryFault.Kind] {
        record.faults(of: "a.txt", held, inConflictWith: conflicts, isMerged: isMerged).map(\.kind)
    }

    @Test("What was removed is not there again, unless somebody has edited it, or may have")
    func returned() {
        var record = StoryRecord()
        record.noteEdit(of: [1], on: 0)
        record.noteRemoval(of: "a.txt", with: ["mark-1-1.", "mark-1-2."], on: 0)
        #expect(kinds(record, file("mark-1-1.")) == [.returned])
        #expect(kinds(record, file("mark-1-1.", "mark-1-3.")) == [])
        // Who removed it had not seen what is in conflict with it.
        record.noteEdit(of: [1], on: 1)
        #expect(kinds(record, file("mark-1-1."), inConflictWith: [file("mark-1-4.")]) == [])
        #expect(kinds(record, file("mark-2-5.")) == [])
        var settled = record
        settled.noteSettling(of: [1])
        #expect(kinds(settled, file("mark-1-1.")) == [])
        var forgotten = record
        forgotten.noteForgetting(since: 0)
        #expect(kinds(forgotten, file("mark-1-1.")) == [])
    }

    @Test(
        "What is put back to a backup forgets only that with which something was done since all were at rest before"
    )
    func forgotten() {
        var record = StoryRecord()
        let other: Set = [file("mark-1-9.")]
        record.noteEdit(of: [1], on: 0)
        record.noteRemoval(of: "b.txt", with: ["mark-2-2."], on: 0)
        record.noteRest(of: [0, 1])
        let restCount = record.restCount
        record.noteEdit(of: [3], on: 0)
        record.noteForgetting(since: restCount, also: [4])
        #expect(record.forgotten == [3, 4] && record.forgottenByHub == [])
        #expect(kinds(record, file("mark-1-1."), inConflictWith: other) == [.needless])
        #expect(kinds(record, file("mark-2-2.")) == [.returned])
        let items = ["a.txt": file("mark-1-1."), "c.txt": file("mark-1-1.", "mark-1-5.")]
        #expect(record.faults(ofAll: items, folders: []).map(\.kind) == [.doubled])
        // One that was united with a document which may be forgotten may be so, too.
        let united = ["a.txt": file("mark-1-1."), "c.txt": file("mark-1-1.", "mark-3-5.")]
        #expect(record.faults(ofAll: united, folders: []) == [])
        // Until all have met again nobody knows what an edit was made of.
        record.noteEdit(of: [1], on: 0)
        #expect(record.forgotten == [1, 3, 4])
        #expect(kinds(record, file("mark-1-1."), inConflictWith: other) == [])
        record.noteRest(of: [0], areAll: false)
        record.noteMove(of: [5], on: 1)
        record.noteRest(of: [0, 1])
        record.noteSettling(of: [6])
        record.noteForgetting(since: record.restCount, isHub: true)
        #expect(record.forgotten == [1, 3, 4, 5, 6] && record.forgottenByHub == [6])
    }

    @Test("What a device was doing as it ended badly counts for nothing, what it had told before does")
    func badEnds() {
        var record = StoryRecord()
        record.noteRemoval(of: "a.txt", with: ["mark-1-1."], on: 0)
        record.noteRest(of: [0])
        record.noteRemoval(of: "b.txt", with: ["mark-2-2."], on: 0)
        record.noteBadEnd(of: 0)
        record.noteRemoval(of: "c.txt", with: ["mark-3-3."], on: 0)
        #expect(kinds(record, file("mark-1-1.")) == [.returned])
        #expect(kinds(record, file("mark-2-2.")) == [] && kinds(record, file("mark-3-3.")) == [])
        // Once it has been at rest it knows all that there is.
        record.noteRest(of: [0])
        record.noteRemoval(of: "d.txt", with: ["mark-4-4."], on: 0)
        #expect(kinds(record, file("mark-4-4.")) == [.returned])
    }

    @Test("What another device has moved meanwhile may be there, until all were at rest")
    func moved() {
        var record = StoryRecord()
        record.noteMove(of: [1], on: 1)
        record.noteRemoval(of: "a.txt", with: ["mark-1-1."], on: 0)
        record.noteRemoval(of: "b.txt", with: ["mark-2-2."], on: 0)
        record.noteMove(of: [2], on: 1)
        #expect(kinds(record, file("mark-1-1.")) == [] && kinds(record, file("mark-2-2.")) == [])
        record.noteRest(of: [0, 1])
        record.noteRemoval(of: "a.txt", with: ["mark-1-1."], on: 0)
        record.noteRest(of: [0, 1])
        record.noteMove(of: [1], on: 1)
        #expect(kinds(record, file("mark-1-1.")) == [.returned])
    }

    @Test("An edit is in a file once, and in one item")
    func doubled() {
        let record = StoryRecord()
        #expect(kinds(record, file("mark-1-1.", "mark-1-2.", "mark-1-1.")) == [.doubled])
        let items = ["a.txt": file("mark-1-1."), "b.txt": file("mark-1-1.", "mark-2-2.")]
        #expect(record.faults(ofAll: items, folders: []).map(\.kind) == [.doubled])
        #expect(record.faults(ofAll: ["a.txt": file("mark-1-1.")], folders: ["b"]) == [])
        var opened = record
        opened.noteOpening(of: [1])
        #expect(opened.faults(ofAll: items, folders: []) == [])
    }

    @Test("What bears no edit nobody has made")
    func strange() {
        #expect(kinds(StoryRecord(), file("part 0")) == [.strange])
    }

    @Test("One device alone makes no conflict, nor do several where all is merged")
    func needless() {
        var record = StoryRecord()
        record.noteEdit(of: [1], on: 0)
        let other: Set = [file("mark-1-2.")]
        #expect(kinds(record, file("mark-1-1."), inConflictWith: other) == [.needless])
        var shaken = record
        shaken.noteBadEnd(of: 0)
        #expect(kinds(shaken, file("mark-1-1."), inConflictWith: other) == [])
        var unsaved = record
        unsaved.noteFailedSave(on: 0)
        #expect(kinds(unsaved, file("mark-1-1."), inConflictWith: other) == [])
        record.noteEdit(of: [1], on: 1)
        #expect(kinds(record, file("mark-1-1."), inConflictWith: other) == [])
        #expect(kinds(record, file("mark-1-1."), inConflictWith: other, isMerged: true) == [.needless])
        unsaved.noteEdit(of: [1], on: 1)
        #expect(kinds(unsaved, file("mark-1-1."), inConflictWith: other, isMerged: true) == [])
        // Two that were made under one name have nothing in common.
        #expect(kinds(record, file("mark-2-1."), inConflictWith: other, isMerged: true) == [])
    }

    @Test("Where one alone does anything, all is where he has put it, and bears what he has given it")
    func alone() {
        var record = StoryRecord()
        record.noteExecutable(true, of: [1], on: 0)
        record.noteDeed(on: 0, ["b", "b/a.txt"])
        let items = ["b/a.txt": file("mark-1-1.")]
        #expect(record.faults(ofAll: items, folders: ["b"]) == [])
        #expect(record.faults(ofAll: items, folders: []).map(\.kind) == [.elsewhere])
        #expect(kinds(record, file("mark-1-1.")) == [.differs])
        #expect(kinds(record, file("mark-1-1.", permissions: 0o755)) == [])
        record.noteDeed(on: 1, ["b", "b/a.txt"])
        #expect(record.faults(ofAll: items, folders: []) == [])
        record.noteEdit(of: [1], on: 1)
        #expect(kinds(record, file("mark-1-1.")) == [])
    }
}
