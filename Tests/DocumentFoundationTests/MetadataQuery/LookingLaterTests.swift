import FileSystem
import Foundation
import TestThreads
import Testing

@testable import DocumentFoundation

/// What a query cannot see at once, and sees later.
@Suite("Looking later", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct LookingLaterTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage(usesPrivilege: false) }

    private func names(_ items: [NSMetadataItem]) -> Set<String> { Set(items.map { QueryStage.name($0) }) }

    @Test(
        "What a passing error hides is added when that has passed, and what is there is not removed",
        arguments: [EMFILE, EIO, EACCES]
    )
    func passingError(_ errno: CInt) throws {
        try stage.write("d/old.txt")
        stage.gather()
        let refused = RefusedCalls(["openat"], in: FilePath(stage.url("d").path), errno)
        try refused.during {
            try stage.write("d/new.txt")
            try stage.write("d/old.txt", "22")
            // Longer than anything may be away and is not gone.
            let end = Date().addingTimeInterval(10)
            while refused.count < 8, Date() < end { sched_yield() }
        }
        stage.wait("what came") { names($0.flatMap(\.added)) == ["new.txt"] }
        stage.wait("what has changed") { names($0.flatMap(\.changed)).contains("old.txt") }
        #expect(stage.updates.allSatisfy { $0.removed.isEmpty })
        #expect(stage.updates.flatMap(\.added).count == 1)
    }

    @Test(
        "A look at everything that cannot look into a folder for now removes nothing of it, and looks once more",
        arguments: [EMFILE, EIO]
    )
    func passingErrorOfAll(_ errno: CInt) throws {
        try stage.write("d/old.txt")
        try stage.write("d/e/deep.txt")
        stage.gather()
        let run = try #require(stage.query.run)
        let refused = RefusedCalls(["openat"], in: FilePath(stage.url("d").path), errno)
        try refused.during {
            try run.queue.sync {
                try stage.write("d/new.txt")
                (run.needsLookAtAll, run.dirty) = (true, [])
                run.look()
            }
            #expect(refused.count > 0)
        }
        stage.wait("what came") { names($0.flatMap(\.added)) == ["new.txt"] }
        #expect(stage.updates.allSatisfy { $0.removed.isEmpty })
        #expect(stage.updates.flatMap(\.added).count == 1)
    }

    @Test("One name that cannot be looked at hides no other")
    func singleName() throws {
        try stage.write("d/old.txt")
        stage.gather()
        let run = try #require(stage.query.run)
        let bad = FilePath(stage.url("d/bad.txt").path)
        try RefusedCalls(["statx", "fstatat"], in: bad, EIO).during {
            // Both are looked at at once.
            try run.queue.sync { for name in ["d/bad.txt", "d/good.txt"] { try stage.write(name) } }
            stage.wait("what can be looked at") { names($0.flatMap(\.added)) == ["good.txt"] }
        }
        stage.wait("what can be by now") { names($0.flatMap(\.added)) == ["good.txt", "bad.txt"] }
    }

    @Test("A free name that is looked at too early is looked at again")
    func tooEarly() throws {
        try stage.write("a.txt")
        stage.gather()
        let run = try #require(stage.query.run)
        run.queue.sync {
            run.departures[QueryRun.Place(folder: 0, name: ItemName("a.txt"))] = QueryRun.now + 0.05
            run.lookAtDepartures()
        }
        stage.wait("that it is there") { names($0.flatMap(\.changed)) == ["a.txt"] }
        #expect(run.queue.sync { run.departures.isEmpty })
    }
}
