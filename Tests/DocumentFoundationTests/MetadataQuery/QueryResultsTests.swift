import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

@testable import DocumentFoundation

/// What queries find by the formats that apps write, and how results stand in their order and groups.
@Suite("Query results", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct QueryResultsTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage() }

    private func found(_ predicate: NSPredicate) -> [String] {
        stage.use { $0.predicate = predicate }
        stage.clear()
        stage.gather()
        defer { stage.use { $0.stop() } }
        return stage.names()
    }

    @Test("Each operator chooses what it says, of names, places, types, sizes and dates")
    func operators() throws {
        for (name, size) in [("Alpha.txt", 10), ("beta.txt", 20), ("d/Ábc.png", 30), ("d/gamma.jpg", 40)] {
            try stage.write(name, String(repeating: "x", count: size))
        }
        let (name, path, tree) = (
            NSMetadataItemFSNameKey, NSMetadataItemPathKey, NSMetadataItemContentTypeTreeKey
        )
        let size = NSMetadataItemFSSizeKey
        let folder = stage.url("d").path
        let all = ["Alpha.txt", "beta.txt", "d", "gamma.jpg", "Ábc.png"]
        let rows: [(String, [Any], [String])] = [
            ("%K LIKE '*'", [name], all),
            ("%K like '*.txt'", [name], ["Alpha.txt", "beta.txt"]),
            ("%K LIKE[c] 'alpha.*'", [name], ["Alpha.txt"]),
            ("%K LIKE '?????.jpg'", [name], ["gamma.jpg"]),
            ("%K MATCHES '[a-z]+[.](jpg|txt)'", [name], ["beta.txt", "gamma.jpg"]),
            ("%K BEGINSWITH %@", [path, folder + "/"], ["gamma.jpg", "Ábc.png"]),
            ("%K BEGINSWITH[cd] 'a'", [name], ["Alpha.txt", "Ábc.png"]),
            ("%K ENDSWITH '.png'", [name], ["Ábc.png"]),
            ("%K CONTAINS[cd] 'AB'", [name], ["Ábc.png"]),
            ("%K CONTAINS 'amm'", [name], ["gamma.jpg"]),
            ("%K == %@", [name, "beta.txt"], ["beta.txt"]),
            ("%K = 'd'", [name], ["d"]),
            ("%K != 'd'", [name], all.filter { $0 != "d" }),
            ("%K == 'public.image'", [tree], ["gamma.jpg", "Ábc.png"]),
            ("ANY %K == 'public.text'", [tree], ["Alpha.txt", "beta.txt"]),
            ("NONE %K == 'public.data'", [tree], ["d"]),
            ("ALL %K LIKE '*.*'", [tree], all),
            ("%K IN %@", [name, ["beta.txt", "d", "none"]], ["beta.txt", "d"]),
            ("%K IN {'gamma.jpg'}", [name], ["gamma.jpg"]),
            ("%K < 20", [size], ["Alpha.txt"]), ("%K <= 20", [size], ["Alpha.txt", "beta.txt"]),
            ("%K > 30", [size], ["gamma.jpg"]), ("%K >= 30", [size], ["gamma.jpg", "Ábc.png"]),
            ("%K BETWEEN {15, 35}", [size], ["beta.txt", "Ábc.png"]),
            ("%K == NULL", [size], ["d"]),
            ("%K > %@", [NSMetadataItemFSContentChangeDateKey, Date.distantPast], all),
            ("%K < %@", [NSMetadataItemFSCreationDateKey, Date.distantPast], []),
            ("%K == %@", [NSMetadataItemURLKey, stage.url("beta.txt")], ["beta.txt"]),
            ("%K LIKE '*.txt' AND %K > 15", [name, size], ["beta.txt"]),
            ("%K LIKE '*.txt' && NOT %K > 15", [name, size], ["Alpha.txt"]),
            ("%K == 'd' OR %K == 40", [name, size], ["d", "gamma.jpg"]),
            ("%K == 'd' || !(%K == 'd')", [name, name], all),
            ("TRUEPREDICATE", [], all), ("FALSEPREDICATE", [], []),
        ]
        stage.query.sortDescriptors = [NSSortDescriptor(key: name, ascending: true)]
        for (format, arguments, wanted) in rows {
            #expect(found(NSPredicate(format: format, argumentArray: arguments)) == wanted, "\(format)")
        }
        #expect(
            PredicateRelation.allCases.allSatisfy { relation in
                rows.contains { $0.0.uppercased().contains(relation.rawValue) }
            }
        )
    }

    @Test("Results keep their order as values change: by several keys, in both directions")
    func sorting() throws {
        for (name, text) in [("a.txt", "1"), ("b.txt", "22"), ("c.txt", "22"), ("d.txt", "333")] {
            try stage.write(name, text)
        }
        stage.query.sortDescriptors = [
            NSSortDescriptor(key: NSMetadataItemFSSizeKey, ascending: false),
            NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true),
        ]
        stage.gather()
        #expect(stage.names() == ["d.txt", "b.txt", "c.txt", "a.txt"])
        try stage.write("a.txt", "4444")
        stage.wait("the larger one") { $0.flatMap(\.changed).contains { QueryStage.name($0) == "a.txt" } }
        #expect(stage.names() == ["a.txt", "d.txt", "b.txt", "c.txt"])
        try stage.write("bb.txt", "22")
        // A file that is just being written is seen empty first.
        stage.wait("the new one") {
            !$0.flatMap(\.added).isEmpty
                && stage.names() == ["a.txt", "d.txt", "b.txt", "bb.txt", "c.txt"]
        }
        stage.use { $0.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: false)] }
        stage.wait("the other order") {
            $0.last?.name == .NSMetadataQueryDidFinishGathering
                && stage.names() == ["d.txt", "c.txt", "bb.txt", "b.txt", "a.txt"]
        }
    }

    @Test("Groups in groups, value lists and their counts follow what changes")
    func grouping() throws {
        for (name, text) in [("a.txt", "1"), ("b.txt", "22"), ("c.png", "22"), ("d/e.png", "22")] {
            try stage.write(name, text)
        }
        stage.query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        stage.query.groupingAttributes = [
            NSMetadataItemContentTypeKey, NSMetadataItemFSSizeKey, NSMetadataItemFSNameKey,
        ]
        stage.query.valueListAttributes = [NSMetadataItemFSSizeKey, NSMetadataItemContentTypeTreeKey]
        func tree() -> [String] {
            stage.use { query in
                func lines(_ groups: [NSMetadataQueryResultGroup], _ depth: Int) -> [String] {
                    groups.flatMap { group in
                        ["\(String(repeating: " ", count: depth))\(group.value) \(group.resultCount)"]
                            + lines(group.subgroups ?? [], depth + 1)
                    }
                }
                return lines(query.groupedResults, 0)
            }
        }
        stage.gather()
        let images = ["public.png 2", " 2 2", "  c.png 1", "  e.png 1"]
        #expect(
            tree() == [
                "public.folder 1", " <null> 1", "  d 1", "public.plain-text 2", " 1 1", "  a.txt 1", " 2 1",
                "  b.txt 1",
            ] + images
        )
        let attributes = stage.use { query in
            var attributes: [String] = []
            var group = query.groupedResults.first
            while let current = group {
                attributes.append(current.attribute)
                group = current.subgroups?.first
            }
            return attributes
        }
        #expect(attributes == stage.query.groupingAttributes)
        try stage.write("a.txt", "22")
        stage.wait("the change") { !$0.flatMap(\.changed).isEmpty && tree().contains(" 2 2") }
        #expect(
            tree() == [
                "public.folder 1", " <null> 1", "  d 1", "public.plain-text 2", " 2 2", "  a.txt 1",
                "  b.txt 1",
            ]
                + images
        )
        stage.use { query in
            let sizes = query.valueLists[NSMetadataItemFSSizeKey] ?? []
            #expect(sizes.map(\.count) == [1, 4])
            #expect(sizes.first?.value == nil)
            #expect(sizes.last?.value as? NSNumber == 2)
            #expect(sizes.allSatisfy { $0.attribute == NSMetadataItemFSSizeKey })
            let types = query.valueLists[NSMetadataItemContentTypeTreeKey] ?? []
            #expect(types.first { $0.value as? String == "public.image" }?.count == 2)
            #expect(types.first { $0.value as? String == "public.text" }?.count == 2)
            query.groupingAttributes = nil
            query.valueListAttributes = []
            #expect(query.groupedResults.isEmpty && query.valueLists.isEmpty)
        }
    }

    @Test(
        "Restricted to some items a query finds these and nothing beside, above or in them",
        arguments: [true, false]
    )
    func searchItems(_ usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        for name in ["a.txt", "b.txt", "d/a.txt", "d/e/c.txt", "d/e/other.txt", "f/in.txt", "p.rtfd/TXT.rtf"]
        {
            try stage.write(name)
        }
        let item = try #require(NSMetadataItem(url: stage.url("p.rtfd")))
        stage.query.searchItems = [
            stage.url("a.txt"), stage.url("d/e/c.txt"), stage.url("f") as NSURL, item, stage.url("later.txt"),
        ]
        stage.gather()
        func paths() -> Set<String> {
            let paths = stage.use { query in
                query.results.compactMap {
                    ($0 as? NSMetadataItem)?.value(forAttribute: NSMetadataItemPathKey) as? String
                }
            }
            return Set(paths.map { String($0.dropFirst(stage.folder.path.count + 1)) })
        }
        #expect(paths() == ["a.txt", "d/e/c.txt", "f", "p.rtfd"])
        for name in ["beside.txt", "d/e/new.txt", "f/new.txt", "later.txt"] { try stage.write(name) }
        stage.wait("what has come to a searched place") {
            $0.flatMap(\.added).contains { QueryStage.name($0) == "later.txt" }
        }
        try stage.write("p.rtfd/TXT.rtf", "22")
        try stage.write("d/e/c.txt", "22")
        stage.wait("changes") { posted in
            Set(posted.flatMap(\.changed).map { QueryStage.name($0) }).isSuperset(of: ["p.rtfd", "c.txt"])
        }
        stage.move("d", "elsewhere")
        stage.wait("what has left its place") {
            $0.flatMap(\.removed).contains { QueryStage.name($0) == "c.txt" }
        }
        stage.move("elsewhere", "d")
        stage.wait("what is back") { $0.flatMap(\.added).contains { QueryStage.name($0) == "c.txt" } }
        #expect(paths() == ["a.txt", "d/e/c.txt", "f", "p.rtfd", "later.txt"])
        stage.clear()
        stage.use { $0.searchItems = nil }
        stage.wait("all") { $0.last?.name == .NSMetadataQueryDidFinishGathering }
        #expect(paths().isSuperset(of: ["b.txt", "d", "f/in.txt", "d/e/other.txt"]))
    }

    @Test(
        "Items to search that are hidden, or in what is, are followed, and one in a package",
        arguments: [true, false]
    )
    func hiddenItems(_ usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        let items = ["a.txt", ".b.txt", ".d/c.txt", "p.rtfd/inner/e.txt"]
        for name in items + [".other.txt", "p.rtfd/inner/other.txt"] { try stage.write(name) }
        stage.query.searchItems = items.map(stage.url)
        stage.gather()
        let names = Set(items.map { FilePath($0).name })
        #expect(Set(stage.names()) == names)
        func told(_ items: [NSMetadataItem]) -> Set<String> { Set(items.map { QueryStage.name($0) }) }
        for name in items + [".other.txt"] { try stage.write(name, "22") }
        stage.wait("the changes") { told($0.flatMap(\.changed)) == names }
        for name in items + [".other.txt"] { #expect(unlink(stage.url(name).path) == 0) }
        stage.wait("the ends") { told($0.flatMap(\.removed)) == names }
        for name in items { try stage.write(name) }
        stage.wait("the returns") { told($0.flatMap(\.added)) == names }
        #expect(Set(stage.names()) == names && stage.names().count == names.count)
    }

    @Test(
        "A scope that is hidden in another, or in a package, is searched, once; one that is not is no scope of its own",
        arguments: [true, false]
    )
    func scopesInOthers(_ usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        let files = [
            "a.txt", ".h/no.txt", ".h/in/b.txt", ".h/in/deep/c.txt", "p.rtfd/TXT.rtf", "p.rtfd/inner/d.txt",
            "q.rtfd/e.txt", "f/g.txt",
        ]
        for name in files { try stage.write(name) }
        let scopes = ["", ".h/in", ".h/in/deep", "p.rtfd/inner", "q.rtfd", "f"]
        stage.query.searchScopes = scopes.map(stage.url)
        let roots = ["", "/.h/in", "/p.rtfd/inner", "/q.rtfd"].map { FilePath(stage.folder.path + $0) }
        #expect(stage.query.roots() == roots.sorted { $0.string < $1.string })
        stage.gather()
        let all = ["a.txt", "b.txt", "c.txt", "d.txt", "deep", "e.txt", "f", "g.txt", "p.rtfd", "q.rtfd"]
        #expect(stage.names().sorted() == all)
        let later = [".h/in/h.txt", "p.rtfd/inner/i.txt"]
        for name in later { try stage.write(name) }
        stage.wait("what comes to them") {
            $0.flatMap(\.added).map { QueryStage.name($0) }.sorted() == ["h.txt", "i.txt"]
        }
        stage.move(".h", ".moved")
        stage.wait("the end of one") {
            $0.flatMap(\.removed).map { QueryStage.name($0) }.sorted() == ["b.txt", "c.txt", "deep", "h.txt"]
        }
    }

    @Test("An enumeration goes on with its results, though the block has the query run anew")
    func enumerationOfOldResults() throws {
        for name in ["a.txt", "b.txt", "c.txt"] { try stage.write(name) }
        func order(ascending: Bool) -> [NSSortDescriptor] {
            [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: ascending)]
        }
        let changes: [(NSMetadataQuery) -> Void] = [
            { $0.sortDescriptors = order(ascending: false) },
            { query in
                query.stop()
                query.start()
            },
            { $0.predicate = NSPredicate(format: "%K LIKE 'a*'", NSMetadataItemFSNameKey) },
        ]
        stage.gather()
        for change in changes {
            stage.use { $0.sortDescriptors = order(ascending: true) }
            stage.wait("the order") {
                $0.last?.name == .NSMetadataQueryDidFinishGathering && stage.names().first == "a.txt"
            }
            let (seen, count) = stage.use { query in
                var seen: [String] = []
                query.enumerateResults { result, index, _ in
                    if index == 0 { change(query) }
                    seen.append("\(index) \(QueryStage.name(result))")
                }
                return (seen, query.resultCount)
            }
            #expect(seen == ["0 a.txt", "1 b.txt", "2 c.txt"] && count == 0)
            stage.wait("all anew") { _ in stage.use { !$0.isGathering && $0.resultCount > 0 } }
            stage.clear()
        }
        #expect(stage.names() == ["a.txt"])
    }

    @Test("An enumeration may go backwards, and updates wait for its end")
    func enumeration() throws {
        for name in ["a.txt", "b.txt"] { try stage.write(name) }
        stage.query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        stage.gather()
        let seen = stage.use { query in
            var seen: [String] = []
            query.enumerateResults(options: .reverse) { result, index, _ in
                seen.append("\(index) \(QueryStage.name(result))")
            }
            return seen
        }
        #expect(seen == ["1 b.txt", "0 a.txt"])
    }

    @Test("Between its start and its end gathering tells of progress, with what has been found to be seen")
    func progress() throws {
        for number in 0..<1_000 { try stage.write("d/\(number)") }
        // What blocks decide is found in parts.
        stage.query.predicate = NSPredicate { _, _ in true }
        let counts = Locked<[Int]>([])
        let query = stage.query
        let observer = NotificationCenter.default.addObserver(
            forName: .NSMetadataQueryGatheringProgress,
            object: query,
            queue: nil
        ) { _ in counts.withLock { $0.append(query.isGathering ? query.resultCount : -1) } }
        defer { NotificationCenter.default.removeObserver(observer) }
        stage.gather()
        let names = stage.all.map(\.name)
        #expect(names.first == .NSMetadataQueryDidStartGathering)
        #expect(names.last == .NSMetadataQueryDidFinishGathering)
        #expect(names.count > 2)
        #expect(names.dropFirst().dropLast().allSatisfy { $0 == .NSMetadataQueryGatheringProgress })
        #expect(counts.withLock { $0.first.map { 0 < $0 && $0 < 1_001 } == true && $0 == $0.sorted() })
        #expect(stage.use { $0.resultCount } == 1_001)
    }
}
