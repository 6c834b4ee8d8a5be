import Foundation
import Testing

@testable import UIKit

@Suite("LaunchArguments")
struct LaunchArgumentsTests {
    private func parse(
        _ arguments: String...,
        environment: [String: String] = [:]
    ) throws -> LaunchArguments? {
        try LaunchArguments(["app"] + arguments, environment: environment)
    }

    @Test("Without arguments: the usual port, and folders of the person's own")
    func none() throws {
        let parsed = try #require(try parse())
        #expect(parsed.port == nil)
        #expect(parsed.documents.path.hasPrefix("/"))
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        #expect(parsed.stateDirectory.path.hasPrefix(home + "/.local/state/sheaf/"))
    }

    @Test("The folder: the argument before the environment, the last argument before the first")
    func documents() throws {
        let environment = ["SHEAF_DOCUMENTS": "/srv/env"]
        #expect(try parse(environment: environment)?.documents.path == "/srv/env")
        #expect(try parse("--documents", "/srv/a", environment: environment)?.documents.path == "/srv/a")
        #expect(try parse("--documents", "/srv/a", "--documents", "/srv/b")?.documents.path == "/srv/b")
        let relative = try #require(try parse("--documents", "here"))
        #expect(relative.documents.path == FileManager.default.currentDirectoryPath + "/here")
    }

    @Test("An empty variable is as good as none, and a state directory must be absolute")
    func emptyVariables() throws {
        let usual = try #require(try parse())
        let empty = try #require(
            try parse(environment: ["SHEAF_DOCUMENTS": "", "XDG_STATE_HOME": ""])
        )
        #expect(empty.documents == usual.documents)
        #expect(empty.stateDirectory == usual.stateDirectory)
        #expect(try parse(environment: ["XDG_STATE_HOME": "here"])?.stateDirectory == usual.stateDirectory)
        let given = try #require(try parse(environment: ["XDG_STATE_HOME": "/srv/state"]))
        #expect(given.stateDirectory.path.hasPrefix("/srv/state/sheaf/"))
    }

    @Test("The port is a number from 0 to 65535")
    func port() throws {
        #expect(try parse("--port", "0")?.port == 0)
        #expect(try parse("--port", "65535")?.port == 65535)
        for bad in ["65536", "-1", "", "http", "80.5"] {
            #expect(throws: LaunchArguments.Failure.self, "\(bad)") { try parse("--port", bad) }
        }
    }

    @Test("Files are paths or file URLs, among the options or after them")
    func files() throws {
        let parsed = try #require(
            try parse("a b", "--browse", "/srv/c", "file:///srv/d%20e", "--port", "0", "--", "--port")
        )
        let here = FileManager.default.currentDirectoryPath
        #expect(parsed.files.map(\.path) == [here + "/a b", "/srv/c", "/srv/d e", here + "/--port"])
        #expect(parsed.browses)
        #expect(parsed.port == 0)
        #expect(parsed.missingFile?.path == here + "/a b")
        #expect(try parse()?.files.isEmpty == true)
        #expect(try parse("/")?.missingFile == nil)
        // What is neither is taken for a path.
        #expect(try parse("http://example.org/a")?.missingFile != nil)
    }

    @Test("Help is asked for by name or letter, and says what there is")
    func help() throws {
        #expect(try parse("--help") == nil)
        #expect(try parse("--port", "1", "-h") == nil)
        let usage = LaunchArguments.usage("Color")
        for word in ["Color", "--documents", "--port", "--browse", "FILE", "--help", "SHEAF_DOCUMENTS"] {
            #expect(usage.contains(word))
        }
    }

    @Test(
        "What is unknown or cut short is refused, by its name",
        arguments: [["--documents"], ["--documents", ""], ["--port"], ["--verbose"], ["-x"]]
    )
    func wrong(arguments: [String]) {
        let failure = #expect(throws: LaunchArguments.Failure.self) {
            try LaunchArguments(["app"] + arguments, environment: [:])
        }
        #expect(failure?.message.contains(arguments[0]) == true)
    }
}
