import FileSystem
import Foundation
import Testing
import Vault

@testable import UIKit

/// Who changed a document's file, where the system tells it.
///
/// It tells of who closes the file last. A program that is just being started has open what its starter has: each of
/// these has a process of its own, where no other test starts any.
@Suite("UIDocument and the names of others", .timeLimit(.minutes(3)))
@MainActor
struct OutsideWriterNameTests {
    /// Whether events tell who wrote: for the privileged.
    private nonisolated static let tellsWriters: Bool = {
        let temporary = FilePath(FileManager.default.temporaryDirectory.path)
        return (try? FileEvents.shared.watch(temporary) { _ in })?.tellsWriters ?? false
    }()

    /// A shell that writes, and then lives until it is let go, so that it can be asked for its name.
    private final class Shell {
        let process = Process()
        private let orders = Pipe()
        private let news = Pipe()

        init(writing text: String, to url: URL) throws {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "printf %s \"$1\" > \"$0\"; echo; read line", url.path, text]
            process.standardInput = orders
            process.standardOutput = news
            try process.run()
        }

        func waitUntilWritten() throws {
            #expect(try news.fileHandleForReading.read(upToCount: 1)?.count == 1)
        }

        func end() throws {
            try orders.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    /// Who is said to have written, before and after a document reads itself anew.
    @MainActor
    private final class Told {
        private(set) var all: [(processID: Int32?, name: String?, executable: URL?)] = []
        private var observers: [any NSObjectProtocol] = []

        init(of document: UIDocument) {
            for name in [UIDocument.willReloadNotification, UIDocument.didReloadNotification] {
                observers.append(
                    NotificationCenter.default.addObserver(forName: name, object: document, queue: nil) {
                        [weak self] in
                        let processID = $0.userInfo?[UIDocument.writerProcessIDKey] as? Int32
                        let name = $0.userInfo?[UIDocument.writerNameKey] as? String
                        let executable = $0.userInfo?[UIDocument.writerExecutableKey] as? URL
                        MainActor.assumeIsolated { self?.all.append((processID, name, executable)) }
                    }
                )
            }
        }

        isolated deinit { observers.forEach(NotificationCenter.default.removeObserver) }
    }

    private static func openDocument(in playground: Playground) async throws -> TextDocument {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        // It has looked for what was written while nobody watched: that says nothing of who did.
        await document.settle()
        return document
    }

    @Test("The notifications of a reload say who wrote", .enabled(if: tellsWriters))
    func reloaded() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let playground = try Playground()
            let document = try await Self.openDocument(in: playground)
            let told = Told(of: document)
            let shell = try Shell(writing: "new", to: document.fileURL)
            await wait(for: document) { told.all.count == 2 && document.text == "new" }
            let shellPath = URL(fileURLWithPath: "/bin/sh").resolvingSymlinksInPath().path
            for one in told.all {
                #expect(one.processID == shell.process.processIdentifier)
                #expect(one.name == "sh")
                #expect(one.executable?.path == shellPath)
            }
            try shell.end()
            await document.close()
        }
    }

    @Test("What this process writes without the document is told as its own", .enabled(if: tellsWriters))
    func ourselves() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let playground = try Playground()
            let document = try await Self.openDocument(in: playground)
            let told = Told(of: document)
            try Data("new".utf8).write(to: document.fileURL)
            await wait(for: document) { told.all.count == 2 && document.text == "new" }
            #expect(told.all.map(\.processID) == [getpid(), getpid()])
            await document.close()
        }
    }

    @Test("A conflict names the program that made it", .enabled(if: tellsWriters))
    func conflict() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let playground = try Playground()
            let document = try await Self.openDocument(in: playground)
            // The shell may take longer to start than a document waits before it saves.
            document.isAutosaveOff = true
            document.type("mine")
            let shell = try Shell(writing: "theirs", to: document.fileURL)
            try shell.waitUntilWritten()
            document.isAutosaveOff = false
            #expect(await document.autosave())
            await wait(for: document) {
                document.documentState.contains(.inConflict)
                    && DocumentStateText.describe(document, in: UIViewController()).detail?
                        .contains("changed by “sh” while") == true
            }
            #expect(document.conflictCopyURLs.count == 1)
            try shell.end()
            await document.close()
        }
    }

    @Test("A version of what a program wrote bears that program's name", .enabled(if: tellsWriters))
    func version() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let user = try VersionUser()
            let url = try user.playground.put("old", at: "a.txt")
            let document = user.run { TextDocument(fileURL: url) }
            #expect(await document.open())
            await document.settle()
            let shell = try Shell(writing: "new", to: document.fileURL)
            await wait(for: document) { document.text == "new" && document.documentState == .normal }
            await document.settle()
            let reasons = try user.kept(url).map { try $0.origin().reason }
            #expect(reasons == [.outsideWriter(process: ""), .outsideWriter(process: "sh")])
            try shell.end()
            await document.close()
        }
    }

    @Test("Our own saves are nobody's; what is not known is someone else's, also after a known one")
    func notKnown() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let playground = try Playground()
            let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
            #expect(await document.open())
            document.type("mine")
            #expect(await document.save(to: document.fileURL, for: .forOverwriting))
            let own = WriterProcess(processID: getpid(), name: "own")
            document.noteWriter(own, false)
            #expect(document.lastWriterText == "someone else")
            document.noteWriter(WriterProcess(processID: 1, name: "vim"), true)
            #expect(document.lastWriterText == "“vim”")
            document.noteWriter(own, false)
            #expect(document.lastWriterText == "“vim”")
            document.noteWriter(WriterProcess(processID: 1, name: nil), true)
            #expect(document.lastWriterText == "another program")
            document.noteWriter(nil, true)
            #expect(document.lastWriterText == "someone else")
            await document.close()
        }
    }
}
