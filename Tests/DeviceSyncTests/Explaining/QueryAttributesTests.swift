import Cryptography
import DocumentFoundation
import DocumentTesting
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What a query says of items whose contents are on their way, do not come or go, or are in conflict.
@Suite("Attributes of items in containers", .onOwnThreads, .timeLimit(.minutes(2)))
struct QueryAttributesTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private static let folder = "iCloud~x/Documents/"

    init() throws { pair = try DevicePair() }

    /// Runs something while a query of the second device runs, and the device is kept in step by a process that answers.
    private func watched(_ body: (QueryWatcher) throws -> Void) throws {
        let (account, end) = try pair.serve(as: "iCloud.x")
        defer { end() }
        try UbiquityAccount.$shared.withValue(account) {
            let watcher = QueryWatcher()
            watcher.query.start()
            defer { watcher.stop() }
            try body(watcher)
        }
        pair.end()
    }

    private func write(_ text: String, to name: String, on device: TestDevice) throws {
        try device.write(text, to: Self.folder + name)
    }

    /// What does not go along with an entry of the log.
    private func large() throws -> String { Data(try RandomBytes.make(70_000)).base64EncodedString() }

    private func putInPlace(_ text: String, as name: String) throws {
        try write(text, to: name, on: one)
        pair.wait { two.text(Self.folder + name) == text && pair.isSettled }
    }

    private func says(_ watcher: QueryWatcher, _ name: String, _ expected: [String: String]) {
        var found: [String: String]? = [:]
        let isSo = two.wait(seconds: 20) {
            found = watcher[name]
            return expected.allSatisfy { found?[$0.key] == $0.value }
        }
        #expect(isSo, "\(found ?? [:]) and not \(expected)")
    }

    @Test("On its way here: asked for, how much has come, and why it does not")
    func downloading() throws {
        try putInPlace("text", as: "a.txt")
        try two.running?.evict(Self.folder + "a.txt")
        pair.wait { two.said.contains(.freed) }
        try watched { watcher in
            says(watcher, "a.txt", ["requested": "0", "downloading": "0", "downloaded": "0.0"])
            two.line.slowDown(to: 600)
            let url = two.folder.appendingPathComponent(Self.folder + "a.txt")
            try FileManager.default.startDownloadingUbiquitousItem(at: url)
            says(
                watcher,
                "a.txt",
                ["requested": "1", "downloading": "1", "downloaded": "0.0", "downloading error": "-"]
            )
            two.line.cut()
            two.line.slowDown(to: 0)
            let unavailable = CocoaError.Code.ubiquitousFileUbiquityServerNotAvailable.rawValue
            says(
                watcher,
                "a.txt",
                ["requested": "1", "downloading error": "\(NSCocoaErrorDomain) \(unavailable)"]
            )
            two.line.mend()
            says(
                watcher,
                "a.txt",
                ["requested": "0", "downloading": "0", "downloaded": "100.0", "downloading error": "-"]
            )
        }
    }

    @Test("On its way to the hub: how much has gone, and why it does not")
    func uploading() throws {
        try putInPlace("text", as: "a.txt")
        try watched { watcher in
            says(watcher, "a.txt", ["uploading": "0", "is uploaded": "1", "uploaded": "100.0"])
            two.line.slowDown(to: 600)
            try write(try large(), to: "a.txt", on: two)
            says(watcher, "a.txt", ["uploading": "1", "is uploaded": "0", "uploaded": "0.0"])
            two.line.slowDown(to: 0)
            two.line.cut()
            two.line.mend()
            says(watcher, "a.txt", ["uploading": "0", "is uploaded": "1", "uploaded": "100.0"])
            pair.hub.limit(toByteCount: 0)
            try write(try large(), to: "a.txt", on: two)
            let full = CocoaError.Code.ubiquitousFileNotUploadedDueToQuota.rawValue
            says(watcher, "a.txt", ["is uploaded": "0", "uploading error": "\(NSCocoaErrorDomain) \(full)"])
            pair.hub.limit(toByteCount: .max)
            // A full hub is asked once in several times.
            pair.wait {
                two.tryAgain()
                return watcher["a.txt"]?["is uploaded"] == "1"
            }
            says(watcher, "a.txt", ["is uploaded": "1", "uploading error": "-"])
        }
    }

    @Test(
        "In a folder that is renamed, here or on another device, they stand as before",
        arguments: [true, false]
    )
    func renamedFolder(isRenamedHere: Bool) throws {
        try putInPlace("text", as: "old/in/a.txt")
        try putInPlace("text", as: "beside.txt")
        try watched { watcher in
            says(watcher, "a.txt", ["is uploaded": "1", "path": "old/in/a.txt"])
            let folder = (isRenamedHere ? two : one).folder.appendingPathComponent(Self.folder)
            try FileManager.default.moveItem(
                at: folder.appendingPathComponent("old"),
                to: folder.appendingPathComponent("new")
            )
            pair.wait { one.text(Self.folder + "new/in/a.txt") == "text" }
            says(watcher, "a.txt", ["is uploaded": "1", "uploading": "0", "path": "new/in/a.txt"])
            // What happens to it from then on is told of where it is.
            two.line.cut()
            try write("edited", to: "new/in/a.txt", on: two)
            says(watcher, "a.txt", ["is uploaded": "0", "path": "new/in/a.txt"])
            two.line.mend()
            says(watcher, "a.txt", ["is uploaded": "1", "path": "new/in/a.txt"])
        }
    }

    @Test("In conflict, until that is settled")
    func conflict() throws {
        try putInPlace("text", as: "a.bin")
        try watched { watcher in
            says(watcher, "a.bin", ["conflict": "0"])
            two.line.cut()
            pair.wait { two.status?.line == .down }
            try write("one", to: "a.bin", on: one)
            pair.wait { one.running?.isInStepNow == true }
            try write("two", to: "a.bin", on: two)
            two.line.mend()
            says(watcher, "a.bin", ["conflict": "1"])
            let url = two.folder.appendingPathComponent(Self.folder + "a.bin")
            for version in try two.unresolvedConflicts(of: url) { version.isResolved = true }
            says(watcher, "a.bin", ["conflict": "0"])
        }
    }
}
