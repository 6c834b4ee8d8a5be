import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// `NSFileVersion` and items whose contents are not on their device, by their own names and by those of their placeholders.
@Suite("Versions of evicted items", .onOwnThreads, .timeLimit(.minutes(2)))
struct EvictedVersionsTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private var own: URL { two.folder.appendingPathComponent("a.txt") }
    private var listed: URL { two.folder.appendingPathComponent(".a.txt.icloud") }
    private let files = FileManager.default

    init() throws { pair = try DevicePair.holding("text", as: "a.txt") }

    /// Runs something while the second device has a document without its contents, and a former state of that.
    private func evicted(_ body: (_ former: NSFileVersion) throws -> Void) async throws {
        try await pair.served {
            let former = pair.base.appendingPathComponent("former.txt")
            try Data("former".utf8).write(to: former)
            let version = try NSFileVersion.addOfItem(at: own, withContentsOf: former)
            pair.wait { pair.isSettled }
            try files.evictUbiquitousItem(at: own)
            pair.wait { two.said.contains(.freed) }
            try body(version)
        }
        pair.end()
    }

    private func text(_ url: URL) -> String? {
        (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func texts(_ url: URL) -> [String?]? {
        NSFileVersion.otherVersionsOfItem(at: url).map { $0.map { text($0.url) } }
    }

    @Test("They are listed, and the current one is the item, not its placeholder")
    func listing() async throws {
        try await evicted { former in
            for url in [own, listed] {
                #expect(NSFileVersion.otherVersionsOfItem(at: url) == [former])
                #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url) == [])
                let found = NSFileVersion.version(
                    itemAt: url,
                    forPersistentIdentifier: former.persistentIdentifier
                )
                #expect(found == former && found?.hasLocalContents == true)
                let current = try #require(NSFileVersion.currentVersionOfItem(at: url))
                #expect(current.url == own && current.localizedName == "a" && !current.hasLocalContents)
                #expect(
                    try current.modificationDate
                        == own.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
                )
            }
            try NSFileVersion.removeOtherVersionsOfItem(at: listed)
            #expect(NSFileVersion.otherVersionsOfItem(at: own) == [])
            #expect(two.contents.keys.sorted() == [".a.txt.icloud"])
        }
    }

    @Test(
        "Put in an item's place, a version is that item, and what it was is a version",
        arguments: [".a.txt.icloud", "a.txt"],
        [false, true]
    )
    func replacing(name: String, isCoordinated: Bool) async throws {
        try await evicted { former in
            let url = two.folder.appendingPathComponent(name)
            var (place, failure): (URL?, NSError?)
            if isCoordinated {
                var result: Result<URL, any Error>?
                NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) { _ in
                    // An app may go on with what it has asked for.
                    result = Result { try former.replaceItem(at: url) }
                }
                place = try result?.get()
            } else {
                place = try former.replaceItem(at: url)
            }
            #expect(failure == nil && place == own)
            #expect(two.contents == ["a.txt": "former"])
            #expect(texts(own)?.contains("text") == true)
            #expect(texts(own)?.contains { $0?.contains("plist") == true } == false)
            pair.wait { one.contents == ["a.txt": "former"] && pair.isSettled }
        }
    }

    @Test("Without the hub the item stays as it is, and nothing is kept of its placeholder")
    func withoutHub() async throws {
        try await evicted { former in
            two.line.cut()
            pair.wait { two.status?.line == .down }
            let other = pair.base.appendingPathComponent("other.txt")
            try Data("other".utf8).write(to: other)
            for body in [
                { _ = try former.replaceItem(at: listed) },
                { _ = try NSFileVersion.addOfItem(at: listed, withContentsOf: listed) },
                { _ = try NSFileVersion.addOfItem(at: listed, withContentsOf: other, options: .byMoving) },
            ] as [() throws -> Void] {
                let error = #expect(throws: CocoaError.self) { try body() }
                #expect(error?.code == .ubiquitousFileUbiquityServerNotAvailable)
            }
            #expect(two.contents.keys.sorted() == [".a.txt.icloud"] && text(other) == "other")
            #expect(NSFileVersion.otherVersionsOfItem(at: own) == [former])
            two.line.mend()
            pair.wait { two.status?.line == .up }
            let kept = try NSFileVersion.addOfItem(at: listed, withContentsOf: listed)
            #expect(text(kept.url) == "text" && kept.localizedName == "a")
            #expect(two.contents == ["a.txt": "text"])
        }
    }
}
