import Dispatch
import FileSystem
import Foundation
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// Which folders are looked at anew.
@Suite("Watches of a container's folders", .onOwnThreads)
struct FolderWatchesTests {
    private let folder: TestFolder
    private let root: URL

    init() throws {
        folder = try TestFolder("watches")
        root = folder.url.appendingPathComponent("root")
        try FileManager.default.createDirectory(
            at: root.appendingPathComponent("letters"),
            withIntermediateDirectories: true
        )
    }

    @Test("A renamed folder is looked at where it is, not all that is in it")
    func renamed() async throws {
        let letters = ItemID(1, 1)
        let queue = DispatchQueue(label: "watches")
        let (news, continuation) = AsyncStream.makeStream(of: ItemID.self)
        let path = FilePath(root.path)
        let watches = try queue.sync {
            let watches = FolderWatches(on: queue) { news in
                if case .folder(let item, _) = news { continuation.yield(item) }
            }
            try watches.watch(folder: .root, at: path)
            try watches.watch(folder: letters, at: path.appending("letters"))
            return Confined(watches)
        }
        try FileManager.default.moveItem(
            at: root.appendingPathComponent("letters"),
            to: root.appendingPathComponent("mail")
        )
        var told: [ItemID] = []
        for await item in news {
            told.append(item)
            // The rename may be told in two pieces: what is written into the folder after it comes last.
            if told == [.root] { try Data("a".utf8).write(to: root.appendingPathComponent("mail/a.txt")) }
            if item == letters { break }
        }
        #expect(Set(told.dropLast()) == [.root])

        // Nothing is above the container's own folder.
        try FileManager.default.moveItem(at: root, to: root.appendingPathExtension("away"))
        for await item in news where item == .root { break }
        queue.sync { watches.value.endAll() }
    }

    @Test(
        "What is on its way from a folder or a package that is watched once more still comes",
        arguments: [true, false]
    )
    func watchedAgain(isPackage: Bool) throws {
        let item = ItemID(1, 1)
        let path = FilePath(root.path).appending("letters")
        let queue = DispatchQueue(label: "watches")
        let isHeard = DispatchSemaphore(value: 0)
        let watches = queue.sync {
            Confined(
                FolderWatches(on: queue) { news in
                    switch news {
                    case .folder(_, let events), .package(_, let events):
                        if events.contains(where: { $0.kind == .created && $0.name == "a.txt" }) {
                            isHeard.signal()
                        }
                    case .ended, .overflow: break
                    }
                }
            )
        }
        func watch() throws {
            if isPackage {
                try watches.value.watch(package: item, at: path)
            } else {
                try watches.value.watch(folder: item, at: path)
            }
        }
        try queue.sync {
            try watch()
            let isTold = DispatchSemaphore(value: 0)
            let witness = try DirectoryWatch(path, on: DispatchQueue(label: "witness")) { events in
                for event in events where event.kind == .created { isTold.signal() }
            }
            // Once the second has been told all that the first comes to waits for this queue.
            for name in ["a.txt", "b.txt"] {
                try Data("a".utf8).write(to: root.appendingPathComponent("letters/" + name))
                #expect(isTold.wait(timeout: .now() + 60) == .success)
            }
            witness.cancel()
            try watch()
        }
        #expect(isHeard.wait(timeout: .now() + 60) == .success)
        queue.sync { watches.value.endAll() }
    }
}
