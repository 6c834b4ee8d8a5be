import DocumentFoundation
import DocumentTesting
import Foundation
import TestFolders
import TestThreads
import Testing
import Vault

@testable import DeviceSync

/// What an app keeps as a version in conflict, as its save finds what others have written.
@Suite("Conflicts that apps keep", .onOwnThreads, .timeLimit(.minutes(2)))
struct AppConflictsTests {
    @Test(
        "It is shown on all devices, also where the document is what it was before anybody has looked",
        arguments: ["text", "edited"]
    )
    func takenUp(last: String) throws {
        let pair = try DevicePair.holding("text", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        let url = two.folder.appendingPathComponent("a.txt")
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
}
