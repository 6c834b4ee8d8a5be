import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What apps do to items whose contents are not on their device.
@Suite("Deeds on evicted items", .onOwnThreads, .timeLimit(.minutes(2)))
struct EvictedDeedsTests {
    private let pair: DevicePair
    private var base: URL { pair.base }
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private let files = FileManager.default

    init() throws { pair = try DevicePair() }

    private func end() { pair.end() }

    private func wait(_ location: SourceLocation = #_sourceLocation, until condition: () -> Bool) {
        pair.wait(location, until: condition)
    }

    /// Runs something while the second device is kept in step by a process that answers.
    private func served(_ body: () throws -> Void) throws {
        let (account, end) = try pair.serve(as: "iCloud.x")
        defer { end() }
        try UbiquityAccount.$shared.withValue(account) { try body() }
    }

    /// Has both have files that hold their own names.
    private func share(_ names: [String]) throws {
        for name in names { try one.write(name, to: name) }
        wait { names.allSatisfy { two.text($0) == $0 } && pair.isSettled }
    }

    private func url(_ name: String) -> URL { two.folder.appendingPathComponent(name) }

    /// Evicts an item on the second device.
    private func evict(_ name: String) throws {
        wait { pair.isSettled }
        try files.evictUbiquitousItem(at: url(name))
    }

