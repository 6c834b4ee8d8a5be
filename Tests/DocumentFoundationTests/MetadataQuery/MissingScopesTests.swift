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
