import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

@testable import DocumentFoundation

/// What is told of items while they come, change and go, and what stays the same then.
@Suite("Query updates", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct QueryUpdatesTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage() }

    /// Has something done whenever the query posts a notification, until what is returned is removed.
    private func at(
        _ name: Notification.Name,
        _ body: @escaping @Sendable (NSMetadataQuery) -> Void
    ) -> any NSObjectProtocol {
        let query = stage.query
        return NotificationCenter.default.addObserver(forName: name, object: query, queue: nil) { _ in
            body(query)
        }
    }

    @Test("While many go and others change every result is there to be asked for, and each end is told once")
    func removals() throws {
        let numbers = 0..<200
        for number in numbers { try stage.write("\(number)") }
        let observer = at(.NSMetadataQueryDidUpdate) { query in
            for index in 0..<query.resultCount { _ = query.result(at: index) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        stage.gather()
        for number in numbers {
            try stage.write("stays", "\(number)")
            try FileManager.default.removeItem(at: stage.url("\(number)"))
        }
        stage.wait("every end") { $0.flatMap(\.removed).count >= numbers.count }
        let removed = stage.updates.flatMap(\.removed).map { QueryStage.name($0) }
        #expect(removed.sorted() == numbers.map(String.init).sorted())
        #expect(stage.names() == ["stays"])
    }

    @Test(
        "What comes to a folder or leaves it changes the folder, and its place in the order",
        arguments: [true, false]
    )
    func folderDates(_ usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        for (name, age) in [("one", 2000.0), ("two", 1000.0)] {
            try stage.write("\(name)/file")
            let date = Date().addingTimeInterval(-age)
            try FileManager.default.setAttributes(
                [.modificationDate: date],
                ofItemAtPath: stage.url(name).path
            )
        }
        let key = NSMetadataItemFSNameKey
        stage.query.predicate = NSPredicate(format: "%K LIKE 'one' OR %K LIKE 'two'", key, key)
        stage.query.sortDescriptors = [
            NSSortDescriptor(key: NSMetadataItemFSContentChangeDateKey, ascending: false)
        ]
        stage.gather()
        #expect(stage.names() == ["two", "one"])
        try stage.write("one/another")
        stage.wait("the folder") { $0.flatMap(\.changed).contains { QueryStage.name($0) == "one" } }
        #expect(stage.names() == ["one", "two"])
        // The two are not changed in one tick of the kernel's clock.
        let (one, probe) = (try date(of: stage.url("one")), stage.url(".probe"))
        repeat { try Data().write(to: probe) } while try date(of: probe) <= one
        try FileManager.default.removeItem(at: stage.url("two/file"))
        stage.wait("the other folder") { $0.flatMap(\.changed).contains { QueryStage.name($0) == "two" } }
        #expect(stage.names() == ["two", "one"])
    }

    private func date(of url: URL) throws -> Date { try FileStamp(of: FilePath(url.path)).modificationDate }

    @Test("An item that was read while all was gathered is as it is then, whatever changed between")
    func progress() throws {
        for number in 0..<600 { try stage.write("d/\(number)") }
        // What blocks decide is found in parts.
        stage.query.predicate = NSPredicate { _, _ in true }
        let seen = Locked<[NSMetadataItem]>([])
        let isSeen = DispatchSemaphore(value: 0)
        let observer = at(.NSMetadataQueryGatheringProgress) { query in
            // Of the files, some and not all: the folder has been found before them.
            guard query.resultCount > 1, seen.withLock({ $0.isEmpty }) else { return }
            query.disableUpdates()
            let items = query.results.compactMap { $0 as? NSMetadataItem }
            for item in items { _ = item.value(forAttribute: NSMetadataItemFSSizeKey) }
            seen.withLock { $0 = items }
            isSeen.signal()
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        #expect(stage.use { $0.start() })
        #expect(isSeen.wait(timeout: .now() + 30) == .success)
        let item = try #require(seen.withLock { $0.first { QueryStage.name($0) != "d" } })
        try stage.write("d/" + QueryStage.name(item), "22")
        let run = try #require(stage.query.run)
        run.queue.sync {
            run.needsLookAtAll = true
            run.look()
        }
        // What is being decided last is before this on the query's queue.
        while run.state.withLock({ !$0.undecided.isEmpty }) { stage.use { _ in } }
        #expect(stage.use { $0.isGathering })
        stage.use { $0.enableUpdates() }
        stage.wait("the end") { $0.contains { $0.name == .NSMetadataQueryDidFinishGathering } }
        #expect(item.value(forAttribute: NSMetadataItemFSSizeKey) as? NSNumber == 2)
    }

    @Test(
        "Updates that are enabled more often than they were disabled are, and are disabled by the next call"
    )
    func enabledTooOften() throws {
        try stage.write("a.txt")
        let observer = at(.NSMetadataQueryDidFinishGathering) { $0.enableUpdates() }
        defer { NotificationCenter.default.removeObserver(observer) }
        stage.use { $0.enableUpdates() }
        stage.gather()
        try stage.write("b.txt")
        stage.wait("what is new") { !$0.flatMap(\.added).isEmpty }
        stage.use { query in
            for _ in 0..<3 { query.enableUpdates() }
            query.disableUpdates()
        }
        stage.clear()
        try stage.write("c.txt")
        let run = try #require(stage.query.run)
        run.queue.sync {
            run.needsLookAtAll = true
            run.look()
        }
        #expect(stage.names().sorted() == ["a.txt", "b.txt"] && stage.updates.isEmpty)
        stage.use { $0.enableUpdates() }
        stage.wait("what came meanwhile") { !$0.flatMap(\.added).isEmpty }
        #expect(stage.names().sorted() == ["a.txt", "b.txt", "c.txt"])
    }

    @Test("A query that is started anew tells, though updates were disabled before it was stopped")
    func disabledAtStop() throws {
        try stage.write("a.txt")
        let observer = at(.NSMetadataQueryDidFinishGathering) { query in
            query.disableUpdates()
            query.stop()
        }
        stage.gather()
        NotificationCenter.default.removeObserver(observer)
        stage.clear()
        stage.gather()
        try stage.write("b.txt")
        stage.wait("what is new") { $0.flatMap(\.added).map { QueryStage.name($0) } == ["b.txt"] }
        // One that runs anew for another predicate was started by nobody: what was disabled stays so.
        stage.use { query in
            query.disableUpdates()
            query.predicate = NSPredicate(format: "%K LIKE 'b*'", NSMetadataItemFSNameKey)
        }
        #expect(try #require(stage.query.run).state.withLock { $0.core.isDisabled })
        stage.clear()
        stage.use { $0.enableUpdates() }
        stage.wait("the gathering") { $0.contains { $0.name == .NSMetadataQueryDidFinishGathering } }
        #expect(stage.names() == ["b.txt"])
    }

    @Test("Updates that were disabled before it was started are enabled then")
    func disabledBeforeStart() throws {
        try stage.write("a.txt")
        let observer = at(.NSMetadataQueryDidFinishGathering) { $0.enableUpdates() }
        defer { NotificationCenter.default.removeObserver(observer) }
        stage.use { $0.disableUpdates() }
        stage.gather()
        #expect(stage.names() == ["a.txt"])
    }

    @Test("What an app cancels on the query's queue is told all the same")
    func cancelled() throws {
        stage.gather()
        let (isBusy, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for name in ["a.txt", "b.txt"] {
            stage.clear()
            stage.queue.addOperation {
                isBusy.signal()
                goesOn.wait()
            }
            #expect(isBusy.wait(timeout: .now() + 30) == .success)
            try stage.write(name)
            let run = try #require(stage.query.run)
            run.queue.sync {
                run.needsLookAtAll = true
                run.look()
            }
            // What is to be told waits for its turn.
            #expect(run.state.withLock { $0.isToBeTold })
            stage.queue.cancelAllOperations()
            goesOn.signal()
            stage.wait("what was cancelled") { $0.flatMap(\.added).map { QueryStage.name($0) } == [name] }
        }
    }

    @Test("On a queue that runs several operations at once notifications come in order, one after another")
    func concurrentQueue() throws {
        stage.queue.maxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount
        let (inside, insideMax) = (Locked(0), Locked(0))
        let names: [Notification.Name] = [
            .NSMetadataQueryDidStartGathering, .NSMetadataQueryGatheringProgress,
            .NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate,
        ]
        let observers = names.map { name in
            at(name) { query in
                let count = inside.withLock { count in
                    count += 1
                    return count
                }
                insideMax.withLock { $0 = max($0, count) }
                // Takes its time, and would not bear another beside it.
                for case let item as NSMetadataItem in query.results {
                    _ = item.value(forAttribute: NSMetadataItemFSSizeKey)
                }
                inside.withLock { $0 -= 1 }
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        for number in 0..<100 { try stage.write("before-\(number)") }
        #expect(stage.query.start())
        for number in 0..<300 { try stage.write("after-\(number)") }
        let run = try #require(stage.query.run)
        stage.wait("all of them") { posted in
            posted.contains { $0.name == .NSMetadataQueryDidFinishGathering }
                && run.state.withLock { $0.core.shown.count } == 400
        }
        #expect(insideMax.withLock { $0 } == 1)
        let order = stage.all.map(\.name).filter { $0 != .NSMetadataQueryGatheringProgress }
        #expect(order.first == .NSMetadataQueryDidStartGathering)
        #expect(order.dropFirst().first == .NSMetadataQueryDidFinishGathering)
        #expect(order.dropFirst(2).allSatisfy { $0 == .NSMetadataQueryDidUpdate })
        stage.query.stop()
    }

    // MARK: Packages

    @Test(
        "A package that is written anew as a whole stays the same item, and so does a file in its place",
        arguments: [true, false]
    )
    func packages(_ usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        for name in ["p.rtfd/TXT.rtf", "p.rtfd/inner/a"] { try stage.write(name) }
        stage.gather()
        let item = try #require(stage.use { $0.results.first as? NSMetadataItem })
        func size() -> NSNumber? { item.value(forAttribute: NSMetadataItemFSSizeKey) as? NSNumber }
        // From now on it is known, and asked of the disk only after an update.
        #expect(size() == 2)
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        func file(_ count: Int) -> FileWrapper {
            FileWrapper(regularFileWithContents: Data(text(count).utf8))
        }
        func folder(_ count: Int) -> FileWrapper {
            FileWrapper(directoryWithFileWrappers: ["TXT.rtf": file(count)])
        }
        var expected = 10
        for wrapper in [folder(10), file(30), folder(50), folder(70)] {
            try wrapper.write(to: stage.url("p.rtfd"), originalContentsURL: nil)
            stage.wait("the other one, of \(expected)") { _ in size()?.intValue == expected }
            expected += 10
            let member = wrapper.isDirectory ? "p.rtfd/TXT.rtf" : "p.rtfd"
            try stage.write(member, text(expected))
            stage.wait("what is written into it, \(expected)") { _ in size()?.intValue == expected }
            expected += 10
        }
        #expect(stage.updates.allSatisfy { $0.added.isEmpty && $0.removed.isEmpty })
        #expect(stage.updates.flatMap(\.changed).allSatisfy { $0 === item })
        #expect(stage.use { $0.resultCount == 1 && $0.index(ofResult: item) == 0 })
    }

    // MARK: Names

    @Test("Names that only look alike are two items, each of which comes and goes", arguments: [true, false])
    func lookAlikes(_ usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        let (letter, mark) = ("\u{E9}.txt", "e\u{301}.txt")
        func make(_ name: String) {
            let file = open(stage.folder.path + "/" + name, O_CREAT | O_WRONLY, 0o600)
            #expect(file >= 0)
            close(file)
        }
        func bytes(_ items: [Any]) -> Set<[UInt8]> { Set(items.map { Array(QueryStage.name($0).utf8) }) }
        make(letter)
        make(mark)
        stage.gather()
        let seen = stage.use { query in
            var seen: [Any] = []
            query.enumerateResults { result, _, _ in seen.append(result) }
            return bytes(seen)
        }
        #expect(seen == [Array(letter.utf8), Array(mark.utf8)])
        #expect(stage.use { $0.resultCount } == 2)
        #expect(unlink(stage.folder.path + "/" + mark) == 0)
        stage.wait("the end of one") { !$0.flatMap(\.removed).isEmpty }
        #expect(bytes(stage.updates.flatMap(\.removed)) == [Array(mark.utf8)])
        #expect(stage.use { bytes($0.results) } == [Array(letter.utf8)])
        make(mark)
        stage.wait("the other again") { !$0.flatMap(\.added).isEmpty }
        #expect(stage.use { $0.resultCount } == 2)
        #expect(stage.updates.allSatisfy { $0.removed.isEmpty || $0.added.isEmpty })
    }

    @Test("Of items to search that only look alike each is found")
    func searchedLookAlikes() throws {
        let names = ["\u{E9}.txt", "e\u{301}.txt"]
        let paths = names.map { FilePath(stage.folder.path + "/" + $0) }
        let searched = SearchedItems(paths, ItemTypes())
        #expect(searched.names(in: FilePath(stage.folder.path)) == Set(names.map { ItemName($0) }))
        #expect(Set(names.map { ItemName($0) }).count == 2 && Set(names).count == 1)
    }

    // MARK: Running

    @Test("Attributes for groups and value lists, changed while a query runs, have it run anew")
    func restarts() throws {
        for name in ["a.txt", "b.png"] { try stage.write(name) }
        stage.gather()
        let changes: [(NSMetadataQuery) -> Void] = [
            { $0.groupingAttributes = [NSMetadataItemContentTypeKey] },
            { $0.valueListAttributes = [NSMetadataItemFSSizeKey] },
        ]
        for change in changes {
            stage.clear()
            stage.use(change)
            stage.wait("all anew") { $0.contains { $0.name == .NSMetadataQueryDidFinishGathering } }
            #expect(stage.all.first?.name == .NSMetadataQueryDidStartGathering)
        }
        let groups = stage.use { $0.groupedResults.map { $0.value as? String } }
        #expect(groups == ["public.plain-text", "public.png"])
        let counts = stage.use { $0.valueLists[NSMetadataItemFSSizeKey]?.map(\.count) }
        #expect(counts == [2])
    }

    @Test("Without a predicate a query that runs stops, and keeps what it has found")
    func noPredicate() throws {
        try stage.write("a.txt")
        stage.gather()
        stage.use { $0.predicate = nil }
        #expect(stage.use { $0.isStopped && $0.resultCount == 1 })
        #expect(stage.use { !$0.start() })
        // Nor does another change have it run.
        stage.use { $0.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)] }
        #expect(stage.use { $0.isStopped })
    }

    @Test("Who stops a query when he is told of its start is told nothing more")
    func stopsAtStart() throws {
        try stage.write("a.txt")
        let observer = at(.NSMetadataQueryDidStartGathering) { $0.stop() }
        defer { NotificationCenter.default.removeObserver(observer) }
        stage.queue.isSuspended = true
        #expect(stage.query.start())
        // Then all has been gathered before anything is told.
        try #require(stage.query.run).queue.sync {}
        stage.queue.isSuspended = false
        #expect(stage.use { $0.isStopped })
        #expect(stage.all.map(\.name) == [.NSMetadataQueryDidStartGathering])
    }
}
