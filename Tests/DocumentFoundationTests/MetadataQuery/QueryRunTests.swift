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

    /// A run that has gathered, with nothing told yet. It hears what the test says, and nothing of the folder itself: what the
    /// system tells of the test's own changes would come in the midst of what follows.
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
        run.queue.sync { run.watches = [:] }
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

    @Test("What is moved while it is asked about stays what it is", arguments: [true, false])
    func movedUndecided(_ isFormula: Bool) throws {
        try stage.write("a", "22")
        let format = NSPredicate(format: "%K == 2", NSMetadataItemFSSizeKey)
        let run = gathered(isFormula ? format : NSPredicate { _, _ in false })
        defer { run.stop() }
        func isTwo(_ candidate: QueryRun.Candidate) -> Bool {
            candidate.attributes.value(of: NSMetadataItemFSSizeKey) == .integer(2)
        }
        while run.state.withLock({ !$0.undecided.isEmpty }) { run.decide(isTwo) }
        #expect(run.announcements() == [.started, .finished])
        let item = try id("a", run)
        run.queue.sync {
            run.heard([WatchEvent(kind: .modified, name: "a")], in: Self.root)
            run.look()
            stage.move("a", "b")
            if isFormula {
                var outcome = QueryRun.Outcome()
                outcome.changed = [item]
                run.judge(outcome)
            }
        }
        while run.state.withLock({ !$0.undecided.isEmpty }) { run.decide(isTwo) }
        #expect(run.announcements().allSatisfy { $0 == .updated(added: [], changed: [item], removed: []) })
        run.queue.sync {
            run.heard(move("a", "b", isDirectory: false), in: Self.root)
            run.look()
        }
        while run.state.withLock({ !$0.undecided.isEmpty }) { run.decide(isTwo) }
        #expect(run.announcements() == [.updated(added: [], changed: [item], removed: [])])
        #expect(try id("b", run) == item)
    }

    // MARK: Folders

    /// What is known to be in the scope, by paths.
    private func known(to run: QueryRun) -> Set<String> {
        run.state.withLock { state in
            func names(in number: Int) -> [String] {
                guard let folder = state.catalogue.folders[number] else { return [] }
                let inner = folder.folders.flatMap { name, number in
                    names(in: number).map { name.text + "/" + $0 }
                }
                return folder.members.keys.map(\.text) + inner
            }
            return Set(names(in: Self.root))
        }
    }

    /// The two halves of a move within one folder.
    private func move(_ source: String, _ target: String, isDirectory: Bool = true) -> [WatchEvent] {
        [
            WatchEvent(kind: .movedFrom(cookie: 1), name: source, isDirectory: isDirectory),
            WatchEvent(kind: .movedTo(cookie: 1), name: target, isDirectory: isDirectory),
        ]
    }

    @Test("A folder that comes and goes by a name whose former folder has gone is not that one")
    func successor() throws {
        try stage.write("former/file")
        let run = gathered()
        defer { run.stop() }
        let files = FileManager.default
        let former = stage.url("former")
        func hear(_ events: [WatchEvent]) {
            run.heard(events, in: Self.root)
            run.look()
        }
        try run.queue.sync {
            try files.removeItem(at: former)
            hear([WatchEvent(kind: .deleted, name: "former", isDirectory: true)])
            try stage.write("former/other/file")
            // Volumes give a number again when its folder has gone.
            let inode = try ItemStatus(of: FilePath(former.path)).inode
            run.state.withLock { $0.catalogue.replace(place("former"), inode: inode, form: .folder) }
            stage.move("former", "moved")
            hear([WatchEvent(kind: .created, name: "former", isDirectory: true)])
            hear(move("former", "moved"))
            let found = known(to: run).filter { $0.hasPrefix("moved") }
            #expect(found == ["moved", "moved/other", "moved/other/file"])
        }
    }

    private func number(of name: String, _ run: QueryRun) throws -> Int {
        try #require(
            run.state.withLock { $0.catalogue.folder(at: FilePath(stage.url(name).path)) }
        )
    }

    @Test("What takes a name that another has left is found, where the folder has been moved since, too")
    func leftAndTaken() throws {
        for path in ["folder/file", "other/file"] { try stage.write(path) }
        let run = gathered()
        defer { run.stop() }
        let (folder, other) = (try number(of: "folder", run), try number(of: "other", run))
        try run.queue.sync {
            stage.move("folder/file", "moved")
            try stage.write("folder/file")
            stage.move("folder", "other/folder")
            run.heard([WatchEvent(kind: .movedFrom(cookie: 1), name: "file")], in: folder)
            run.heard([WatchEvent(kind: .movedTo(cookie: 1), name: "moved")], in: Self.root)
            run.heard([WatchEvent(kind: .created, name: "file")], in: folder)
            run.look()
            run.heard(
                [WatchEvent(kind: .movedFrom(cookie: 2), name: "folder", isDirectory: true)],
                in: Self.root
            )
            run.heard(
                [WatchEvent(kind: .movedTo(cookie: 2), name: "folder", isDirectory: true)],
                in: other
            )
            run.look()
        }
        let all: Set = ["moved", "other", "other/file", "other/folder", "other/folder/file"]
        #expect(known(to: run) == all)
    }

    @Test("What is moved in a folder that is moved right after it is the same item")
    func movedTwice() throws {
        try stage.write("folder/file")
        let run = gathered()
        defer { run.stop() }
        let folder = try number(of: "folder", run)
        let file = run.state.withLock { $0.catalogue.folders[folder]?.members[ItemName("file")]?.id }
        run.queue.sync {
            stage.move("folder/file", "folder/renamed")
            stage.move("folder", "moved")
            run.heard(move("file", "renamed", isDirectory: false), in: folder)
            run.heard(move("folder", "moved"), in: Self.root)
            run.look()
        }
        #expect(known(to: run) == ["moved", "moved/renamed"])
        let renamed = run.state.withLock { $0.catalogue.folders[folder]?.members[ItemName("renamed")]?.id }
        #expect(file != nil && renamed == file)
    }

    @Test("A look at all finds what has changed in folders and packages that have been moved, too")
    func movedUnseen() throws {
        for path in ["a/b/goes", "a/b/c/stays", "d.rtfd/inner/file"] { try stage.write(path) }
        let run = gathered()
        defer { run.stop() }
        let (folder, package) = (try id("a", run), try id("d.rtfd", run))
        try run.queue.sync {
            stage.move("a", "moved")
            stage.move("d.rtfd", "moved.rtfd")
            #expect(unlink(stage.url("moved/b/goes").path) == 0)
            try stage.write("moved/b/c/new/file")
            try stage.write("moved.rtfd/other/file")
            run.needsLookAtAll = true
            run.look()
            #expect(try id("moved", run) == folder && id("moved.rtfd", run) == package)
        }
        let inside = ["b", "b/c", "b/c/stays", "b/c/new", "b/c/new/file"].map { "moved/" + $0 }
        #expect(
            known(to: run).subtracting(["moved.rtfd/inner", "moved.rtfd/other"])
                == Set(["moved", "moved.rtfd"] + inside)
        )
        let folders = run.state.withLock {
            $0.catalogue.folders.values.filter { $0.package == package }.count
        }
        #expect(folders == 3)
    }

    @Test("What is told of a folder in a package whose move is not told yet waits for it")
    func packageOnItsWay() throws {
        try stage.write("a.rtfd/inner/deep/file")
        let run = gathered()
        defer { run.stop() }
        let package = try id("a.rtfd", run)
        func folders() -> Set<Int> {
            run.state.withLock { state in
                Set(state.catalogue.folders.filter { $0.value.package == package }.keys)
            }
        }
        let before = folders()
        #expect(before.count == 3)
        let inner = try number(of: "a.rtfd/inner", run)
        run.queue.sync {
            stage.move("a.rtfd", "b.rtfd")
            run.heard([WatchEvent(kind: .attributesChanged, name: "deep", isDirectory: true)], in: inner)
            run.look()
            #expect(folders() == before)
            run.heard(move("a.rtfd", "b.rtfd"), in: Self.root)
            run.look()
            #expect(folders() == before)
        }
        #expect(try id("b.rtfd", run) == package)
    }

    // MARK: Watches

    @Test(
        "When the system gives no more watches all is looked at now and then, though nothing matches",
        arguments: [true, false]
    )
    func lastWatch(looksAtAll: Bool) throws {
        try stage.write("there/file")
        let run = gathered(NSPredicate(value: false))
        defer { run.stop() }
        #expect(run.queue.sync { !run.looksAtIntervals })
        if !looksAtAll { try stage.write("late/file") }
        let late = FilePath(stage.url(looksAtAll ? "there" : "late").path)
        RefusedCalls(["inotify_add_watch"], in: late, ENOSPC).during {
            run.queue.sync {
                run.needsLookAtAll = looksAtAll
                run.heard([WatchEvent(kind: .created, name: "late", isDirectory: true)], in: Self.root)
                run.look()
                #expect(run.looksAtIntervals)
            }
        }
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
                run.watches = [:]
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
