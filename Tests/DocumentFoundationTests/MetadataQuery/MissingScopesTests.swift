import FileSystem
import Foundation
import TestThreads
import Testing

@testable import DocumentFoundation

/// Scopes that are not there when a query starts, or go while it runs.
@Suite("Missing search scopes", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct MissingScopesTests {
    private func names(_ items: [NSMetadataItem]) -> [String] { items.map { QueryStage.name($0) } }

    private func make(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test(
        "What comes to a scope that was not there is found, however much of the way was missing",
        arguments: [true, false]
    )
    func missingAtStart(usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        stage.query.searchScopes = [stage.url("one/two/scope")]
        stage.gather()
        #expect(stage.names() == [])
        // What is beside the way is none of its business.
        try stage.write("one/other/b.txt")
        try stage.write("one/two/scope/a.txt")
        stage.wait("what came with its folders") { names($0.flatMap(\.added)) == ["a.txt"] }
        stage.clear()
        try stage.write("one/two/scope/c.txt")
        stage.wait("what came later") { names($0.flatMap(\.added)) == ["c.txt"] }
    }

    @Test("A scope that is deleted and made anew is searched again", arguments: [true, false])
    func madeAnew(usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        stage.query.searchScopes = [stage.url("in/scope")]
        try stage.write("in/scope/a.txt")
        stage.gather()
        #expect(stage.names() == ["a.txt"])
        for (gone, text) in [("in/scope", "once"), ("in", "with the folder above"), ("in/scope", "again")] {
            stage.clear()
            try FileManager.default.removeItem(at: stage.url(gone))
            stage.wait("its end, \(text)") { names($0.flatMap(\.removed)) == ["a.txt"] }
            stage.clear()
            try stage.write("in/scope/a.txt")
            stage.wait("its return, \(text)") { names($0.flatMap(\.added)) == ["a.txt"] }
        }
        stage.clear()
        try stage.write("in/scope/b.txt")
        stage.wait("what came later") { names($0.flatMap(\.added)) == ["b.txt"] }
    }

    @Test("A scope that is moved away and comes back is searched again", arguments: [true, false])
    func moved(usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        stage.query.searchScopes = [stage.url("scope")]
        try stage.write("scope/a.txt")
        stage.gather()
        stage.move("scope", "elsewhere")
        stage.wait("its end") { names($0.flatMap(\.removed)) == ["a.txt"] }
        try stage.write("elsewhere/b.txt")
        stage.move("elsewhere", "scope")
        stage.wait("its return") { Set(names($0.flatMap(\.added))) == ["a.txt", "b.txt"] }
    }

    @Test(
        "A folder above a scope is renamed, and the scope is gone with it; what has its path next is searched",
        arguments: [true, false]
    )
    func movedAbove(usesPrivilege: Bool) throws {
        let stage = try QueryStage(usesPrivilege: usesPrivilege)
        stage.query.searchScopes = [stage.url("base/in/scope")]
        for name in ["a.txt", "b.txt"] { try stage.write("base/in/scope/" + name) }
        stage.gather()
        stage.move("base/in", "base/out")
        stage.wait("its end") { Set(names($0.flatMap(\.removed))) == ["a.txt", "b.txt"] }
        stage.clear()
        try stage.write("base/in/scope/c.txt")
        stage.wait("what came to its path") { names($0.flatMap(\.added)) == ["c.txt"] }
        stage.clear()
        // Where it is now is none of its business.
        try stage.write("base/out/scope/a.txt", "22")
        try stage.write("base/in/scope/d.txt")
        stage.wait("what came later") { names($0.flatMap(\.added)) == ["d.txt"] }
        #expect(!names(stage.updates.flatMap { $0.added + $0.changed + $0.removed }).contains("a.txt"))
        // Another one in its place at once.
        stage.clear()
        stage.move("base/in", "base/former")
        stage.move("base/out", "base/in")
        stage.wait("the exchange") {
            Set(names($0.flatMap(\.added))) == ["a.txt", "b.txt"]
                && Set(names($0.flatMap(\.removed))) == ["c.txt", "d.txt"]
        }
        #expect(Set(stage.names()) == ["a.txt", "b.txt"])
    }

    @Test("A link to nothing on the way to a scope has nothing looked at again and again")
    func linkToNothing() throws {
        let stage = try QueryStage(usesPrivilege: false)
        let link = stage.url("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nothing")
        stage.query.searchScopes = [stage.url("link/scope")]
        stage.gather()
        let run = try #require(stage.query.run)
        run.queue.sync { run.look() }
        #expect(run.queue.sync { !run.needsLookAtAll && !run.isLookDue })
    }

    @Test(
        "A scope that could not be read, or a folder in one, is searched when it can",
        arguments: [true, false]
    )
    func readable(isScope: Bool) throws {
        // With the privilege nobody is refused, and the system does not tell by a folder who may read those in it.
        let stage = try QueryStage(usesPrivilege: false)
        stage.query.searchScopes = [stage.url(isScope ? "scope/in" : "scope")]
        stage.query.predicate = NSPredicate(format: "%K LIKE '*.txt'", NSMetadataItemFSNameKey)
        try stage.write("scope/in/a.txt")
        try stage.write("scope/in/deep/b.txt")
        let folder = stage.url("scope/in").path
        let calls: Set = ["openat", "inotify_add_watch"]
        RefusedCalls(calls, in: FilePath(folder), EACCES).during { stage.gather() }
        #expect(stage.names() == [])
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        stage.wait("what is in it") { Set(names($0.flatMap(\.added))) == ["a.txt", "b.txt"] }
        stage.clear()
        try stage.write("scope/in/c.txt")
        stage.wait("what came later") { names($0.flatMap(\.added)) == ["c.txt"] }
        // The same when all is looked at meanwhile.
        stage.clear()
        let run = try #require(stage.query.run)
        RefusedCalls(calls, in: FilePath(folder), EACCES).during {
            run.queue.sync {
                run.needsLookAtAll = true
                run.look()
            }
        }
        stage.wait("that nothing is found") { $0.flatMap(\.removed).count == 3 }
        // What was done to one of them before may be heard only now, and has all found again.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        stage.wait("what is in it again") { $0.flatMap(\.added).count == 3 }
        #expect(stage.names().sorted() == ["a.txt", "b.txt", "c.txt"])
    }

    @Test("What happens in a folder that could not be read has all of it found, each item once")
    func readableByName() throws {
        let stage = try QueryStage(usesPrivilege: false)
        stage.query.searchScopes = [stage.url("scope")]
        stage.query.predicate = NSPredicate(format: "%K LIKE '*.txt'", NSMetadataItemFSNameKey)
        for name in ["a.txt", "b.txt"] { try stage.write("scope/in/\(name)") }
        let folder = stage.url("scope/in")
        RefusedCalls(["openat"], in: FilePath(folder.path), EACCES).during { stage.gather() }
        #expect(stage.names() == [])
        stage.clear()
        let run = try #require(stage.query.run)
        // Names in it are told, as of a folder of which only the list is nobody's to see.
        try stage.write("scope/in/b.txt", "2")
        stage.wait("all") { Set(names($0.flatMap(\.added))) == ["a.txt", "b.txt"] }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        try stage.write("scope/last.txt")
        stage.wait("the last") { $0.flatMap(\.added).count > 2 }
        run.queue.sync { run.look() }
        #expect(stage.names().sorted() == ["a.txt", "b.txt", "last.txt"])
    }

    @Test("A scope that nobody may look at is looked at no more for that")
    func unreadable() throws {
        let stage = try QueryStage(usesPrivilege: false)
        stage.query.searchScopes = [stage.url("file/scope"), stage.url("there")]
        try stage.write("file")
        try stage.write("there/a.txt")
        stage.gather()
        let run = try #require(stage.query.run)
        // As often as something has come to be looked at anew.
        for _ in 0..<3 { run.queue.sync { run.look() } }
        #expect(run.queue.sync { !run.needsLookAtAll && !run.isLookDue })
        try FileManager.default.removeItem(at: stage.url("file"))
        try stage.write("file/scope/b.txt")
        stage.wait("what came") { names($0.flatMap(\.added)) == ["b.txt"] }
    }
}
