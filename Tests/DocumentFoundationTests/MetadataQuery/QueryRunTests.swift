import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

@testable import DocumentFoundation

/// One run of a query, step by step: what its queue does, and what is told in between.
@Suite("QueryRun", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct QueryRunTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage(usesPrivilege: false) }

    /// The number of the scope's folder.
    private static let root = 0

    private func place(_ name: String) -> QueryRun.Place {
        QueryRun.Place(folder: Self.root, name: ItemName(name))
    }

    private func id(_ name: String, _ run: QueryRun) throws -> Int {
        let place = place(name)
        return try #require(
            run.state.withLock { $0.catalogue.folders[place.folder]?.members[place.name]?.id }
        )
    }

    /// A run that has gathered, with nothing told yet.
    private func gathered(_ predicate: NSPredicate = NSPredicate(value: true)) -> QueryRun {
        let sought = QueryPredicate(predicate)
        let plan = QueryRun.Plan(
            roots: [FilePath(stage.folder.path)],
            test: PredicateTest(sought.least, lists: .byAnyMember),
            isUndecided: !sought.isFormula,
            interval: 0
        )
        let run = QueryRun(plan, events: stage.events) { _ in }
        run.start()
        // The gathering is before this on its queue.
        run.queue.sync {}
        return run
    }

    // MARK: What is gone

    @Test("What a gone item was is known until its end has been told, whatever is told before")
    func remembered() throws {
        for name in ["a", "b"] { try stage.write(name) }
        let run = gathered()
        defer { run.stop() }
        #expect(run.announcements() == [.started, .finished])
        let (gone, other) = (try id("a", run), try id("b", run))
        run.queue.sync {
            run.found(put: [MetadataQueryCore.Match(id: other)], gone: [])
            var outcome = QueryRun.Outcome()
            run.remove(place("a"), &outcome)
            #expect(run.announcements() == [.updated(added: [], changed: [other], removed: [])])
            #expect(run.attributes(of: gone)?.name == "a")
            #expect(run.announcements().isEmpty)
            #expect(run.attributes(of: gone)?.name == "a")
            run.found(put: [], gone: outcome.gone)
        }
        #expect(run.announcements() == [.updated(added: [], changed: [], removed: [gone])])
        #expect(run.attributes(of: gone)?.name == "a")
        #expect(run.announcements().isEmpty)
        #expect(run.attributes(of: gone) == nil)
    }

    @Test("The same while a block has not decided what has changed")
    func rememberedUndecided() throws {
        for name in ["a", "b"] { try stage.write(name) }
        let run = gathered(NSPredicate { _, _ in true })
        defer { run.stop() }
        while run.state.withLock({ !$0.undecided.isEmpty }) { run.decide { _ in true } }
        #expect(run.announcements() == [.started, .finished])
        let (gone, other) = (try id("a", run), try id("b", run))
        run.queue.sync {
            var outcome = QueryRun.Outcome()
            run.remove(place("a"), &outcome)
            run.found(put: [MetadataQueryCore.Match(id: other)], gone: outcome.gone)
        }
        #expect(run.announcements().isEmpty)
        #expect(run.attributes(of: gone)?.name == "a")
        run.decide { _ in true }
        #expect(run.announcements() == [.updated(added: [], changed: [other], removed: [gone])])
        #expect(run.attributes(of: gone)?.name == "a")
        #expect(run.announcements().isEmpty)
        #expect(run.attributes(of: gone) == nil)
    }

    @Test("Of what never matched nothing is kept when it has gone", arguments: [true, false])
    func forgotten(_ isFormula: Bool) throws {
        try stage.write("a.album")
        let format = NSPredicate(format: "%K LIKE '*.album'", NSMetadataItemFSNameKey)
        let run = gathered(isFormula ? format : NSPredicate { _, _ in false })
        defer { run.stop() }
        while run.state.withLock({ !$0.undecided.isEmpty }) { run.decide { _ in false } }
        #expect(run.announcements() == [.started, .finished])
        run.queue.sync {
            var outcome = QueryRun.Outcome()
            for number in 0..<100 {
                let place = place("\(number).tmp")
                let item = ListedItem(name: "\(number).tmp", inode: UInt64(number), kind: .regular)
                run.add(item, .file, at: place, &outcome)
                run.remove(place, &outcome)
            }
            run.found(put: [], gone: outcome.gone)
        }
        while run.state.withLock({ !$0.undecided.isEmpty }) { run.decide { _ in false } }
        #expect(run.announcements().isEmpty)
        #expect(run.state.withLock { $0.remembered.isEmpty })
    }

    // MARK: Packages

    @Test("A look at all, too, takes a package for the same item, whatever its folder, and for a file")
    func packages() throws {
        try stage.write("p.rtfd/inner/TXT.rtf")
        let run = gathered()
        defer { run.stop() }
        let document = try id("p.rtfd", run)
        func look(finds form: ItemForm, folderCount: Int) throws {
            run.queue.sync {
                run.needsLookAtAll = true
                run.look()
            }
            #expect(try id("p.rtfd", run) == document)
            #expect(run.state.withLock { $0.catalogue.member(document)?.form } == form)
            // The scope's is one of them.
            #expect(run.state.withLock { $0.catalogue.folders.count } == folderCount)
        }
        try look(finds: .package, folderCount: 3)
        let url = stage.url("p.rtfd")
        let text = FileWrapper(regularFileWithContents: Data("text".utf8))
        try text.write(to: url, originalContentsURL: nil)
        try look(finds: .file, folderCount: 1)
        let folder = FileWrapper(directoryWithFileWrappers: ["TXT.rtf": text])
        try folder.write(to: url, originalContentsURL: nil)
        try look(finds: .package, folderCount: 2)
        try folder.write(to: url, originalContentsURL: nil)
        try look(finds: .package, folderCount: 2)
    }
}
