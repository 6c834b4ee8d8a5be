import Cryptography
import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What resource values say of items of two devices, at moments that pass.
@Suite("Resource values of items that are kept in step", .onOwnThreads, .timeLimit(.minutes(2)))
struct ItemValuesTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private var url: URL { two.folder.appendingPathComponent("a.bin") }

    init() throws { pair = try DevicePair() }

    private func value<Value>(_ key: URLResourceKey, of url: URL? = nil) -> Value? {
        // What is not there has no values.
        (try? (url ?? self.url).resourceValues(forKeys: [key]))?.allValues[key] as? Value
    }

    private var status: URLUbiquitousItemDownloadingStatus? { value(.ubiquitousItemDownloadingStatusKey) }

    /// Whole at once: of what is sent before it is written to its end the share would be another's.
    private func put(_ bytes: Data, on device: TestDevice) throws {
        let source = pair.base.appendingPathComponent("source")
        try bytes.write(to: source)
        let target = FilePath(device.folder.path).appending("a.bin")
        #expect(rename(source.path, target.string) == 0)
    }

    @Test("While contents go or come it is said that they do, and how much has; before and after it is not")
    func transfers() async throws {
        let bytes = Data(try RandomBytes.make(20 << 20))
        try await pair.served {
            two.slowDown(toSeconds: 0.2)
            try put(bytes, on: two)
            pair.wait {
                let share: Double? = value(.ubiquitousItemPercentUploadedKey)
                return value(.ubiquitousItemIsUploadingKey) == true
                    && value(.ubiquitousItemIsUploadedKey) == false && share.map { $0 < 100 } == true
            }
            pair.wait { pair.isSettled && value(.ubiquitousItemIsUploadedKey) == true }
            #expect(value(.ubiquitousItemIsUploadingKey) == false)
            #expect(value(.ubiquitousItemPercentUploadedKey) == 100.0)
            #expect(value(.ubiquitousItemIsDownloadingKey) == false)
            try FileManager.default.evictUbiquitousItem(at: url)
            pair.wait { two.said.contains(.freed) }
            #expect(status == .notDownloaded && value(.ubiquitousItemIsDownloadedKey) == false)
            try FileManager.default.startDownloadingUbiquitousItem(at: url)
            pair.wait {
                let share: Double? = value(.ubiquitousItemPercentDownloadedKey)
                return value(.ubiquitousItemIsDownloadingKey) == true && status == .notDownloaded
                    && share.map { $0 > 0 && $0 < 100 } == true
            }
            pair.wait { status == .current && value(.ubiquitousItemIsDownloadingKey) == false }
            #expect(value(.ubiquitousItemPercentDownloadedKey) == 100.0)
            #expect(try Data(contentsOf: url) == bytes)
        }
        pair.end()
    }

    @Test("In an async function each closure of one expression reads the container's values")
    func closuresOfOneExpression() async throws {
        try put(Data("here".utf8), on: two)
        try await pair.served {
            pair.wait { pair.isSettled && value(.ubiquitousItemIsUploadedKey) == true }
            let (url, urls) = (url, [url])
            let inContainers = try urls.filter {
                try $0.resourceValues(forKeys: [.isUbiquitousItemKey]).isUbiquitousItem == true
            }
            #expect(inContainers == urls)
            let uploaded = urls.filter {
                (try? $0.resourceValues(forKeys: [.ubiquitousItemIsUploadedKey]))?.ubiquitousItemIsUploaded
                    == true
            }
            #expect(uploaded == urls)
            let inTask = Task {
                try url.resourceValues(forKeys: [.ubiquitousItemIsUploadedKey]).ubiquitousItemIsUploaded
            }
            #expect(try await inTask.value == true)
            var object: AnyObject?
            try (url as NSURL).getResourceValue(&object, forKey: .isUbiquitousItemKey)
            #expect((object as? NSNumber)?.boolValue == true)
            try (url as NSURL).getResourceValue(&object, forKey: .ubiquitousItemDownloadingStatusKey)
            #expect(object as? URLUbiquitousItemDownloadingStatus == .current)
            let listed = try (url as NSURL).resourceValues(forKeys: [
                .ubiquitousItemIsUploadedKey, .fileSizeKey,
            ])
            #expect(
                listed[.ubiquitousItemIsUploadedKey] as? Bool == true && listed[.fileSizeKey] as? Int == 4
            )
            // In statements of their own sets do as well.
            let keys: Set<URLResourceKey> = [.ubiquitousItemIsUploadedKey]
            let read = urls.map {
                let values = try? $0.resourceValues(forKeys: keys)
                return values?.ubiquitousItemIsUploaded
            }
            #expect(read == [true])
            #expect(try url.resourceValues(forKeys: keys).ubiquitousItemIsUploaded == true)
        }
        pair.end()
    }

    @Test("An older state that is here is downloaded, the newest one current")
    func stale() async throws {
        try put(Data("first".utf8), on: one)
        pair.wait { two.text("a.bin") == "first" && pair.isSettled }
        try await pair.served {
            #expect(status == .current)
            two.slowDown(toSeconds: 0.2)
            try put(Data(try RandomBytes.make(20 << 20)), on: one)
            pair.wait { status == .downloaded }
            #expect(two.text("a.bin") == "first" && value(.ubiquitousItemIsDownloadedKey) == true)
            pair.wait { status == .current }
            let byteCount: Int? = value(.fileSizeKey)
            #expect(byteCount == 20 << 20)
        }
        pair.end()
    }

    @Test("An item with an unsettled conflict says so until somebody has settled it")
    func conflict() async throws {
        try put(Data("first".utf8), on: one)
        pair.wait { two.text("a.bin") == "first" && pair.isSettled }
        try await pair.served {
            let other = two.folder.appendingPathComponent("b.bin")
            try Data("b".utf8).write(to: other)
            #expect(value(.ubiquitousItemHasUnresolvedConflictsKey) == false)
            two.line.cut()
            pair.wait { two.status?.line == .down }
            try put(Data([0, 1, 2]), on: one)
            pair.wait { one.running?.isInStepNow == true }
            try put(Data([0, 3, 4]), on: two)
            two.line.mend()
            pair.wait { value(.ubiquitousItemHasUnresolvedConflictsKey) == true }
            #expect(value(.ubiquitousItemHasUnresolvedConflictsKey, of: other) == false)
            for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
                version.isResolved = true
            }
            #expect(value(.ubiquitousItemHasUnresolvedConflictsKey) == false)
        }
        pair.end()
    }

    @Test("So does one whose contents are not here")
    func conflictOfEvicted() async throws {
        try put(Data("first".utf8), on: one)
        pair.wait { two.text("a.bin") == "first" && pair.isSettled }
        try await pair.served {
            try FileManager.default.evictUbiquitousItem(at: url)
            pair.wait { two.said.contains(.freed) }
            #expect(value(.ubiquitousItemHasUnresolvedConflictsKey) == false)
            let theirs = one.folder.appendingPathComponent("a.bin")
            _ = try one.versions.keepConflict(
                contents: Data("other".utf8),
                of: theirs,
                dated: Date(),
                .autosave
            )
            try put(Data("second".utf8), on: one)
            pair.wait { value(.ubiquitousItemHasUnresolvedConflictsKey) == true }
            #expect(status == .notDownloaded)
            for version in try one.unresolvedConflicts(of: theirs) { version.isResolved = true }
            pair.wait { value(.ubiquitousItemHasUnresolvedConflictsKey) == false }
            #expect(status == .notDownloaded)
        }
        pair.end()
    }

    @Test("What is evicted and fetched again has the number that it had, and says when it came to be")
    func identity() async throws {
        try put(Data("first".utf8), on: one)
        pair.wait { two.text("a.bin") == "first" && pair.isSettled }
        let settings = BookmarkSettings(environment: ["HOME": pair.base.path], userID: geteuid())
        try await BookmarkKeeper.$shared.withValue(BookmarkKeeper(settings)) {
            try await pair.served {
                let number: Int = try #require(value(.documentIdentifierKey))
                let born: Date = try #require(value(.creationDateKey))
                try FileManager.default.evictUbiquitousItem(at: url)
                pair.wait { two.said.contains(.freed) }
                #expect(value(.documentIdentifierKey) == number)
                let kept: Date = try #require(value(.creationDateKey))
                // A property list's dates are whole seconds.
                #expect(abs(kept.timeIntervalSince(born)) <= 1)
                try FileManager.default.startDownloadingUbiquitousItem(at: url)
                pair.wait { two.text("a.bin") == "first" }
                #expect(value(.documentIdentifierKey) == number)
            }
        }
        pair.end()
    }

    @Test(
        "A bookmark leads to what was evicted since, and one that is made then to what is fetched later",
        arguments: [false, true]
    )
    func bookmarks(isPackage: Bool) async throws {
        let name = isPackage ? "p.rtfd" : "a.txt"
        try one.write("text", to: isPackage ? "p.rtfd/TXT.rtf" : name)
        pair.wait { two.contents == one.contents && !two.contents.isEmpty && pair.isSettled }
        let item = two.folder.appendingPathComponent(name, isDirectory: isPackage)
        let place = try FilePath(item.path).resolvedInFolder()
        func expect(_ bookmarks: [Data]) throws {
            for data in bookmarks {
                var isStale = true
                let found = try URL(resolvingBookmarkData: data, bookmarkDataIsStale: &isStale)
                #expect(FilePath(found.path) == place && found.hasDirectoryPath == isPackage && !isStale)
            }
        }
        let settings = BookmarkSettings(environment: ["HOME": pair.base.path], userID: geteuid())
        try await BookmarkKeeper.$shared.withValue(BookmarkKeeper(settings)) {
            try await pair.served {
                let before = try item.bookmarkData()
                try FileManager.default.evictUbiquitousItem(at: item)
                pair.wait { two.said.contains(.freed) }
                let bookmarks = [before, try item.bookmarkData()]
                try expect(bookmarks)
                try FileManager.default.startDownloadingUbiquitousItem(at: item)
                pair.wait { two.contents == one.contents && pair.isSettled }
                try expect(bookmarks)
            }
        }
        pair.end()
    }

    /// How an item stands right after something was done to it, before any event of that can have been heard.
    private func state(of name: String, after body: () throws -> Void = {}) throws -> ItemSyncState? {
        let running = try #require(two.running)
        let result = running.ask(
            { run in
                Result<ItemSyncState?, any Error> {
                    // Events are heard where this runs.
                    try body()
                    return run.state(at: name)
                }
            },
            or: { _ in .success(nil) }
        )
        return try result.get()
    }

    @Test("What has just been saved is not at the hub, though nobody has been told of it yet")
    func justSaved() throws {
        try put(Data("first".utf8), on: one)
        pair.wait { two.text("a.bin") == "first" && pair.isSettled }
        pair.wait { (try? state(of: "a.bin"))?.isUploaded == true }
        let saved = try state(of: "a.bin") { try put(Data("second".utf8), on: two) }
        #expect(saved?.isUploaded == false && saved?.isSettled == false)
        let made = try state(of: "b.bin") { try two.put("new", at: "b.bin") }
        let new = try #require(made)
        #expect(!new.isUploaded && !new.isSettled && !new.isFolder && new.byteCount == 3)
        #expect(new.path == two.place.folder.string + "/b.bin")
        let package = try state(of: "p.rtfd") { try two.write("text", to: "p.rtfd/TXT.rtf") }
        #expect(package?.isUploaded == false && package?.isFolder == false)
        // What is in a package is no item of its own, nor is what has a name that saves use.
        #expect(try state(of: "nothing.bin") == nil && state(of: "p.rtfd/TXT.rtf") == nil)
        let reserved = try state(of: ".sheaf-mine.bin") { try two.write("mine", to: ".sheaf-mine.bin") }
        #expect(reserved == nil)
        pair.wait {
            one.text("a.bin") == "second" && one.text("b.bin") == "new" && pair.isSettled
                && ["a.bin", "b.bin", "p.rtfd"].allSatisfy { (try? state(of: $0))?.isUploaded == true }
        }
        pair.end()
    }

    /// Why an item is as it is right after something was done to it, before any event of that can have been heard.
    private func explanation(of name: String, after body: () throws -> Void = {}) throws -> Explanation {
        let running = try #require(two.running)
        let result = running.ask(
            { run in
                Result<Explanation?, any Error> {
                    try body()
                    return run.explain(name)
                }
            },
            or: { _ in .success(nil) }
        )
        let found = try result.get()
        return try #require(found)
    }

    @Test("What was just saved or made is said to have just changed, before anybody was told of it")
    func justSavedInWords() throws {
        try put(Data("first".utf8), on: one)
        pair.wait { two.text("a.bin") == "first" && pair.isSettled }
        pair.wait { (try? state(of: "a.bin"))?.isUploaded == true }
        pair.wait {
            let before = try? explanation(of: "a.bin")
            return before?.chain.map(\.kind) == [.settled] && before?.isSettled == true
        }
        let saved = try explanation(of: "a.bin") { try put(Data("second".utf8), on: two) }
        #expect(saved.chain.map(\.kind) == [.justChanged] && !saved.isSettled)
        #expect(saved.next == "It goes on by itself.")
        let made = try explanation(of: "b.bin") { try two.put("new", at: "b.bin") }
        #expect(made.chain.map(\.kind) == [.justChanged] && made.next == saved.next)
        let none = try explanation(of: "nothing.bin")
        #expect(none.chain.map(\.kind) == [.absent])
        pair.wait {
            one.text("a.bin") == "second" && one.text("b.bin") == "new" && pair.isSettled
                && ["a.bin", "b.bin"].allSatisfy { (try? explanation(of: $0))?.isSettled == true }
        }
        pair.end()
    }
}
