import CrashHarness
import Foundation
import Testing

@testable import FileSystem

/// Who has files open for writing.
@Suite("OpenForWriting", .timeLimit(.minutes(3)))
struct OpenForWritingTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private var file: FilePath { scratch.path.appending("a") }
    private var url: URL { file.url(isDirectory: false) }

    /// A program that has the file open until it is told to end.
    private func program(_ line: String, _ body: (Process) throws -> Void) throws {
        let process = Process()
        let (orders, answers) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line + "; echo; read line"]
        process.currentDirectoryURL = scratch.path.url(isDirectory: true)
        process.standardInput = orders
        process.standardOutput = answers
        try process.run()
        _ = answers.fileHandleForReading.availableData
        try body(process)
        try orders.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    @Test("A file is open while a program can write into it, and not while one reads")
    func open() throws {
        try Data("1".utf8).write(to: url)
        try program("exec 3< a") { _ in #expect(OpenForWriting.isOpen(file) == false) }
        try program("exec 3>> a") { _ in #expect(OpenForWriting.isOpen(file) == true) }
        #expect(OpenForWriting.isOpen(file) == false)
    }

    @Test("Of what is no file, or not there, nobody can tell")
    func unknown() throws {
        #expect(OpenForWriting.isOpen(file) == nil)
        #expect(OpenForWriting.isOpen(scratch.path) == nil)
        try FileManager.default.createSymbolicLink(atPath: file.string, withDestinationPath: "/etc/passwd")
        #expect(OpenForWriting.isOpen(file) == nil)
    }

    @Test("Who asks neither holds up nor ends a program that opens the file all the time")
    func harmless() throws {
        try Data("1".utf8).write(to: url)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "for n in $(seq 2000); do echo $n >> a; done"]
        process.currentDirectoryURL = scratch.path.url(isDirectory: true)
        try process.run()
        var answers: Set<Bool?> = []
        while process.isRunning { answers.insert(OpenForWriting.isOpen(file)) }
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(!answers.contains(nil))
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2000)
    }

    @Test("The programs that write are named, and those that read are not")
    func writers() throws {
        try Data("1".utf8).write(to: url)
        let real = try file.resolved().string
        // What another test has just forked has all open that this process had, until it runs its program.
        let own = WriterProcess(running: getpid())?.name
        try program("exec 3>> a") { process in
            let writers = OpenForWriting.writers(countMax: 64) { $0 == real }.filter { $0.name != own }
            #expect(writers.map(\.processID) == [process.processIdentifier])
            #expect(writers.first?.name == "sh")
            #expect(OpenForWriting.writers(countMax: 0) { $0 == real }.isEmpty)
        }
        try program("exec 3< a") { _ in
            #expect(OpenForWriting.writers(countMax: 64) { $0 == real }.allSatisfy { $0.name == own })
        }
    }
}
