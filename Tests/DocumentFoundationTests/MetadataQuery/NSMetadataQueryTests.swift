import Foundation
import Locks
import SeededNumbers
import TestThreads
import Testing

@testable import DocumentFoundation
@testable import FileSystem

/// Queries over real folders.
@Suite("NSMetadataQuery", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct NSMetadataQueryTests {
    private typealias Stage = QueryStage

    private let stage: Stage

    init() throws { stage = try Stage() }

    private func names(_ items: [NSMetadataItem]) -> Set<String> { Set(items.map { Stage.name($0) }) }

    // MARK: Gathering

    @Test("Gathers files, folders and packages below the scope, hidden ones and packages' members left out")
    func gathers() throws {
        for name in ["a.txt", "d/b.txt", "d/e/c.txt", ".hidden", "d/.h/x.txt", "pack.rtfd/TXT.rtf"] {
            try stage.write(name)
        }
        stage.gather()
        #expect(Set(stage.names()) == ["a.txt", "d", "b.txt", "e", "c.txt", "pack.rtfd"])
        let order = stage.all.map(\.name)
        #expect(order.first == .NSMetadataQueryDidStartGathering)
        #expect(order.last == .NSMetadataQueryDidFinishGathering)
        #expect(stage.use { $0.isStarted && !$0.isGathering && !$0.isStopped })
        #expect(stage.use { !$0.start() })
    }

    @Test("Items have names, places, sizes, dates and types")
    func attributes() throws {
        try stage.write("a.txt", "12345")
        try stage.write("pack.rtfd/TXT.rtf", "123")
        try stage.write("pack.rtfd/inner/more", "1234")
        stage.query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        stage.gather()
        let items = stage.use { $0.results.compactMap { $0 as? NSMetadataItem } }
        let (file, package) = (items.first, items.dropFirst().first)
        let item = try #require(file)
        #expect(item.value(forAttribute: NSMetadataItemPathKey) as? String == stage.url("a.txt").path)
        #expect((item.value(forAttribute: NSMetadataItemURLKey) as? URL)?.path == stage.url("a.txt").path)
        #expect(item.value(forAttribute: NSMetadataItemFSSizeKey) as? NSNumber == 5)
        #expect(item.value(forAttribute: NSMetadataItemContentTypeKey) as? String == "public.plain-text")
        let tree = item.value(forAttribute: NSMetadataItemContentTypeTreeKey) as? [String]
        #expect(tree?.contains("public.data") == true)
        let changed = item.value(forAttribute: NSMetadataItemFSContentChangeDateKey) as? Date
        #expect(try #require(changed).timeIntervalSinceNow > -600)
        #expect(item.value(forAttribute: "kMDItemAlbum") == nil)
        #expect(item.attributes.contains(NSMetadataItemKindKey))
        #expect(item.values(forAttributes: [NSMetadataItemFSNameKey, "none"])?.count == 1)
        #expect(package?.value(forAttribute: NSMetadataItemFSSizeKey) as? NSNumber == 7)
        let alone = try #require(NSMetadataItem(url: stage.url("pack.rtfd")))
        #expect(alone.value(forAttribute: NSMetadataItemContentTypeKey) as? String == "com.apple.rtfd")
        #expect(NSMetadataItem(url: stage.url("missing")) == nil)
    }

    /// An item that has a name of its own, as apps' tests make them.
    private final class NamedItem: NSMetadataItem, @unchecked Sendable {
        // Sendable because nothing in it changes.
        private let name: String

        init(name: String) {
            self.name = name
            super.init()
        }

        override func value(forAttribute key: String) -> Any? {
            key == NSMetadataItemFSNameKey ? name : super.value(forAttribute: key)
        }
    }

    @Test("An item that is made has no values; predicates ask for those that a derived class gives")
    func madeItems() {
        let item = NSMetadataItem()
        #expect(item.value(forAttribute: NSMetadataItemFSNameKey) == nil && item.attributes.isEmpty)
        #expect(item.values(forAttributes: [NSMetadataItemFSNameKey])?.isEmpty == true)
        let named = NamedItem(name: "a.txt")
        #expect(named.values(forAttributes: [NSMetadataItemFSNameKey])?.count == 1)
        let predicate = NSPredicate(format: "%K LIKE '*.txt'", NSMetadataItemFSNameKey)
        #expect(predicate.evaluate(with: named) && !predicate.evaluate(with: item))
        #expect(!predicate.evaluate(with: NamedItem(name: "a.png")))
        let path = NSPredicate(format: "%K.pathExtension == 'txt'", NSMetadataItemFSNameKey)
        #expect(path.evaluate(with: named) && !path.evaluate(with: item))
    }

    @Test("Predicates choose by name, size and type, sort descriptors order")
    func chooses() throws {
        for (name, size) in [("a.txt", 1), ("b.txt", 30), ("c.png", 20), ("d.jpg", 10)] {
            try stage.write(name, String(repeating: "x", count: size))
        }
        stage.query.predicate = NSPredicate(format: "%K > 5", NSMetadataItemFSSizeKey)
        stage.query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSSizeKey, ascending: false)]
        stage.gather()
        #expect(stage.names() == ["b.txt", "c.png", "d.jpg"])
        stage.clear()
        stage.use {
            $0.predicate = NSPredicate(format: "%K == 'public.image'", NSMetadataItemContentTypeTreeKey)
        }
        stage.wait("the new predicate") { $0.contains { $0.name == .NSMetadataQueryDidFinishGathering } }
        #expect(stage.names() == ["c.png", "d.jpg"])
    }

    @Test("Scopes are URLs, paths and the home folder, each searched once; without any it is the home folder")
    func scopes() async throws {
        try stage.write("d/a.txt")
        let home = BaseDirectories(environment: ProcessInfo.processInfo.environment).home
        let resolvedHome = (try? home.resolved()) ?? home
        let query = stage.query
        query.searchScopes = [stage.url("d"), stage.folder.path, stage.folder]
        #expect(query.roots() == [FilePath(stage.folder.path)])
        query.searchScopes = [NSMetadataQueryUserHomeScope]
        #expect(query.roots() == [resolvedHome])
        query.searchScopes = []
        #expect(query.roots() == [resolvedHome])
        query.searchScopes = [stage.url("d") as NSURL]
        stage.gather()
        #expect(stage.names() == ["a.txt"])
        await #expect(processExitsWith: .failure) {
            let query = NSMetadataQuery()
            query.predicate = NSPredicate(value: true)
            query.searchScopes = [5]
            query.start()
        }
    }

    @Test("A result of another query is at no place of this one")
    func otherQueries() throws {
        try stage.write("a.txt")
        let other = try Stage()
        try other.write("b.txt")
        stage.gather()
        other.gather()
        let foreign = other.use { $0.results }
        #expect(stage.use { $0.index(ofResult: foreign[0]) } == NSNotFound)
        #expect(other.use { $0.index(ofResult: foreign[0]) } == 0)
        #expect(stage.use { !$0.isStopped })
    }

    // MARK: Updates

    @Test("Tells what is new, what has changed and what is gone", arguments: [true, false])
    func updates(_ usesPrivilege: Bool) throws {
        let stage = try Stage(usesPrivilege: usesPrivilege)
        for name in ["stays.txt", "changes.txt", "goes.txt", "pack.rtfd/TXT.rtf", "d/x.txt"] {
            try stage.write(name)
        }
        stage.gather()
        try stage.write("new.txt")
        try stage.write("d/deep/deeper/newer.txt")
        stage.wait("the new ones") { posted in
            names(posted.flatMap(\.added)).isSuperset(of: ["new.txt", "deep", "deeper", "newer.txt"])
        }
        let item = stage.use { query in
            query.results.first { Stage.name($0) == "changes.txt" } as? NSMetadataItem
        }
        #expect(item?.value(forAttribute: NSMetadataItemFSSizeKey) as? NSNumber == 1)
        try stage.write("changes.txt", "22")
        stage.wait("the change") { names($0.flatMap(\.changed)).contains("changes.txt") }
        #expect(item?.value(forAttribute: NSMetadataItemFSSizeKey) as? NSNumber == 2)
        try stage.write("pack.rtfd/TXT.rtf", "333")
        stage.wait("the package's change") { names($0.flatMap(\.changed)).contains("pack.rtfd") }
        #expect(unlink(stage.url("goes.txt").path) == 0)
        try FileManager.default.removeItem(at: stage.url("d"))
        stage.wait("the end") { posted in
            names(posted.flatMap(\.removed)).isSuperset(of: [
                "goes.txt", "d", "x.txt", "deep", "deeper", "newer.txt",
            ])
        }
        #expect(Set(stage.names()) == ["stays.txt", "changes.txt", "pack.rtfd", "new.txt"])
    }

    @Test(
        "A renamed or moved item stays the same item, and so does what is in a renamed folder",
        arguments: [true, false]
    )
    func renames(_ usesPrivilege: Bool) throws {
        let stage = try Stage(usesPrivilege: usesPrivilege)
        for name in ["a.txt", "d/b.txt", "other/z"] { try stage.write(name) }
        stage.gather()
        let before = stage.use { query in query.results.compactMap { $0 as? NSMetadataItem } }
        func item(_ name: String) throws -> NSMetadataItem {
            try #require(before.first { Stage.name($0) == name })
        }
        let (file, folder, inner) = (try item("a.txt"), try item("d"), try item("b.txt"))
        stage.move("a.txt", "other/c.txt")
        stage.move("d", "e")
        stage.wait("the moves") { posted in
            let changed = posted.flatMap(\.changed)
            return [file, folder, inner].allSatisfy { item in changed.contains { $0 === item } }
        }
        #expect(stage.updates.allSatisfy { $0.added.isEmpty && $0.removed.isEmpty })
        #expect(file.value(forAttribute: NSMetadataItemPathKey) as? String == stage.url("other/c.txt").path)
        #expect(inner.value(forAttribute: NSMetadataItemPathKey) as? String == stage.url("e/b.txt").path)
        #expect(stage.use { $0.index(ofResult: inner) } != NSNotFound)
        try stage.write("e/later.txt")
        stage.wait("what is new in the moved folder") { posted in
            posted.flatMap(\.added).contains {
                $0.value(forAttribute: NSMetadataItemPathKey) as? String == stage.url("e/later.txt").path
            }
        }
    }

    @Test("A change that makes an item match or not adds or removes it")
    func matching() throws {
        try stage.write("a.txt", "12345")
        stage.query.predicate = NSPredicate(format: "%K > 3", NSMetadataItemFSSizeKey)
        stage.gather()
        #expect(stage.names() == ["a.txt"])
        try stage.write("a.txt", "1")
        stage.wait("its end") { names($0.flatMap(\.removed)) == ["a.txt"] }
        #expect(stage.names().isEmpty)
        try stage.write("a.txt", "123456")
        stage.wait("its return") { names($0.flatMap(\.added)) == ["a.txt"] }
    }

    @Test("While updates are disabled nothing is told; afterwards all at once")
    func disabled() throws {
        try stage.write("a.txt")
        stage.gather()
        stage.use { query in
            query.disableUpdates()
            query.disableUpdates()
        }
        try stage.write("b.txt")
        try stage.write("c.txt")
        // Another query sees what this one may not tell.
        let witness = try Stage()
        witness.query.searchScopes = [stage.folder]
        witness.gather()
        #expect(Set(witness.names()) == ["a.txt", "b.txt", "c.txt"])
        stage.use { $0.enableUpdates() }
        #expect(stage.names() == ["a.txt"])
        #expect(stage.updates.isEmpty)
        stage.use { $0.enableUpdates() }
        stage.wait("what was held back") { names($0.flatMap(\.added)) == ["b.txt", "c.txt"] }
    }

    @Test("Ten thousand changes are a few notifications")
    func burst() throws {
        stage.query.notificationBatchingInterval = 0.2
        try stage.write("d/first")
        stage.gather()
        let start = DispatchTime.now()
        for number in 0..<10_000 {
            let file = open(stage.url("d/\(number)").path, O_CREAT | O_WRONLY, 0o600)
            #expect(file >= 0)
            close(file)
        }
        stage.wait("all of them") { names($0.flatMap(\.added)).count == 10_000 }
        let count = stage.updates.count
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        #expect(Double(count) <= 2 + seconds / 0.2, "\(count) notifications in \(seconds) s")
        #expect(stage.use { $0.resultCount } == 10_002)
    }

    @Test("After an overflow all is looked at again: new, changed, moved, gone")
    func overflow() throws {
        for name in ["goes", "changes", "moves", "d/e/inner", "p.rtfd/TXT.rtf"] { try stage.write(name) }
        stage.gather()
        let (isBlocked, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Locked(true)
        try stage.write(".busy/0")
        let busy = FilePath(stage.url(".busy").path)
        let block = try stage.events.watch(busy) { _ in
            let blocks = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            guard blocks else { return }
            isBlocked.signal()
            mayGoOn.wait()
        }
        try stage.write(".busy/begin")
        isBlocked.wait()
        let limit =
            Int(
                try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            ) ?? 16_384
        for number in 0...limit {
            let file = open(stage.url(".busy/\(number)").path, O_CREAT | O_WRONLY, 0o600)
            close(file)
        }
        try stage.write("new")
        try stage.write("changes", "22")
        // As what comes from another device: it was modified long ago.
        try stage.write("p.rtfd/TXT.rtf", "22")
        for name in ["p.rtfd/TXT.rtf", "p.rtfd"] {
            let date = Date(timeIntervalSince1970: 1_000_000_000)
            let attributes = [FileAttributeKey.modificationDate: date]
            try FileManager.default.setAttributes(attributes, ofItemAtPath: stage.url(name).path)
        }
        stage.move("moves", "d/moved")
        try stage.write("d/e/f/newer")
        #expect(unlink(stage.url("goes").path) == 0)
        mayGoOn.signal()
        stage.wait("everything") { posted in
            names(posted.flatMap(\.added)).isSuperset(of: ["new", "f", "newer"])
                && names(posted.flatMap(\.removed)).contains("goes")
                && names(posted.flatMap(\.changed)).isSuperset(of: ["changes", "moved", "p.rtfd"])
        }
        #expect(Set(stage.names()) == ["new", "changes", "d", "moved", "e", "inner", "f", "newer", "p.rtfd"])
        withExtendedLifetime(block) {}
    }

    @Test("Whatever others do, a standing query comes to what is on the disk", arguments: [true, false])
    func anything(_ usesPrivilege: Bool) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SplitMix64(seed: seed)
        let stage = try Stage(usesPrivilege: usesPrivilege)
        stage.gather()
        func place() -> String {
            let names = ["a", "b", "c.txt", "d", "e"]
            return (0...numbers.below(3)).map { _ in names[numbers.below(names.count)] }.joined(
                separator: "/"
            )
        }
        for round in 0..<10 {
            for _ in 0..<20 {
                let (source, target) = (stage.url(place()), stage.url(place()))
                // What cannot be done is not done: the disk says what has become of it.
                switch numbers.below(6) {
                case 0:
                    try? FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
                case 1: try? FileManager.default.removeItem(at: source)
                case 2, 3: _ = rename(source.path, target.path)
                default: try? Data("\(round)".utf8).write(to: source)
                }
            }
            let wanted = Set(
                FileManager.default.enumerator(atPath: stage.folder.path)?.compactMap { $0 as? String } ?? []
            )
            stage.wait("what is on the disk, seed \(seed), round \(round)") { _ in
                let paths = stage.use { query in
                    query.results.compactMap {
                        ($0 as? NSMetadataItem)?.value(forAttribute: NSMetadataItemPathKey) as? String
                    }
                }
                return Set(paths.map { String($0.dropFirst(stage.folder.path.count + 1)) }) == wanted
                    && paths.count == wanted.count
            }
        }
    }

    // MARK: Results

    @Test("Groups, value lists and the enumeration give results by their values")
    func groups() throws {
        for name in ["a.txt", "b.txt", "c.png"] { try stage.write(name) }
        stage.query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: false)]
        stage.query.groupingAttributes = [NSMetadataItemContentTypeKey, NSMetadataItemFSSizeKey]
        stage.query.valueListAttributes = [NSMetadataItemContentTypeKey]
        stage.gather()
        stage.use { query in
            let groups = query.groupedResults
            #expect(groups.map { $0.value as? String } == ["public.plain-text", "public.png"])
            #expect(groups[0].results.map { Stage.name($0) } == ["b.txt", "a.txt"])
            #expect(groups[0].resultCount == 2)
            #expect(Stage.name(groups[0].result(at: 1)) == "a.txt")
            #expect(groups[0].subgroups?.first?.value as? NSNumber == 1)
            #expect(groups[0].subgroups?.first?.subgroups == nil)
            let list = query.valueLists[NSMetadataItemContentTypeKey] ?? []
            #expect(list.map(\.count) == [2, 1])
            #expect(list.map { $0.value as? String } == ["public.plain-text", "public.png"])
            var seen: [String] = []
            query.enumerateResults { result, index, stops in
                seen.append("\(index) \(Stage.name(result))")
                if index == 1 { stops.pointee = true }
            }
            #expect(seen == ["0 c.png", "1 b.txt"])
            #expect(query.value(ofAttribute: NSMetadataItemFSNameKey, forResultAt: 2) as? String == "a.txt")
        }
    }

    private final class Replacer: NSObject, NSMetadataQueryDelegate {
        func metadataQuery(
            _ query: NSMetadataQuery,
            replacementObjectForResultObject result: NSMetadataItem
        ) -> Any {
            "<" + Stage.name(result) + ">"
        }

        func metadataQuery(
            _ query: NSMetadataQuery,
            replacementValueForAttribute attrName: String,
            value attrValue: Any
        ) -> Any { "<\(attrValue)>" }
    }

    @Test("The delegate puts other objects and values in place")
    func delegate() throws {
        try stage.write("a.txt")
        let replacer = Replacer()
        stage.query.delegate = replacer
        stage.query.valueListAttributes = [NSMetadataItemFSNameKey]
        stage.gather()
        stage.use { query in
            #expect(query.result(at: 0) as? String == "<a.txt>")
            // What the delegate gives may be no object, and is found all the same.
            #expect(query.index(ofResult: "<a.txt>") == 0 && query.index(ofResult: query.results[0]) == 0)
            #expect(query.index(ofResult: "<b.txt>") == NSNotFound)
            #expect(query.valueLists[NSMetadataItemFSNameKey]?.first?.value as? String == "<a.txt>")
        }
        // Updates have them, too.
        func told(_ key: String) -> Set<String> { Set(stage.updates.flatMap { $0.texts[key] ?? [] }) }
        try stage.write("b.txt")
        try stage.write("a.txt", "changed")
        stage.wait("what is new") { _ in told(NSMetadataQueryUpdateAddedItemsKey) == ["<b.txt>"] }
        stage.wait("what has changed") { _ in told(NSMetadataQueryUpdateChangedItemsKey).contains("<a.txt>") }
        try FileManager.default.removeItem(at: stage.url("a.txt"))
        stage.wait("what is gone") { _ in told(NSMetadataQueryUpdateRemovedItemsKey) == ["<a.txt>"] }
        #expect(stage.updates.allSatisfy { $0.added.isEmpty && $0.changed.isEmpty && $0.removed.isEmpty })
    }

    @Test("A stopped query keeps its results and tells nothing; started again it gathers anew")
    func stopped() throws {
        try stage.write("a.txt")
        stage.gather()
        stage.use { $0.stop() }
        #expect(stage.use { $0.isStopped && $0.resultCount == 1 })
        try stage.write("b.txt")
        stage.clear()
        stage.gather()
        #expect(Set(stage.names()) == ["a.txt", "b.txt"])
        #expect(stage.updates.isEmpty)
    }

    @Test("Without a predicate it does not start")
    func predicates() {
        stage.query.predicate = nil
        #expect(!stage.query.start())
    }
}
