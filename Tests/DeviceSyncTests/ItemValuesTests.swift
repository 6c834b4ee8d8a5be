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
            pair.wait { one.status?.isSettled == true }
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
}
