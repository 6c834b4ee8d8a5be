import DocumentFoundation
import Foundation
import Testing
import UIKit

/// The choice of another version is one step to undo.
@Suite("Undoing the choice of a version", .timeLimit(.minutes(2)))
@MainActor
struct ConflictUndoTests {
    private let user: VersionUser

    init() throws {
        user = try VersionUser()
    }

    /// A document that was saved in conflict with what others have written.
    private func conflictingText() async throws -> TextDocument {
        let url = try user.playground.put("base", at: "a.txt")
        let document = user.run { TextDocument(fileURL: url) }
        #expect(await document.open())
        await document.settle()
        document.isAutosaveOff = true
        document.type("mine")
        try Data("theirs".utf8).write(to: url)
        #expect(await document.save(to: url, for: .forOverwriting))
        document.isAutosaveOff = false
        return document
    }

    @Test("Undo brings back what the document was, redo what was chosen; both are saved")
    func text() async throws {
        let document = try await conflictingText()
        document.type("mine, later")
        try await document.resolveConflict(.version(try #require(document.conflictVersions.first)))
        #expect(document.text == "theirs" && !document.hasUnsavedChanges)
        #expect(document.undoManager.undoActionName == "Choose Version")
        document.undoManager.undo()
        #expect(document.text == "mine, later" && document.hasUnsavedChanges)
        #expect(!document.undoManager.canUndo)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try user.playground.text("a.txt") == "mine, later")
        document.undoManager.redo()
        #expect(document.text == "theirs" && document.hasUnsavedChanges)
        await document.close()
        #expect(try user.playground.text("a.txt") == "theirs")
        #expect(document.errors.isEmpty)
    }

    @Test("A version is chosen though a group of undo actions is open, and what is in it is saved before")
    func openGroup() async throws {
        let document = try await conflictingText()
        await wait(for: document) { document.undoManager.groupingLevel == 0 }
        document.undoManager.groupsByEvent = false
        document.undoManager.beginUndoGrouping()
        document.type("mine, later")
        try await document.resolveConflict(.version(try #require(document.conflictVersions.first)))
        #expect(document.text == "theirs" && !document.hasUnsavedChanges)
        document.undoManager.undo()
        #expect(document.text == "mine, later")
        await document.close()
        #expect(document.errors.isEmpty)
    }

    /// A package in conflict: a script of it was changed by both, another member by neither, and read by nobody.
    private func conflictingPackage() async throws -> MemberDocument {
        let url = user.playground["p.rtfd"]
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for name in ["script", "unread"] {
            let member = url.appendingPathComponent(name)
            try Data("base".utf8).write(to: member)
            try FileManager.default.setAttributes([.posixPermissions: 0o740], ofItemAtPath: member.path)
        }
        let document = user.run { MemberDocument(fileURL: url) }
        #expect(await document.open())
        await document.settle()
        document.write("mine", to: "script")
        try Data("theirs".utf8).write(to: url.appendingPathComponent("script"), options: .atomic)
        try Data("new".utf8).write(to: url.appendingPathComponent("added"))
        #expect(await document.save(to: url, for: .forOverwriting))
        #expect(document.documentState.contains(.inConflict))
        // The other's new member stays where it is, and is read.
        await wait(for: document) {
            document.documentState == .inConflict && document.text(of: "added") != nil
        }
        return document
    }

    private func permissions(_ name: String) throws -> Int? {
        let path = user.playground["p.rtfd/\(name)"].path
        return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("A package comes back whole, members that were never read too, and can be written")
    func package() async throws {
        let document = try await conflictingPackage()
        _ = document.undoManager
        try await document.resolveConflict(.version(try #require(document.conflictVersions.first)))
        #expect(document.text(of: "script") == "theirs")
        document.undoManager.undo()
        #expect(document.text(of: "script") == "mine")
        // Nobody needs the versions any more.
        try user.run { try NSFileVersion.removeOtherVersionsOfItem(at: document.fileURL) }
        #expect(document.text(of: "unread") == "base")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try user.playground.text("p.rtfd/script") == "mine")
        #expect(try user.playground.text("p.rtfd/unread") == "base")
        #expect(try permissions("unread") == 0o740)
        document.undoManager.redo()
        #expect(document.text(of: "script") == "theirs")
        await document.close()
        #expect(try user.playground.text("p.rtfd/script") == "theirs")
        #expect(try user.playground.text("p.rtfd/unread") == "base")
    }

    @Test("A version that is gone by then leaves the document as it is, and says so")
    func gone() async throws {
        let document = try await conflictingPackage()
        _ = document.undoManager
        try await document.resolveConflict(.version(try #require(document.conflictVersions.first)))
        await document.settle()
        try user.run { try NSFileVersion.removeOtherVersionsOfItem(at: document.fileURL) }
        document.undoManager.undo()
        #expect(document.text(of: "script") == "theirs")
        await document.close()
        #expect(try user.playground.text("p.rtfd/script") == "theirs")
    }

    @Test("What merging takes out of a version can be written, like all members")
    func mergedMembers() async throws {
        let document = try await conflictingPackage()
        try await document.resolveConflict(.merged)
        #expect(document.documentState == .normal)
        #expect(document.text(of: "added") == "new")
        #expect(try user.playground.text("p.rtfd/added") == "new")
        #expect(try #require(try permissions("added")) & 0o200 != 0)
        #expect(try #require(try permissions("script")) & 0o200 != 0)
        await document.close()
    }
}
