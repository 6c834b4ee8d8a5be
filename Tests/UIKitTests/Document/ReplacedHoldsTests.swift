import FileSystem
import Foundation
import TestFolders
import Testing

@testable import UIKit

/// How long files are held that a save has replaced.
///
/// A program that is just being started has open what its starter has: each of these has a process of its own, where no other test
/// starts any.
@Suite("Holds of replaced files")
struct ReplacedHoldsTests {
    private final class Holds {
        let folder: TestFolder
        private var others = OthersWork()

        init() throws { folder = try TestFolder("holds") }

        func hold(_ name: String) throws -> ReplacedFile {
            let url = folder.url.appendingPathComponent(name)
            try Data("old".utf8).write(to: url)
            let path = try #require(FilePath(url))
            let file = try #require(ReplacedFile(path, followsSymbolicLink: true))
            others.late.append(.init(replaced: .init(file: file, item: path, member: nil, former: nil)))
            return file
        }

        /// Whether just these end.
        func end(_ files: some Sequence<ReplacedFile>, afterSeconds seconds: Double) -> Bool {
            let ending = others.endingHolds(at: (others.late.last?.since ?? 0) + seconds)
            return ending.map(ObjectIdentifier.init) == files.map(ObjectIdentifier.init)
        }
    }

    @Test("A file that nobody writes is held for a while")
    func quiet() async {
        await #expect(processExitsWith: .success) {
            let holds = try Holds()
            let file = try holds.hold("a")
            #expect(holds.end([], afterSeconds: 1))
            #expect(holds.end([file], afterSeconds: 3))
        }
    }

    @Test("A file that a program is writing is held until that has closed it, however long that takes")
    func writing() async {
        await #expect(processExitsWith: .success) {
            let holds = try Holds()
            let url = holds.folder.url.appendingPathComponent("a")
            let file = try holds.hold("a")
            let program = try FileHandle(forWritingTo: url)
            try Data("new".utf8).write(to: url, options: .atomic)
            let quiet = try holds.hold("b")
            #expect(holds.end([quiet], afterSeconds: 1000))
            try program.write(contentsOf: Data("late".utf8))
            try program.close()
            #expect(file.isWritten)
            #expect(holds.end([file, quiet], afterSeconds: 1000))
        }
    }

    @Test("Of too many, the oldest end")
    func tooMany() async {
        await #expect(processExitsWith: .success) {
            let holds = try Holds()
            let files = try (0..<OthersWork.lateMax + 2).map { try holds.hold("\($0)") }
            #expect(holds.end(files.prefix(2), afterSeconds: 1))
        }
    }
}
