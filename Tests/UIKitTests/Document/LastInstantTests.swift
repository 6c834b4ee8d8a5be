import DocumentFoundation
import FileSystem
import Foundation
import Locks
import Testing
import UIKit

/// What others put in a document's place after it has looked for the last time, right before its own takes that place.
@Suite("UIDocument and the last instant", .timeLimit(.minutes(5)))
@MainActor
struct LastInstantTests {
    let user: VersionUser
    var playground: Playground { user.playground }

    init() throws {
        user = try VersionUser()
    }

    /// Somebody who does something just before the kernel moves a file to a place, or away from it.
    private final class Interloper: SystemCallObserver {
        private let file: URL
        private let act: Locked<(@Sendable (URL) throws -> Void)?>

        init(at file: URL, _ act: @escaping @Sendable (URL) throws -> Void) {
            (self.file, self.act) = (file, Locked(act))
        }

        var hasCome: Bool { act.withLock { $0 == nil } }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "renameat2", [call.path, call.source].contains(FilePath(file)),
                let act = act.withLock({ act in
                    defer { act = nil }
                    return act
                })
            else { return 0 }
            do { try act(file) } catch { Issue.record("\(error)") }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    /// What somebody may do.
    enum Act: CaseIterable {
        case replaces, removesAndMakes, removes

        func perform(at file: URL) throws {
            if self != .replaces { try FileManager.default.removeItem(at: file) }
            guard self != .removes else { return }
            try Data("theirs".utf8).write(to: file, options: self == .replaces ? .atomic : [])
        }

        var texts: [String] { self == .removes ? [] : ["theirs"] }
    }

    /// Saves a document while somebody does something to one of its files.
    private func save(_ document: UIDocument, while act: Act, at file: URL) async {
        let interloper = Interloper(at: file) { try act.perform(at: $0) }
        SystemCallObservation.add(interloper)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        SystemCallObservation.remove(interloper)
        #expect(interloper.hasCome)
        await wait(for: document) {
            document.conflictCopyURLs.count + document.conflictVersions.count == act.texts.count
        }
        #expect(document.documentState.contains(.inConflict) == !act.texts.isEmpty)
    }

    /// What is kept of a file of a document that lost against it.
    private func keptTexts(of document: UIDocument, _ member: String? = nil) -> [String] {
        (document.conflictCopyURLs + document.conflictVersions.map(\.url)).map { url in
            let file = member.map(url.appendingPathComponent) ?? url
            return (try? String(contentsOf: file, encoding: .utf8)) ?? "nothing"
        }
    }

    private func make<Document: UIDocument>(_ keepsVersions: Bool, _ make: () -> Document) -> Document {
        keepsVersions ? user.run(make) : make()
    }

    private var ownNames: [String] {
        get throws { try playground.names.filter { $0.hasPrefix(".sheaf-") } }
    }

    @Test("A file that takes another's place is kept", arguments: Act.allCases, [false, true])
    func file(act: Act, keepsVersions: Bool) async throws {
        let url = try playground.put("old", at: "a.txt")
        let document = make(keepsVersions) { PlainDocument(fileURL: url) }
        #expect(await document.open())
        await document.settle()
        document.type("mine")
        await save(document, while: act, at: url)
        #expect(try playground.text("a.txt") == "mine")
        #expect(keptTexts(of: document) == act.texts)
        #expect(try ownNames == [])
        await document.close()
    }

    @Test("So it is where the app writes the file itself", arguments: Act.allCases)
    func fileOfAnOverride(act: Act) async throws {
        let url = try playground.put("old", at: "a.txt")
        let document = TextDocument(fileURL: url)
        #expect(await document.open())
        document.isAutosaveOff = true
        document.type("mine")
        await save(document, while: act, at: url)
        #expect(try playground.text("a.txt") == "mine")
        #expect(keptTexts(of: document) == act.texts)
        await document.settle()
        #expect(try ownNames == [])
        await document.close()
    }

    private func package() throws -> (url: URL, member: URL) {
        let url = playground["p.rtfd"]
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("other".utf8).write(to: url.appendingPathComponent("other.txt"))
        let member = url.appendingPathComponent("page.txt")
        try Data("old".utf8).write(to: member)
        return (url, member)
    }

    @Test("A member of a package is kept with the whole package", arguments: Act.allCases, [false, true])
    func member(act: Act, keepsVersions: Bool) async throws {
        let (url, member) = try package()
        let document = make(keepsVersions) { MemberDocument(fileURL: url) }
        #expect(await document.open())
        await document.settle()
        document.write("mine", to: "page.txt")
        await save(document, while: act, at: member)
        #expect(try String(contentsOf: member, encoding: .utf8) == "mine")
        #expect(keptTexts(of: document, "page.txt") == act.texts)
        #expect(keptTexts(of: document, "other.txt") == act.texts.map { _ in "other" })
        #expect(try ownNames == [])
        await document.close()
    }

    @Test("A member that is new where somebody puts one is kept", arguments: [false, true])
    func newMember(keepsVersions: Bool) async throws {
        let (url, _) = try package()
        let document = make(keepsVersions) { MemberDocument(fileURL: url) }
        #expect(await document.open())
        await document.settle()
        document.write("mine", to: "new.txt")
        let place = url.appendingPathComponent("new.txt")
        await save(document, while: .replaces, at: place)
        #expect(try String(contentsOf: place, encoding: .utf8) == "mine")
        #expect(keptTexts(of: document, "new.txt") == ["theirs"])
        await document.close()
    }

    @Test("A member that is written when the document removes it is kept")
    func removedMember() async throws {
        let (url, member) = try package()
        let document = MemberDocument(fileURL: url)
        #expect(await document.open())
        document.remove("page.txt")
        await save(document, while: .replaces, at: member)
        #expect(!FileManager.default.fileExists(atPath: member.path))
        #expect(keptTexts(of: document, "page.txt") == ["theirs"])
        await document.settle()
        #expect(try ownNames == [])
        await document.close()
    }

    @Test("A folder that comes there stays, and the save says so")
    func folder() async throws {
        let url = try playground.put("old", at: "a.txt")
        let document = PlainDocument(fileURL: url)
        #expect(await document.open())
        // It would try again, and keep the folder elsewhere.
        document.isAutosaveOff = true
        document.type("mine")
        let interloper = Interloper(at: url) {
            try FileManager.default.removeItem(at: $0)
            try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false)
        }
        SystemCallObservation.add(interloper)
        #expect(await !document.save(to: document.fileURL, for: .forOverwriting))
        SystemCallObservation.remove(interloper)
        #expect(interloper.hasCome)
        #expect(try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true)
        #expect(document.hasUnsavedChanges)
        #expect(try ownNames == [])
        try FileManager.default.removeItem(at: url)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("a.txt") == "mine")
        await document.close()
    }
}

/// Leaves all writing to `UIDocument`, so that its file is staged alone.
private final class PlainDocument: UIDocument {
    var isAutosaveOff = false
    private var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func autosave(completionHandler: ((Bool) -> Void)? = nil) {
        guard isAutosaveOff else { return super.autosave(completionHandler: completionHandler) }
        completionHandler?(true)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }

    func type(_ text: String) {
        self.text = text
        updateChangeCount(.done)
    }
}
