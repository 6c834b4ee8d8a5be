import DocumentFoundation
import Foundation
import Testing
import UIKit

/// Programs that had a file open while a document saved, and write into what was replaced.
@Suite("Late writers and versions", .timeLimit(.minutes(2)))
@MainActor
struct LateWriterTests {
    private static let base = "one\ntwo\nthree\n"
    private static let mine = "ONE\ntwo\nthree\n"
    private static let theirs = "one\ntwo\nTHREE\n"
    private static let both = "ONE\ntwo\nTHREE\n"

    private let user: VersionUser

    init() throws {
        user = try VersionUser()
    }

    /// Opens a document, saves it while a program has a file open, and lets that write when the save is kept.
    private func overtaken<Document: UIDocument>(
        _ make: (_ attempt: Int) throws -> (document: Document, file: URL, edit: () -> Void)
    ) async throws -> Document {
        let document = try await promptly(withinSeconds: 2) { attempt in
            let (document, file, edit) = try make(attempt)
            #expect(await document.open())
            await document.settle()
            let program = try FileHandle(forWritingTo: file)
            edit()
            #expect(await document.save(to: document.fileURL, for: .forOverwriting))
            // The state that was saved is a version by then, too.
            await document.settle()
            try program.write(contentsOf: Data(Self.theirs.utf8))
            try program.close()
            return document
        }
        await wait(for: document) { document.documentState.contains(.inConflict) }
        #expect(document.conflictCopyURLs.isEmpty)
        return document
    }

    @Test("What was written late into a file merges with what was saved, from the state before both")
    func file() async throws {
        let document: TextDocument = try await overtaken { attempt in
            let url = try user.playground.put(Self.base, at: "a\(attempt).txt")
            let document = user.run { TextDocument(fileURL: url) }
            return (document, url, { document.type(Self.mine) })
        }
        let version = try #require(document.conflictVersions.first)
        let late = try String(contentsOf: version.url, encoding: .utf8)
        #expect(late == Self.theirs)
        try await document.resolveConflict(.merged)
        #expect(document.text == Self.both)
        await document.close()
        #expect(user.reports.all == [])
    }

    private func package(_ name: String) throws -> (document: MemberDocument, page: URL) {
        let url = user.playground[name]
        try FileManager.default.createDirectory(
            at: url.appendingPathComponent("pages"),
            withIntermediateDirectories: true
        )
        let page = url.appendingPathComponent("page.txt")
        try Data(Self.base.utf8).write(to: page)
        try Data("other".utf8).write(to: url.appendingPathComponent("pages/other"))
        return (user.run { MemberDocument(fileURL: url) }, page)
    }

    @Test("What was written late into a member is a version of the whole package, and merges")
    func member() async throws {
        let document: MemberDocument = try await overtaken { attempt in
            let (document, page) = try package("p\(attempt).rtfd")
            return (document, page, { document.write(Self.mine, to: "page.txt") })
        }
        let version = try #require(document.conflictVersions.first)
        let names = try FileManager.default.subpathsOfDirectory(atPath: version.url.path).sorted()
        #expect(names == ["page.txt", "pages", "pages/other"])
        let late = try String(contentsOf: version.url.appendingPathComponent("page.txt"), encoding: .utf8)
        #expect(late == Self.theirs)
        try await document.resolveConflict(.merged)
        #expect(document.text(of: "page.txt") == Self.both)
        #expect(document.documentState == .normal)
        await document.close()
        #expect(user.reports.all == [])
    }

    /// What is kept of what was written late into a member, where no version can be.
    ///
    /// - Parameter prepare: Called with the package once it is saved.
    private func keptWithoutVault(
        _ prepare: (URL) throws -> Void = { _ in }
    ) async throws -> (package: URL, copy: URL) {
        let document = try await promptly(withinSeconds: 2) { attempt in
            let (document, page) = try package("p\(attempt).rtfd")
            #expect(await document.open())
            await document.settle()
            let program = try FileHandle(forWritingTo: page)
            document.write(Self.mine, to: "page.txt")
            #expect(await document.save(to: document.fileURL, for: .forOverwriting))
            await document.settle()
            try FileManager.default.removeItem(at: user.home["vault"])
            try Data().write(to: user.home["vault"])
            try prepare(document.fileURL)
            try program.write(contentsOf: Data(Self.theirs.utf8))
            try program.close()
            return document
        }
        await wait(for: document) { !document.conflictCopyURLs.isEmpty }
        let copy = try #require(document.conflictCopyURLs.first)
        await document.close()
        return (document.fileURL, copy)
    }

    @Test("Where the vault is gone by then, it is in a whole package beside the document")
    func withoutVault() async throws {
        let (package, copy) = try await keptWithoutVault()
        #expect(copy.deletingLastPathComponent().path == package.deletingLastPathComponent().path)
        #expect(copy.pathExtension == "rtfd")
        let names = try FileManager.default.subpathsOfDirectory(atPath: copy.path).sorted()
        #expect(names == ["page.txt", "pages", "pages/other"])
        let late = try String(contentsOf: copy.appendingPathComponent("page.txt"), encoding: .utf8)
        #expect(late == Self.theirs)
        let saved = try String(contentsOf: package.appendingPathComponent("page.txt"), encoding: .utf8)
        #expect(saved == Self.mine)
    }

    @Test("Where the package is gone by then, too, the file is beside where it was")
    func withoutPackage() async throws {
        let (package, copy) = try await keptWithoutVault { try FileManager.default.removeItem(at: $0) }
        #expect(copy.deletingLastPathComponent().path == package.deletingLastPathComponent().path)
        #expect(try String(contentsOf: copy, encoding: .utf8) == Self.theirs)
        #expect(copy.lastPathComponent.hasPrefix("page (other version "))
    }
}
