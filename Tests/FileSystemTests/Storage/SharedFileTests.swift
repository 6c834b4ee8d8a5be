import CrashHarness
import FileSystem
import Foundation
import Testing

@Suite("Files under two names")
struct SharedFileTests {
    private let scratch: ScratchFolder
    private let store: StorageFolder
    private let folder: StorageFolder

    init() throws {
        scratch = try ScratchFolder()
        let top = try StorageFolder(at: scratch.path)
        (store, folder) = (try top.makeFolder("store"), try top.makeFolder("folder"))
    }

    private func write(_ text: String, _ place: FilePath) throws {
        try Data(text.utf8).write(to: place.url(isDirectory: false))
    }

    @Test(
        "An open file gets its second name wherever it has been moved meanwhile, and keeps all that it bears"
    )
    func linked() throws {
        let place = folder.path.appending("a")
        try write("text", place)
        let file = try folder.source("a")
        try ItemMoves.move(place, toFree: folder.path.appending("b"))
        #expect(try store.link(file, as: "lent"))
        let stamp = try FileStamp(of: folder.path.appending("b"))
        #expect(try FileStamp(of: store.path.appending("lent")) == stamp)
        #expect(try store.linkCount(of: "lent") == 2)
        #expect(throws: SystemError.self) { try store.link(file, as: "lent") }
        // One that has lost all its names gets none.
        try folder.remove("b")
        try store.remove("lent")
        #expect(try !store.link(file, as: "lent"))
    }

    @Test("A file of a store is given to one place, and to no second one, however many ask at once")
    func shared() throws {
        for _ in 0..<50 {
            try write("text", store.path.appending("lent"))
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                do { _ = try store.share("lent", as: "\(number)", in: folder) } catch { Issue.record(error) }
            }
            let count = try folder.entries().count
            #expect(count <= 1)
            #expect(try store.linkCount(of: "lent") == UInt64(1 + count))
            #expect(try !store.share("lent", as: "other", in: folder) || count == 0)
            for entry in try folder.entries() { try folder.remove(entry.name) }
            try store.remove("lent")
        }
    }
}