    private func text(_ url: URL) -> String? {
        (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The number of the error that something throws: what comes out of coordination is an `NSError`.
    private func code(_ body: () throws -> Void) -> Int? {
        do { try body() } catch { return (error as NSError).code }
        return nil
    }

    // MARK: Leaving the container

    @Test("A folder leaves its container with the contents of all in it, or does not leave")
    func folderLeaves() throws {
        try share(["Album/in/a.txt"])
        try served {
            try evict("Album")
            // Until then they are here all the same, and need no line.
            wait { two.said.contains(.freed) }
            let listed = ["Album", "Album/in", "Album/in/.a.txt.icloud"]
            #expect(two.contents.keys.sorted() == listed)
            let local = base.appendingPathComponent("local", isDirectory: true)
            two.line.cut()
            wait { two.status?.line == .down }
            let refusal = code {
                try files.setUbiquitous(false, itemAt: url("Album"), destinationURL: local)
            }
            #expect(refusal == CocoaError.ubiquitousFileUbiquityServerNotAvailable.rawValue)
            #expect(two.contents.keys.sorted() == listed && !files.fileExists(atPath: local.path))
            two.line.mend()
            wait { two.status?.line == .up }
            try files.setUbiquitous(false, itemAt: url("Album"), destinationURL: local)
            #expect(text(local.appendingPathComponent("in/a.txt")) == "Album/in/a.txt")
            let names = try files.contentsOfDirectory(atPath: local.appendingPathComponent("in").path)
            #expect(names == ["a.txt"])
            wait { one.contents == [:] && two.contents == [:] }
        }
        end()
    }

    @Test("So it does in a coordinated move by moveItem; within the container placeholders move as they are")
    func coordinatedMoveOut() throws {
        try share(["Album/a.txt"])
        try served {
            try evict("Album")
            func move(_ from: URL, _ to: URL) throws {
                let coordinator = NSFileCoordinator()
                var (failure, refusal): (NSError?, (any Error)?) = (nil, nil)
                coordinator.coordinate(
                    writingItemAt: from,
                    options: .forMoving,
                    writingItemAt: to,
                    options: .forReplacing,
                    error: &failure
                ) { source, target in
                    do { try files.moveItem(at: source, to: target) } catch { refusal = error }
                    coordinator.item(at: source, didMoveTo: target)
                }
                if let failure { throw failure }
                if let refusal { throw refusal }
            }
            try move(url("Album"), url("Pictures"))
            #expect(two.contents.keys.sorted() == ["Pictures", "Pictures/.a.txt.icloud"])
            wait { one.contents == ["Pictures": "/", "Pictures/a.txt": "Album/a.txt"] }
            let local = base.appendingPathComponent("local", isDirectory: true)
            try move(url("Pictures"), local)
            #expect(text(local.appendingPathComponent("a.txt")) == "Album/a.txt")
            wait { one.contents == [:] }
        }
        end()
    }

    // MARK: Deleting, moving, replacing

    @Test("Deleted, moved and replaced in coordinated accesses, an item is so on every device")
    func deeds() throws {
        try share(["delete.txt", "move.txt", "replace.txt"])
        try served {
            for name in ["delete.txt", "move.txt", "replace.txt"] { try evict(name) }
            #expect(two.contents.keys.allSatisfy { $0.hasSuffix(".icloud") })
            let coordinator = NSFileCoordinator()
            var failure: NSError?
            coordinator.coordinate(
                writingItemAt: url("delete.txt"),
                options: .forDeleting,
                error: &failure
            ) { place in #expect(throws: Never.self) { try files.removeItem(at: place) } }
            coordinator.coordinate(
                writingItemAt: url("move.txt"),
                options: .forMoving,
                writingItemAt: url("moved.txt"),
                options: .forReplacing,
                error: &failure
            ) { source, target in
                #expect(throws: Never.self) { try files.moveItem(at: source, to: target) }
                coordinator.item(at: source, didMoveTo: target)
            }
            coordinator.coordinate(
                writingItemAt: url("replace.txt"),
                options: .forReplacing,
                error: &failure
            ) { place in #expect(throws: Never.self) { try Data("new".utf8).write(to: place) } }
            #expect(failure == nil)
            wait { one.contents == ["moved.txt": "move.txt", "replace.txt": "new"] && pair.isSettled }
            #expect(two.contents == one.contents)
        }
        end()
    }

    @Test("replaceItemAt and trashItem fetch what they replace and discard, of a folder all that is in it")
    func replacedAndTrashed() throws {
        try share(["swap.txt", "trash.txt", "Album/a.txt"])
        try served {
            for name in ["swap.txt", "trash.txt", "Album"] { try evict(name) }
            let new = base.appendingPathComponent("new.txt")
            try Data("swapped".utf8).write(to: new)
            let place = try files.replaceItemAt(url("swap.txt"), withItemAt: new)
            #expect(place?.path == url("swap.txt").path)
            for (name, inner) in [("trash.txt", nil), ("Album", "a.txt")] as [(String, String?)] {
                var trashed: NSURL?
                try files.trashItem(at: url(name), resultingItemURL: &trashed)
                let found = try #require(trashed) as URL
                defer {
                    // Others' items are in this trash, too.
                    let note = found.deletingLastPathComponent().deletingLastPathComponent()
                        .appendingPathComponent("info/\(found.lastPathComponent).trashinfo")
                    for left in [found, note] {
                        #expect(throws: Never.self) { try files.removeItem(at: left) }
                    }
                }
                let document = inner.map { found.appendingPathComponent($0) } ?? found
                #expect(text(document) == (inner.map { "\(name)/\($0)" } ?? name))
            }
            wait { one.contents == ["swap.txt": "swapped"] && pair.isSettled }
            #expect(two.contents == one.contents)
        }
        end()
    }

    // MARK: Accesses inside accesses

    @Test("Inside a write of an item without its contents they can be read")
    func readInsideWrite() throws {
        try share(["a.txt"])
        try served {
            try evict("a.txt")
            let coordinator = NSFileCoordinator()
            var (outer, inner, read): (NSError?, NSError?, String?) = (nil, nil, nil)
            coordinator.coordinate(
                writingItemAt: url("a.txt"),
                options: .forReplacing,
                error: &outer
            ) { place in
                coordinator.coordinate(readingItemAt: place, error: &inner) { read = text($0) }
            }
            #expect(read == "a.txt" && outer == nil && inner == nil)
        }
        end()
    }

    @Test("Contents that an access around the reader keeps from coming are refused at once, not waited for")
    func refusedInside() throws {
        try share(["Album/a.txt"])
        try served {
            try evict("Album/a.txt")
            let document = url("Album/a.txt")
            let coordinator = NSFileCoordinator()
            var (outer, inner, read): (NSError?, NSError?, String?) = (nil, nil, nil)
            coordinator.coordinate(writingItemAt: url("Album"), options: .forMoving, error: &outer) { _ in
                coordinator.coordinate(readingItemAt: document, error: &inner) { read = text($0) }
            }
            #expect(inner.flatMap { FileCoordinationError($0) }?.code == .deadlock)
            #expect(inner?.localizedDescription.contains("“Album”") == true && read == nil && outer == nil)
            inner = nil
            coordinator.coordinate(
                readingItemAt: document,
                options: .immediatelyAvailableMetadataOnly,
                error: &outer
            ) { place in
                coordinator.coordinate(readingItemAt: place, error: &inner) { read = text($0) }
            }
            #expect(inner.flatMap { FileCoordinationError($0) }?.code == .deadlock && outer == nil)
            #expect(read == nil && two.contents.keys.sorted() == ["Album", "Album/.a.txt.icloud"])
            // Beside the folder's own reading they come.
            coordinator.coordinate(readingItemAt: url("Album"), error: &outer) { _ in
                inner = nil
                coordinator.coordinate(readingItemAt: document, error: &inner) { read = text($0) }
            }
            #expect(read == "Album/a.txt" && inner == nil)
            try evict("Album/a.txt")
            read = nil
            coordinator.coordinate(
                readingItemAt: document,
                options: [],
                writingItemAt: url("Album"),
                options: .forMoving,
                error: &outer
            ) { place, _ in
                coordinator.coordinate(readingItemAt: place, error: &inner) { read = text($0) }
            }
            #expect(read == "Album/a.txt" && outer == nil && inner == nil)
        }
        end()
    }
}
