import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Locks
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

    // MARK: Excluding from sync

    private func isExcluded(_ url: URL) throws -> Bool? {
        try url.resourceValues(forKeys: [.ubiquitousItemIsExcludedFromSyncKey])
            .ubiquitousItemIsExcludedFromSync
    }

    private func exclude(_ url: URL, _ isExcluded: Bool) throws {
        var (url, values) = (url, URLResourceValues())
        values.ubiquitousItemIsExcludedFromSync = isExcluded
        try url.setResourceValues(values)
    }

    @Test(
        "An item that is excluded from sync is fetched first, and stays as it is on this device then",
        arguments: ["a.txt", ".a.txt.icloud"]
    )
    func excluded(name: String) throws {
        try share(["a.txt"])
        try served {
            try evict("a.txt")
            try exclude(url(name), false)
            #expect(try isExcluded(url(name)) == false && two.text("a.txt") == nil)
            two.line.cut()
            wait { two.status?.line == .down && two.said.contains(.freed) }
            let refusal = code { try exclude(url(name), true) }
            #expect(refusal == CocoaError.ubiquitousFileUbiquityServerNotAvailable.rawValue)
            #expect(try isExcluded(url(name)) == false && files.isUbiquitousItem(at: url("a.txt")))
            two.line.mend()
            wait { two.status?.line == .up }
            try exclude(url(name), true)
            #expect(two.contents == ["a.txt": "a.txt"])
            #expect(try isExcluded(url("a.txt")) == true && isExcluded(url(name)) == true)
            #expect(!files.isUbiquitousItem(at: url("a.txt")))
            wait { two.running?.explain("a.txt").chain.first?.kind == .leftOut }
            try one.put("of one", at: "a.txt")
            wait { two.status?.stuck["a.txt"] != nil }
            #expect(two.text("a.txt") == "a.txt")
            try exclude(url(name), false)
            wait { two.text("a.txt") == "of one" && pair.isSettled }
            #expect(try isExcluded(url("a.txt")) == false && files.isUbiquitousItem(at: url("a.txt")))
        }
        end()
    }

    @Test("A folder that is excluded from sync has all in it fetched first")
    func excludedFolder() throws {
        try share(["Album/in/a.txt"])
        try served {
            try evict("Album")
            wait { two.said.contains(.freed) }
            let listed = ["Album", "Album/in", "Album/in/.a.txt.icloud"]
            #expect(two.contents.keys.sorted() == listed)
            two.line.cut()
            wait { two.status?.line == .down }
            let refusal = code { try exclude(url("Album"), true) }
            #expect(refusal == CocoaError.ubiquitousFileUbiquityServerNotAvailable.rawValue)
            #expect(try isExcluded(url("Album")) == false && two.contents.keys.sorted() == listed)
            two.line.mend()
            wait { two.status?.line == .up }
            try exclude(url("Album"), true)
            #expect(try isExcluded(url("Album")) == true)
            #expect(two.text("Album/in/a.txt") == "Album/in/a.txt")
        }
        end()
    }

    // MARK: Through symbolic links

    /// What a coordinated reader finds, in both ways of asking.
    private func read(_ url: URL, _ options: NSFileCoordinator.ReadingOptions, isAsync: Bool) -> String? {
        let found = Locked<String?>(nil)
        func take(_ place: URL) { found.withLock { $0 = text(place) ?? "nothing" } }
        guard isAsync else {
            var failure: NSError?
            NSFileCoordinator().coordinate(
                readingItemAt: url,
                options: options,
                error: &failure,
                byAccessor: take
            )
            return found.withLock { $0 } ?? failure.map { "\($0.code)" }
        }
        let (intent, ended) = (
            NSFileAccessIntent.readingIntent(with: url, options: options), DispatchSemaphore(value: 0)
        )
        NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) { error in
            let read =
                error.map { "\(($0 as NSError).code)" }
                ?? (try? Data(contentsOf: intent.url)).map { String(decoding: $0, as: UTF8.self) }
                ?? "nothing"
            found.withLock { $0 = read }
            ended.signal()
        }
        #expect(ended.wait(timeout: .now() + 60) == .success)
        return found.withLock { $0 }
    }

    @Test(
        "Through a symbolic link, wherever that is, contents are fetched that are not here",
        arguments: [false, true]
    )
    func links(isAsync: Bool) throws {
        try share(["a.txt", "Album/b.txt"])
        func link(_ url: URL, to path: String) throws {
            try files.createSymbolicLink(atPath: url.path, withDestinationPath: path)
        }
        let outside = base.appendingPathComponent("outside.txt")
        let further = base.appendingPathComponent("further.txt")
        let folder = base.appendingPathComponent("folder")
        try link(url("relative.txt"), to: "a.txt")
        try link(url("absolute.txt"), to: url("a.txt").path)
        try link(outside, to: url("a.txt").path)
        try link(further, to: "outside.txt")
        try link(folder, to: two.folder.path)
        let onTheWay = folder.appendingPathComponent("relative.txt")
        try served {
            for place in [url("relative.txt"), url("absolute.txt"), outside, further, onTheWay] {
                for options in [.resolvesSymbolicLink, []] as [NSFileCoordinator.ReadingOptions] {
                    try evict("a.txt")
                    #expect(read(place, options, isAsync: isAsync) == "a.txt", "\(place.path) \(options)")
                }
            }
            try evict("a.txt")
            try evict("Album")
            // Nothing comes for what leads nowhere or in a circle, nor for a folder whose documents nobody has asked for.
            let (dangling, circle) = (
                base.appendingPathComponent("dangling"), base.appendingPathComponent("circle")
            )
            let album = base.appendingPathComponent("album")
            try link(dangling, to: "nowhere.txt")
            try link(circle, to: "circle")
            try link(album, to: url("Album").path)
            for place in [dangling, circle, album] {
                #expect(read(place, [], isAsync: isAsync) == "nothing")
            }
            #expect(read(dangling, .resolvesSymbolicLink, isAsync: isAsync) == "nothing")
            #expect(read(album, .resolvesSymbolicLink, isAsync: isAsync) == "nothing")
            #expect(
                read(circle, .resolvesSymbolicLink, isAsync: isAsync)
                    == "\(CocoaError.fileReadUnknown.rawValue)"
            )
            // Who removes a link, or trashes it, does nothing to what it leads to.
            var failure: NSError?
            NSFileCoordinator().coordinate(writingItemAt: outside, options: .forDeleting, error: &failure) {
                place in
                #expect(throws: Never.self) { try files.removeItem(at: place) }
            }
            #expect(failure == nil && two.text("a.txt") == nil && two.text("Album/b.txt") == nil)
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
