import DocumentFoundation
import Foundation
import TestThreads
import Testing

@Suite("Security scope", .onOwnThreads)
struct SecurityScopeTests {
    private let stage: BookmarkStage

    init() throws { stage = try BookmarkStage() }

    private func bookmark(_ url: URL, _ options: URL.BookmarkCreationOptions = []) throws -> Data {
        try stage.run { try url.bookmarkData(options: options) }
    }

    private func start(_ url: URL) -> Bool { stage.run { url.startAccessingSecurityScopedResource() } }
    private func stop(_ url: URL) { stage.run { url.stopAccessingSecurityScopedResource() } }

    @Test("What nobody gave is not accessed")
    func notGiven() throws {
        let url = try stage.write("Sea.txt")
        #expect(!start(url))
        stop(url)
        #expect(stage.scope.accessCount(of: url) == 0)
        #expect(!start(try #require(URL(string: "https://example.org"))))
    }

    @Test("Accesses nest, and end when as many have ended as began")
    func nests() throws {
        let url = try stage.write("Sea.txt")
        stage.scope.grant(url)
        #expect(start(url) && start(url))
        #expect(stage.scope.accessCount(of: url) == 2)
        stop(url)
        #expect(stage.scope.accessCount(of: url) == 1)
        stop(url)
        stop(url)
        #expect(stage.scope.accessCount(of: url) == 0)
        #expect(start(url))
    }

    @Test("Resolving gives access and begins it, unless it is told not to")
    func resolving() throws {
        let url = try stage.write("Sea.txt")
        let data = try bookmark(url)
        _ = try stage.resolve(data, .withoutImplicitStartAccessing)
        #expect(stage.scope.accessCount(of: url) == 0)
        #expect(start(url))
        stop(url)
        _ = try stage.resolve(data, .withSecurityScope)
        #expect(stage.scope.accessCount(of: url) == 0)
        _ = try stage.resolve(data)
        #expect(stage.scope.accessCount(of: url) == 1)
    }

    @Test("A bookmark made without a scope gives none")
    func withoutScope() throws {
        let url = try stage.write("Sea.txt")
        let data = try bookmark(url, .withoutImplicitSecurityScope)
        #expect(try stage.resolve(data).url == url)
        #expect(!start(url))
        do {
            _ = try stage.resolve(data, .withSecurityScope)
            Issue.record("gave a scope that the bookmark has not")
        } catch { #expect((error as? CocoaError)?.code == .fileReadNoPermission) }
    }

    @Test("A given folder gives what really is in it, and nothing that seems to be")
    func folders() throws {
        let inside = try stage.write("Trip/in/Sea.txt")
        let outside = try stage.write("secret.txt")
        let trip = stage.documents.appendingPathComponent("Trip", isDirectory: true)
        _ = try stage.resolve(try bookmark(trip))
        #expect(start(inside))
        #expect(start(trip.appendingPathComponent("to be made.txt")))
        #expect(!start(outside))
        #expect(!start(URL(fileURLWithPath: trip.path + "/../secret.txt")))
        #expect(!start(URL(fileURLWithPath: trip.path + "/in/../../secret.txt")))
        #expect(!start(try stage.link("Trip/near", to: "../secret.txt")))
        #expect(!start(try stage.link("Trip/far", to: outside.path)))
        let up = try stage.link("Trip/up", to: "..")
        #expect(!start(up.appendingPathComponent("secret.txt")))
        #expect(!start(up.appendingPathComponent("to be made.txt")))
        #expect(!start(try stage.link("Trip/dangling", to: "../none")))
        #expect(start(try stage.link("Trip/back", to: "in/Sea.txt")))
        #expect(!start(URL(fileURLWithPath: trip.path + "house/Sea.txt")))
    }

    @Test("A folder that was given and then replaced by a link gives nothing of where that leads")
    func replacedByALink() throws {
        try stage.write("Trip/Sea.txt")
        let secret = try stage.write("secrets/Sea.txt")
        let trip = stage.documents.appendingPathComponent("Trip", isDirectory: true)
        stage.scope.grant(trip)
        try FileManager.default.removeItem(at: trip)
        let link = try stage.link("Trip", to: "secrets")
        #expect(!start(link.appendingPathComponent("Sea.txt")))
        #expect(!start(secret))
    }

    @Test("A link that a person chose gives what it leads to")
    func chosenLinks() throws {
        let url = try stage.write("elsewhere/Sea.txt")
        let link = try stage.link("Sea link", to: "elsewhere/Sea.txt")
        stage.scope.grant(link)
        #expect(start(link))
        #expect(start(url))
    }
}
