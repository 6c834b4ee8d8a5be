import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import TestFolders
import TestThreads
import Testing
import Vault

@testable import DeviceSync

/// What an app keeps as a version in conflict, as its save finds what others have written.
@Suite("Conflicts that apps keep", .onOwnThreads, .timeLimit(.minutes(2)))
struct AppConflictsTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// Has both devices hold a document with a text.
    ///
    /// - Returns: The second device's.
    private func hold(_ name: String, member: String? = nil) throws -> (url: URL, mark: FileMark) {
        let file = [name, member].compactMap { $0 }.joined(separator: "/")
        try one.write("text", to: file)
        pair.wait { two.text(file) == "text" && pair.isSettled }
        let url = two.folder.appendingPathComponent(name)
        return (url, try #require(try FileIdentity.mark(at: FilePath(url.path))))
    }

    @Test(
        "It is shown on all devices, also where the document is what it was before anybody has looked",
        arguments: ["text", "edited"]
    )
    func takenUp(last: String) throws {
        let url = try hold("a.txt").url
        // As two documents of one app do: one keeps what the other has just saved, and the other what that puts in its place.
        _ = try two.versions.keepConflict(contents: Data("other".utf8), of: url, dated: Date(), .autosave)
        try two.put(last, at: "a.txt")
        pair.wait {
            (try? one.conflicts("a.txt")) == ["other"] && one.text("a.txt") == last && pair.isSettled
        }
        #expect(try two.conflicts("a.txt") == ["other"])
        #expect(two.said.filter { $0 == .conflict(path: "a.txt") }.count == 1)
        pair.end()
    }

    @Test(
        "What a program has written late into what a save had replaced is shown on all, though the document stays as it is"
    )
    func late() throws {
        let url = try hold("a.txt").url
        pair.wait { pair.isSettled }
        _ = try two.versions.keepConflict(contents: Data("late".utf8), of: url, dated: Date(), .autosave)
        pair.wait {
            (try? one.conflicts("a.txt")) == ["late"] && one.text("a.txt") == "text" && pair.isSettled
        }
        #expect(try two.conflicts("a.txt") == ["late"])
        pair.end()
    }

    @Test(
        "What is in place again is settled on its device, and no other hears of it",
        arguments: [("a.txt", nil), ("a.rtfd", "TXT.rtf")]
    )
    func withItself(name: String, member: String?) throws {
        let (url, mark) = try hold(name, member: member)
        _ = try two.versions.keepConflict(url, VersionKeeping(.autosave))
        #expect(try two.versions.unsettled(of: mark, at: url).count == 1)
        let contents = two.contents
        // It is what it was, and somebody has been at it.
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: url.path)
        pair.wait { (try? two.versions.unsettled(of: mark, at: url).isEmpty) == true && pair.isSettled }
        #expect(one.contents == contents && two.contents == contents)
        #expect(try one.versions.unsettled(of: mark, at: one.folder.appendingPathComponent(name)).isEmpty)
        #expect(!two.said.contains(.conflict(path: name)))
        pair.end()
    }

    @Test(
        "What a save keeps that is half done is not settled before it is done",
        arguments: ["saved", "text"]
    )
    func halfDone(saved: String) throws {
        let (url, mark) = try hold("a.txt")
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, error: &error) { url in
            do {
                // Saved by another one just now, and kept as what is about to be replaced.
                try two.put("text", at: "a.txt")
                _ = try two.versions.keepConflict(url, VersionKeeping(.autosave))
                _ = two.running?.isInStepNow
                #expect(try two.versions.unsettled(of: mark, at: url).count == 1)
                try two.put(saved, at: "a.txt")
            } catch { Issue.record(error) }
        }
        #expect(error == nil)
        let isOther = saved != "text"
        pair.wait {
            one.text("a.txt") == saved && (try? one.conflicts("a.txt")) == (isOther ? ["text"] : [])
                && (try? two.versions.unsettled(of: mark, at: url).count) == (isOther ? 1 : 0)
                && pair.isSettled
        }
        pair.end()
    }
}
