import Dispatch
import Foundation
import Locks
import TestThreads
import Testing

@testable import DocumentFoundation

/// Queries whose predicates have blocks in them.
@Suite("Queries by blocks", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct QueryPredicateTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage() }

    private static func size(_ object: Any?) -> Int? {
        ((object as? NSMetadataItem)?.value(forAttribute: NSMetadataItemFSSizeKey) as? NSNumber)?.intValue
    }

    private static func name(_ object: Any?) -> String { object.map(QueryStage.name) ?? "nothing" }

    private func names(_ items: [NSMetadataItem]) -> Set<String> { Set(items.map { QueryStage.name($0) }) }

    private static func hasEvenSize(_ object: Any?) -> Bool { size(object).map { $0 % 2 == 0 } ?? false }

    private static var evenSizes: NSPredicate { NSPredicate { object, _ in hasEvenSize(object) } }

    @Test("A block chooses items by any of their attributes, on the query's queue, with nothing else bound")
    func chooses() throws {
        for (name, text) in [("even.txt", "22"), ("odd.txt", "333"), ("d/other.png", "4444")] {
            try stage.write(name, text)
        }
        let places = Locked<[String]>([])
        stage.query.predicate = NSPredicate { [queue = stage.queue] object, bindings in
            let item = object as? NSMetadataItem
            let path = item?.value(forAttribute: NSMetadataItemPathKey) as? String ?? "no path"
            let isThere = OperationQueue.current === queue && bindings == nil
            places.withLock { $0.append(isThere ? path : "elsewhere") }
            let tree = item?.value(forAttribute: NSMetadataItemContentTypeTreeKey) as? [String]
            return tree?.contains("public.image") == true || Self.size(item) == 2
        }
        stage.query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        stage.gather()
        #expect(stage.names() == ["even.txt", "other.png"])
        let expected = ["even.txt", "odd.txt", "d", "d/other.png"].map { stage.url($0).path }
        #expect(places.withLock { $0.sorted() } == expected.sorted())
    }

    @Test(
        "An item begins to match and ceases to, as the block says of what it is by then",
        arguments: [true, false]
    )
    func updates(_ usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        try stage.write("a.txt", "22")
        try stage.write("b.txt", "333")
        stage.query.predicate = Self.evenSizes
        stage.gather()
        #expect(stage.names() == ["a.txt"])
        try stage.write("b.txt", "4444")
        stage.wait("what begins to match") { names($0.flatMap(\.added)) == ["b.txt"] }
        try stage.write("a.txt", "333")
        stage.wait("what ceases to match") { names($0.flatMap(\.removed)) == ["a.txt"] }
        try stage.write("b.txt", "666666")
        stage.wait("what still matches") { names($0.flatMap(\.changed)) == ["b.txt"] }
        let item = stage.use { $0.results.first as? NSMetadataItem }
        #expect(Self.size(item) == 6)
        try stage.write("c.txt", "22")
        stage.wait("what is new") { names($0.flatMap(\.added)).contains("c.txt") }
        stage.move("c.txt", "d.txt")
        stage.wait("what has another name") { names($0.flatMap(\.changed)).contains("d.txt") }
        #expect(unlink(stage.url("b.txt").path) == 0)
        stage.wait("what is gone") { names($0.flatMap(\.removed)).contains("b.txt") }
        #expect(stage.names() == ["d.txt"])
    }

    @Test("A path of keys goes on in an item's name and URL", arguments: paths)
    func pathsOfKeys(format: String, arguments: [String], expected: [String]) throws {
        for name in ["a.txt", "b.md", "c"] { try stage.write(name) }
        stage.query.predicate = NSPredicate(format: format, argumentArray: arguments)
        stage.query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        stage.gather()
        #expect(stage.names() == expected, "\(format)")
        // By itself, the item is as the predicate says, too.
        #expect(
            stage.use { query in query.results.allSatisfy { query.predicate?.evaluate(with: $0) == true } }
        )
    }

    private static let paths: [(String, [String], [String])] = [
        ("(%K.pathExtension = %@)", [NSMetadataItemFSNameKey, "txt"], ["a.txt"]),
        ("%K.pathExtension IN {'md','txt'}", [NSMetadataItemFSNameKey], ["a.txt", "b.md"]),
        ("NOT %K.pathExtension = ''", [NSMetadataItemFSNameKey], ["a.txt", "b.md"]),
        ("(%K.pathExtension = %@)", [NSMetadataItemURLKey, "md"], ["b.md"]),
        ("%K.lastPathComponent == %@", [NSMetadataItemURLKey, "c"], ["c"]),
        ("kMDItemURL.lastPathComponent == 'c'", [], ["c"]),
        ("%K.%K LIKE '*'", [NSMetadataItemURLKey, "path"], ["a.txt", "b.md", "c"]),
        ("%K.unknown == 'c'", [NSMetadataItemURLKey], []),
    ]

    @Test("Compounds of formats and blocks hold as their parts do, and blocks are asked about what is open")
    func compounds() throws {
        for (name, text) in [("a.txt", "22"), ("b.txt", "333"), ("c.png", "22"), ("d.png", "333")] {
            try stage.write(name, text)
        }
        let asked = Locked<[String]>([])
        let block = NSPredicate { object, _ in
            asked.withLock { $0.append(Self.name(object)) }
            return Self.hasEvenSize(object)
        }
        let format = NSPredicate(format: "%K ENDSWITH '.txt'", NSMetadataItemFSNameKey)
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [format, block])
        let one = NSCompoundPredicate(orPredicateWithSubpredicates: [format, block])
        typealias Case = (NSPredicate, matching: [String], asked: [String])
        let image = NSPredicate(format: "%K == 'public.image'", NSMetadataItemContentTypeTreeKey)
        let cases: [Case] = [
            (
                NSCompoundPredicate(orPredicateWithSubpredicates: [format, image]),
                ["a.txt", "b.txt", "c.png", "d.png"], []
            ),
            (NSCompoundPredicate(notPredicateWithSubpredicate: format), ["c.png", "d.png"], []),
            (both, ["a.txt"], ["a.txt", "b.txt"]),
            (one, ["a.txt", "b.txt", "c.png"], ["c.png", "d.png"]),
            (
                NSCompoundPredicate(notPredicateWithSubpredicate: block), ["b.txt", "d.png"],
                ["a.txt", "b.txt", "c.png", "d.png"]
            ),
            (
                NSCompoundPredicate(notPredicateWithSubpredicate: both), ["b.txt", "c.png", "d.png"],
                ["a.txt", "b.txt"]
            ),
            (NSCompoundPredicate(notPredicateWithSubpredicate: one), ["d.png"], ["c.png", "d.png"]),
            (
                NSCompoundPredicate(andPredicateWithSubpredicates: [
                    NSCompoundPredicate(notPredicateWithSubpredicate: format),
                    NSCompoundPredicate(orPredicateWithSubpredicates: [block, NSPredicate(value: false)]),
                ]), ["c.png"], ["c.png", "d.png"]
            ),
        ]
        stage.query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        for (index, (predicate, matching, open)) in cases.enumerated() {
            stage.use { $0.predicate = predicate }
            asked.withLock { $0 = [] }
            stage.clear()
            stage.gather()
            #expect(stage.names() == matching, "case \(index)")
            #expect(asked.withLock { $0.sorted() } == open, "case \(index)")
            stage.use { $0.stop() }
        }
    }

    @Test("A format in a compound asks any member of a list, as it does alone")
    func lists() throws {
        for name in ["a.txt", "b.png"] { try stage.write(name) }
        let format = NSPredicate(format: "%K == 'public.image'", NSMetadataItemContentTypeTreeKey)
        stage.query.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate { _, _ in true }, format,
        ])
        stage.gather()
        #expect(stage.names() == ["b.png"])
    }

    /// A predicate of the caller's own class.
    private final class LongName: NSPredicate {
        override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
            QueryPredicateTests.name(object).count > 5
        }
        override func evaluate(with object: Any?) -> Bool {
            evaluate(with: object, substitutionVariables: nil)
        }
        override func copy(with zone: NSZone? = nil) -> Any { self }
    }

    @Test("A class of the caller's is asked as a block is")
    func ownClass() throws {
        for name in ["a.txt", "longer.txt"] { try stage.write(name) }
        stage.query.predicate = LongName(value: true)
        stage.gather()
        #expect(stage.names() == ["longer.txt"])
    }

    @Test(
        "Thousands are decided a part at a time: the query's queue is free in between, and all come in the end"
    )
    func parts() throws {
        for number in 0..<1_000 {
            try stage.write("d/\(number).txt", number.isMultiple(of: 2) ? "22" : "333")
        }
        let asked = Locked(0)
        let isFirst = Locked(true)
        let between = Locked<[Int]>([])
        let queue = stage.queue
        stage.query.predicate = NSPredicate { object, _ in
            asked.withLock { $0 += 1 }
            let isNow = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            // An app's own work, which comes while the query decides.
            if isNow { queue.addOperation { between.withLock { $0.append(asked.withLock { $0 }) } } }
            return Self.hasEvenSize(object)
        }
        stage.gather()
        #expect(stage.use { $0.resultCount } == 500)
        #expect(asked.withLock { $0 } == 1_001)
        let seen = try #require(between.withLock { $0.first })
        #expect(seen <= QueryRun.candidatesPerStep + 1)
    }

    @Test("A block may stop the query, or give it another predicate")
    func reentrant() throws {
        for name in ["a.txt", "b.txt", "c.txt"] { try stage.write(name) }
        let query = stage.query
        let asked = Locked(0)
        query.predicate = NSPredicate { _, _ in
            asked.withLock { $0 += 1 }
            query.predicate = NSPredicate(format: "%K == 'b.txt'", NSMetadataItemFSNameKey)
            return true
        }
        #expect(stage.use { $0.start() })
        stage.wait("the other predicate's results") {
            $0.contains { $0.name == .NSMetadataQueryDidFinishGathering }
        }
        #expect(stage.names() == ["b.txt"])
        #expect(asked.withLock { $0 } == 1)
        stage.use { query in
            query.stop()
            query.predicate = NSPredicate { _, _ in
                asked.withLock { $0 += 1 }
                query.stop()
                return true
            }
        }
        stage.clear()
        #expect(stage.use { $0.start() })
        let deadline = DispatchTime.now() + 60
        while !stage.use({ $0.isStopped }), DispatchTime.now() < deadline {}
        #expect(asked.withLock { $0 } == 2)
        #expect(stage.use { $0.isStopped && $0.resultCount == 0 })
    }

    @Test("While updates are disabled blocks go on deciding, and nothing is told")
    func disabled() throws {
        try stage.write("a.txt", "22")
        stage.query.predicate = Self.evenSizes
        stage.gather()
        stage.use { $0.disableUpdates() }
        try stage.write("b.txt", "22")
        try stage.write("a.txt", "1")
        let witness = try QueryStage()
        witness.query.searchScopes = [stage.folder]
        witness.gather()
        #expect(Set(witness.names()) == ["a.txt", "b.txt"])
        #expect(stage.names() == ["a.txt"])
        #expect(stage.updates.isEmpty)
        stage.use { $0.enableUpdates() }
        stage.wait("what was held back") { posted in
            names(posted.flatMap(\.added)) == ["b.txt"] && names(posted.flatMap(\.removed)) == ["a.txt"]
        }
    }

    @Test("Without a queue of its own a query asks blocks, and posts, on the main queue")
    func mainQueue() throws {
        try stage.write("a.txt")
        stage.query.operationQueue = nil
        let calls = Locked<[Bool]>([])
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        stage.query.predicate = NSPredicate { _, _ in
            calls.withLock { $0.append(DispatchQueue.getSpecific(key: key) == true) }
            return true
        }
        let posts = Locked<[Bool]>([])
        let observer = NotificationCenter.default.addObserver(forName: nil, object: stage.query, queue: nil) {
            _ in
            posts.withLock { $0.append(DispatchQueue.getSpecific(key: key) == true) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let query = stage.query
        DispatchQueue.main.async { query.start() }
        stage.wait("the gathering") { $0.contains { $0.name == .NSMetadataQueryDidFinishGathering } }
        #expect(calls.withLock { $0 } == [true])
        #expect(posts.withLock { !$0.isEmpty && $0.allSatisfy { $0 } })
    }
}
