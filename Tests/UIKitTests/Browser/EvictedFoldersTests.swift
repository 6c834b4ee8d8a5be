import Dispatch
import DocumentFoundation
import FileSystem
import Foundation
import LocalSockets
import SyncMessages
import TestThreads
import Testing

@testable import UIKit

/// Folders in a browser that hold items whose contents are not on this device.
@Suite("Folders with evicted items in a browser", .onOwnThreads, .timeLimit(.minutes(3)))
struct EvictedFoldersTests {
    /// Answers one question as `sheaf up` does.
    private final class Answerer: Sendable {
        private let joined: JoinedPlace
        private let ended = DispatchSemaphore(value: 0)
        var account: UbiquityAccount { joined.account }

        /// - Parameter folder: What is joined.
        init(_ folder: URL) throws { joined = try JoinedPlace(folder) }

        /// Waits on a thread of its own for a folder's contents to be asked for, has something done, and says that they are here.
        func start(_ path: String, _ fill: @escaping @Sendable () throws -> Void) {
            let thread = Thread { [self] in
                do { try answer(path, fill) } catch { Issue.record("\(error)") }
                ended.signal()
            }
            thread.start()
        }

        /// Waits until it has answered.
        func end() { ended.wait() }

        private func answer(_ path: String, _ fill: () throws -> Void) throws {
            let (question, socket) = try joined.question()
            #expect(question == .download(path: path, isAwaited: true))
            try fill()
            let bytes = try SyncLine.bytes(SyncAnswer.done)
            _ = bytes.withUnsafeBytes { socket.send($0) }
        }
    }

    private let shelf: Shelf
    private let answerer: Answerer
    private let files = FileManager.default
    private var place: URL { shelf.at("Album/a.txt") }
    private var placeholder: URL { shelf.at("Album/.a.txt.icloud") }

    init() throws {
        shelf = try Shelf()
        answerer = try Answerer(shelf.url)
        try shelf.makeFolder("Album")
        let evicted = Placeholder(name: "a.txt", byteCount: 8, isDirectory: false, typeIdentifier: nil)
        try evicted.encoded().write(to: placeholder)
    }

    private func worker(_ shelf: Shelf) -> FolderWorker {
        let data = shelf.url.deletingLastPathComponent().appendingPathComponent("data")
        let settings = TrashSettings(environment: ["XDG_DATA_HOME": data.path], userID: getuid())
        return FolderWorker(location: shelf.location, trash: Trash(settings))
    }

    /// Does something while somebody answers.
    ///
    /// - Parameter comes: Whether the contents come.
    private func perform(comes: Bool = true, _ deed: () throws -> BrowserOutcome) throws -> BrowserOutcome {
        answerer.start(try FilePath(shelf.at("Album").path).resolved().string) { [place, placeholder] in
            guard comes else { return }
            try Data("contents".utf8).write(to: place, options: .atomic)
            try FileManager.default.removeItem(at: placeholder)
        }
        defer { answerer.end() }
        return try UbiquityAccount.$shared.withValue(answerer.account) { try deed() }
    }

    private func text(_ url: URL) throws -> String {
        String(decoding: try Data(contentsOf: url), as: UTF8.self)
    }

    @Test("The trash gets a folder with the contents of all in it")
    func trashed() throws {
        let outcome = try perform { worker(shelf).trash(["Album"]) }
        guard case .putBack(let trashed) = outcome.inverse, let folder = trashed.first?.url else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try text(folder.appendingPathComponent("a.txt")) == "contents")
        #expect(try files.contentsOfDirectory(atPath: folder.path) == ["a.txt"])
        #expect(try shelf.names() == [])
    }

    @Test("A duplicate of a folder has the contents of all in it")
    func duplicated() throws {
        let outcome = try perform { worker(shelf).duplicate(["Album"]) }
        let id = try #require(outcome.items.first?.id)
        #expect(try shelf.names(id) == ["a.txt"])
        #expect(try shelf.text("\(id)/a.txt") == "contents")
        #expect(try shelf.names("Album") == ["a.txt"])
    }

    @Test("So has a copy of one in another location")
    func copied() throws {
        let other = try Shelf()
        let album = shelf.at("Album")
        let outcome = try perform { try worker(other).importItems(at: [album], into: "", mode: .copy) }
        #expect(outcome.failures.isEmpty)
        #expect(try other.names("Album") == ["a.txt"])
        #expect(try other.text("Album/a.txt") == "contents")
    }

    @Test("A folder that is moved out of its container takes the contents of all in it along")
    func moved() throws {
        let other = try Shelf()
        let album = shelf.at("Album")
        let outcome = try perform { try worker(other).importItems(at: [album], into: "", mode: .move) }
        #expect(outcome.failures.isEmpty)
        #expect(try other.names("Album") == ["a.txt"])
        #expect(try other.text("Album/a.txt") == "contents")
        #expect(try shelf.names() == [])
    }

    @Test("A folder stays when what is in it does not come, though nobody says why; it is named")
    func stray() throws {
        let outcome = try perform(comes: false) { worker(shelf).trash(["Album"]) }
        #expect(outcome.items.isEmpty && outcome.failures.map(\.item) == ["Album"])
        let reason = outcome.failures.first?.underlying?.localizedDescription ?? ""
        #expect(reason.contains("“a.txt”"), "\(outcome.failures)")
        #expect(try shelf.names("Album") == [".a.txt.icloud"])
    }

    @Test("Within its container a folder moves with its placeholders, and nothing is asked for")
    func movedInside() throws {
        let outcome = try UbiquityAccount.$shared.withValue(answerer.account) {
            try worker(shelf).rename("Album", to: "Pictures", showsExtension: true)
        }
        #expect(outcome.items.map(\.id) == ["Pictures"])
        #expect(try shelf.names("Pictures") == [".a.txt.icloud"])
    }

    @Test("What comes back from the trash leaves its name to an item that is there without its contents")
    func putBack() throws {
        try FileManager.default.removeItem(at: placeholder)
        try shelf.write("Album/a.txt", "first")
        let inverse = try UbiquityAccount.$shared.withValue(answerer.account) {
            try #require(worker(shelf).trash(["Album/a.txt"]).inverse)
        }
        let evicted = Placeholder(name: "a.txt", byteCount: 8, isDirectory: false, typeIdentifier: nil)
        try evicted.encoded().write(to: placeholder)
        let back = UbiquityAccount.$shared.withValue(answerer.account) { worker(shelf).perform(inverse) }
        #expect(back.items.map(\.id) == ["Album/a 2.txt"] && back.failures.isEmpty)
        #expect(try shelf.text("Album/a 2.txt") == "first")
    }
}
