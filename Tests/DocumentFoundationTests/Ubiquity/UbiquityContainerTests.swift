import Dispatch
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DocumentFoundation

@Suite("Containers of FileManager", .onOwnThreads, .timeLimit(.minutes(3)))
struct UbiquityContainerTests {
    private func with<Value>(_ account: UbiquityAccount, _ body: () throws -> Value) rethrows -> Value {
        try UbiquityAccount.$shared.withValue(account) { try body() }
    }

    private let files = FileManager.default

    @Test("Without a joined folder there is no container and no account")
    func nothing() throws {
        let place = try AccountPlace()
        with(place.account()) {
            #expect(files.url(forUbiquityContainerIdentifier: nil) == nil)
            #expect(files.url(forUbiquityContainerIdentifier: "iCloud.com.example.notes") == nil)
            #expect(files.ubiquityIdentityToken == nil)
            #expect(!files.isUbiquitousItem(at: place.base))
        }
        #expect(!files.fileExists(atPath: place.home.path))
    }

    @Test("A container is the folder joined for it, else one in the first that was joined for all apps")
    func containers() throws {
        let place = try AccountPlace()
        let notes = try place.join("notes", identifier: "iCloud.com.example.notes", at: 1)
        let second = try place.join("second", at: 3)
        let first = try place.join("first", at: 2)
        with(place.account(["NSUbiquitousContainers": ["iCloud.org.pad": [String: Any]()]])) {
            #expect(files.url(forUbiquityContainerIdentifier: "iCloud.com.example.notes")?.path == notes.path)
            let inner = first.appendingPathComponent("iCloud~org~pad")
            #expect(files.url(forUbiquityContainerIdentifier: nil)?.path == inner.path)
            var isFolder: ObjCBool = false
            let documents = inner.appendingPathComponent("Documents").path
            #expect(files.fileExists(atPath: documents, isDirectory: &isFolder) && isFolder.boolValue)
            #expect(files.isUbiquitousItem(at: inner))
            #expect(!files.isUbiquitousItem(at: first))
            #expect(!files.isUbiquitousItem(at: inner.appendingPathComponent("nothing.txt")))
            #expect(!files.isUbiquitousItem(at: place.base))
        }
        try FileManager.default.removeItem(at: first)
        with(place.account()) {
            // A volume that is not mounted is not made anew.
            #expect(files.url(forUbiquityContainerIdentifier: "iCloud.org.pad") == nil)
            #expect(!files.fileExists(atPath: first.path))
            #expect(files.isUbiquitousItem(at: second) == false)
        }
    }

    @Test("A container stays where it is when other folders are joined, also while that is not there")
    func staying() throws {
        let place = try AccountPlace()
        let notes = try place.join("notes", identifier: "iCloud.com.example.notes", at: 1)
        let account = place.account(["CFBundleIdentifier": "org.pad"])
        func container(_ identifier: String? = nil) -> String? {
            with(account) { files.url(forUbiquityContainerIdentifier: identifier)?.path }
        }
        let token = try #require(account.identity)
        let inner = notes.appendingPathComponent("iCloud~org~pad")
        #expect(container() == inner.path)
        // Another device has one there, too.
        let all = try place.join("all", at: 2)
        try files.createDirectory(
            at: all.appendingPathComponent("iCloud~org~pad"),
            withIntermediateDirectories: true
        )
        #expect(container() == inner.path)
        #expect(container("iCloud.org.new") == all.appendingPathComponent("iCloud~org~new").path)
        // Nor is it another account.
        #expect(account.identity == token)
        let away = place.base.appendingPathComponent("away")
        try files.moveItem(at: notes, to: away)
        #expect(container() == nil)
        try files.moveItem(at: away, to: notes)
        #expect(container() == inner.path)
        // Where nothing is noted, it is where it is.
        try files.removeItem(at: place.home.appendingPathComponent("places"))
        #expect(container() == inner.path)
        // A folder that was left has no containers.
        try files.removeItem(
            at: place.home.appendingPathComponent("containers/" + String(format: "%032x", 1))
        )
        #expect(container() == all.appendingPathComponent("iCloud~org~pad").path)
    }

    @Test("Nothing is made in the folder that a volume is mounted at, while it is not")
    func notMounted() throws {
        let place = try AccountPlace()
        let folder = try place.join("cloud", at: 1)
        let account = place.account(["CFBundleIdentifier": "org.pad"])
        func container() -> URL? { with(account) { files.url(forUbiquityContainerIdentifier: nil) } }
        let identity = try FileIdentity.marking(FilePath(folder.path), with: FileMark.fresh()).identity
        // As who keeps it in step notes it.
        let own = place.home.appendingPathComponent("containers/" + String(format: "%032x", 1))
        try Data(identity.names[0]).write(to: own.appendingPathComponent(JoinedFolders.rootNoteName))
        #expect(container() != nil)
        let away = place.base.appendingPathComponent("away")
        try files.moveItem(at: folder, to: away)
        try files.createDirectory(at: folder, withIntermediateDirectories: false)
        #expect(container() == nil)
        #expect(try files.contentsOfDirectory(atPath: folder.path) == [])
        try files.removeItem(at: folder)
        try files.moveItem(at: away, to: folder)
        #expect(container() != nil)
    }

    @Test("The default container is the first that is entitled, else the app's own, else the first by name")
    func order() throws {
        let place = try AccountPlace()
        try place.join("cloud", at: 1)
        let listed = ["iCloud.a", "iCloud.org.app", "iCloud.z"].reduce(into: [String: Any]()) {
            $0[$1] = [String: Any]()
        }
        func names(_ information: [String: Any]) -> [String] {
            let account = place.account(information)
            return with(account) {
                let first = files.url(forUbiquityContainerIdentifier: nil)?.lastPathComponent
                let all = account.containerPlaces.map(\.name)
                #expect(first == all.first)
                return all
            }
        }
        var information: [String: Any] = ["NSUbiquitousContainers": listed]
        #expect(names(information) == ["iCloud~a", "iCloud~org~app", "iCloud~z"])
        information["CFBundleIdentifier"] = "org.app"
        #expect(names(information) == ["iCloud~org~app", "iCloud~a", "iCloud~z"])
        let key = "com.apple.developer.ubiquity-container-identifiers"
        information[key] = ["iCloud.z", "iCloud.other"]
        #expect(names(information) == ["iCloud~z", "iCloud~other", "iCloud~org~app", "iCloud~a"])
        information[key] = ["iCloud.$(CFBundleIdentifier)"]
        information["NSUbiquitousContainers"] = nil
        #expect(names(information) == ["iCloud~org~app"])
    }

    @Test("A container is called what the Info.plist says, wherever it lies, else as its folder")
    func displayNames() throws {
        let place = try AccountPlace()
        let notes = try place.join("notes", identifier: "iCloud.com.example.notes", at: 1)
        let cloud = try place.join("cloud", at: 2)
        let named: [String: Any] = [
            "iCloud.org.pad": ["NSUbiquitousContainerName": "Pad"],
            "iCloud.com.example.notes": ["NSUbiquitousContainerName": "Notes"],
            "iCloud.org.plain": [String: Any](),
        ]
        let account = place.account(["NSUbiquitousContainers": named])
        try with(account) {
            func name(in folder: URL) throws -> String? {
                let url = folder.appendingPathComponent("a.txt")
                try Data("text".utf8).write(to: url)
                // A query says the same as a question about one item.
                let path = FilePath(folder.path)
                let value = UbiquityStates(account, below: [path])
                    .value(
                        of: NSMetadataUbiquitousItemContainerDisplayNameKey,
                        at: path.appending("a.txt")
                    )
                let name = try url.resourceValues(forKeys: [.ubiquitousItemContainerDisplayNameKey])
                    .ubiquitousItemContainerDisplayName
                #expect(value == name.map { PredicateValue.string($0) })
                return name
            }
            for (identifier, expected) in [
                ("iCloud.org.pad", "Pad"), ("iCloud.com.example.notes", "Notes"),
                ("iCloud.org.plain", "cloud"),
            ] {
                let container = try #require(files.url(forUbiquityContainerIdentifier: identifier))
                let found = try name(in: container.appendingPathComponent("Documents", isDirectory: true))
                #expect(found == expected)
            }
            for (folder, expected) in [(notes, "Notes"), (cloud, "cloud")] {
                let found = try name(in: folder)
                #expect(found == expected)
            }
        }
    }

    @Test("Without an Info.plist the environment names the default container, else the bundle does")
    func defaults() throws {
        let place = try AccountPlace()
        let folder = try place.join("home folder", at: 1)
        func name(_ account: UbiquityAccount) -> String? {
            with(account) { files.url(forUbiquityContainerIdentifier: nil)?.lastPathComponent }
        }
        let named = place.account(
            ["CFBundleIdentifier": "org.app"],
            ["SHEAF_UBIQUITY_CONTAINER": "iCloud.x.y"]
        )
        #expect(name(named) == "iCloud~x~y")
        #expect(name(place.account(["CFBundleIdentifier": "org.app"])) == "iCloud~org~app")
        #expect(try files.contentsOfDirectory(atPath: folder.path).count == 2)
    }

    @Test("The identity is the same as long as the account is, and its change is told")
    func identity() throws {
        let place = try AccountPlace()
        let account = place.account()
        let told = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSUbiquityIdentityDidChange,
            object: nil,
            queue: nil
        ) { _ in told.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        func token() -> NSData? { with(account) { files.ubiquityIdentityToken as? NSData } }
        #expect(token() == nil)
        try place.join("a", at: 1)
        let first = try #require(token())
        #expect(first.isEqual(token()))
        // Other suites' accounts may be told of as well.
        #expect(told.wait(timeout: .now() + 60) == .success)
        try place.join("b", at: 2)
        #expect(first.isEqual(token()))
        try files.removeItem(at: place.home)
        #expect(token() == nil)
    }

    @Test("An item is moved into a container and out of it, and nowhere else")
    func moves() throws {
        let place = try AccountPlace()
        let folder = try place.join("cloud", at: 1)
        let (local, there) = (
            place.base.appendingPathComponent("a.txt"), folder.appendingPathComponent("a.txt")
        )
        try Data("text".utf8).write(to: local)
        try with(place.account()) {
            #expect(throws: CocoaError.self) {
                try files.setUbiquitous(false, itemAt: local, destinationURL: there)
            }
            #expect(throws: CocoaError.self) {
                try files.setUbiquitous(
                    true,
                    itemAt: local,
                    destinationURL: place.base.appendingPathComponent("b.txt")
                )
            }
            try files.setUbiquitous(true, itemAt: local, destinationURL: there)
            #expect(files.isUbiquitousItem(at: there) && !files.fileExists(atPath: local.path))
            try Data("other".utf8).write(to: local)
            let error = #expect(throws: CocoaError.self) {
                try files.setUbiquitous(false, itemAt: there, destinationURL: local)
            }
            #expect(error?.code == .fileWriteFileExists)
            try files.removeItem(at: local)
            try files.setUbiquitous(false, itemAt: there, destinationURL: local)
            #expect(!files.isUbiquitousItem(at: there) && files.fileExists(atPath: local.path))
            let missing = #expect(throws: CocoaError.self) {
                try files.setUbiquitous(true, itemAt: there, destinationURL: there)
            }
            #expect(missing?.code == .fileWriteInvalidFileName)
            let why = "“\(there.path)” is in a folder that is kept in step."
            #expect(missing?.userInfo[NSLocalizedFailureReasonErrorKey] as? String == why)
        }
    }

    @Test("A name is taken by an item whose contents are not here, too")
    func takenByPlaceholder() throws {
        let place = try AccountPlace()
        let folder = try place.join("cloud", at: 1)
        let (local, there) = (
            place.base.appendingPathComponent("a.txt"), folder.appendingPathComponent("a.txt")
        )
        try Data("text".utf8).write(to: local)
        let placeholder = Placeholder(name: "a.txt", byteCount: 5, isDirectory: false, typeIdentifier: nil)
        try placeholder.encoded().write(to: folder.appendingPathComponent(".a.txt.icloud"))
        with(place.account()) {
            let error = #expect(throws: CocoaError.self) {
                try files.setUbiquitous(true, itemAt: local, destinationURL: there)
            }
            #expect(error?.code == .fileWriteFileExists)
        }
        #expect(try Data(contentsOf: local) == Data("text".utf8))
        #expect(try files.contentsOfDirectory(atPath: folder.path) == [".a.txt.icloud"])
    }

    /// A folder that lets nothing that is in it have another name.
    private struct Clinging: SystemCallObserver {
        let folder: FilePath

        func willMake(_ call: SystemCall) -> CInt {
            call.name == "renameat2" && call.path.parent == folder ? EACCES : 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "What its folder does not let go to another volume stays there, whole, and nothing is at the target",
        .enabled(if: OtherVolume.isThere, "needs /dev/shm on a volume of its own")
    )
    func originalStays() throws {
        let base = URL(fileURLWithPath: "/dev/shm/sheaf-\(UUID().uuidString)", isDirectory: true)
        try files.createDirectory(at: base, withIntermediateDirectories: false)
        defer { #expect(throws: Never.self) { try files.removeItem(at: base) } }
        let place = try AccountPlace()
        let folder = try place.join("cloud", at: 1)
        let local = base.appendingPathComponent("a.rtfd")
        try files.createDirectory(at: local, withIntermediateDirectories: false)
        let names = ["TXT.rtf", "picture.png"]
        for name in names { try Data(name.utf8).write(to: local.appendingPathComponent(name)) }
        let follower = Follower(local)
        NSFileCoordinator.addFilePresenter(follower)
        defer { NSFileCoordinator.removeFilePresenter(follower) }
        SystemCallObservation.withObserver(Clinging(folder: FilePath(base.path))) {
            with(place.account()) {
                let there = folder.appendingPathComponent("b.rtfd")
                let error = #expect(throws: CocoaError.self) {
                    try files.setUbiquitous(true, itemAt: local, destinationURL: there)
                }
                #expect(error?.code == .fileWriteNoPermission)
            }
        }
        #expect(try files.contentsOfDirectory(atPath: local.path).sorted() == names)
        #expect(try files.contentsOfDirectory(atPath: base.path) == ["a.rtfd"])
        let copies = try files.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".sheaf-") }
        #expect(copies == [] && follower.presentedItemURL == local)
    }

    @Test(
        "What a program still writes to does not go to another volume: no copy could have all of it",
        .enabled(if: OtherVolume.isThere, "needs /dev/shm on a volume of its own")
    )
    func beingWritten() throws {
        let base = URL(fileURLWithPath: "/dev/shm/sheaf-\(UUID().uuidString)", isDirectory: true)
        try files.createDirectory(at: base, withIntermediateDirectories: false)
        defer { #expect(throws: Never.self) { try files.removeItem(at: base) } }
        let place = try AccountPlace()
        let folder = try place.join("cloud", at: 1)
        let local = base.appendingPathComponent("a.txt")
        try Data("half".utf8).write(to: local)
        let writer = try FileHandle(forWritingTo: local)
        _ = with(place.account()) {
            #expect(throws: CocoaError.self) {
                try files.setUbiquitous(
                    true,
                    itemAt: local,
                    destinationURL: folder.appendingPathComponent("b.txt")
                )
            }
        }
        try writer.close()
        #expect(try files.contentsOfDirectory(atPath: base.path) == ["a.txt"])
        let copies = try files.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".sheaf-") }
        #expect(copies.isEmpty)
    }

    /// A presenter that notes where its item goes.
    private final class Follower: NSObject, NSFilePresenter, Sendable {
        private let place: Locked<URL>
        private let moves = DispatchSemaphore(value: 0)
        let presentedItemOperationQueue = OperationQueue()

        init(_ url: URL) { place = Locked(url) }

        var presentedItemURL: URL? { place.withLock { $0 } }

        func presentedItemDidMove(to newURL: URL) {
            place.withLock { $0 = newURL }
            moves.signal()
        }

        func hasMoved() -> Bool { moves.wait(timeout: .now() + 60) == .success }
    }

    @Test("Who presents an item goes with it into a container and out of it; a package goes as one")
    func movesWithPresenters() throws {
        let place = try AccountPlace()
        try movesWithPresenters(place, place.base)
    }

    @Test(
        "So does who presents an item on another volume",
        .enabled(if: OtherVolume.isThere, "needs /dev/shm on a volume of its own")
    )
    func movesAcrossVolumes() throws {
        let base = URL(fileURLWithPath: "/dev/shm/sheaf-\(UUID().uuidString)", isDirectory: true)
        try files.createDirectory(at: base, withIntermediateDirectories: false)
        defer { #expect(throws: Never.self) { try files.removeItem(at: base) } }
        try movesWithPresenters(try AccountPlace(), base)
    }

    private func movesWithPresenters(_ place: AccountPlace, _ base: URL) throws {
        let folder = try place.join("cloud", at: 1)
        let (local, there) = (
            base.appendingPathComponent("a.rtfd"), folder.appendingPathComponent("b.rtfd")
        )
        try files.createDirectory(at: local, withIntermediateDirectories: false)
        for name in ["TXT.rtf", "picture.png"] {
            try Data(name.utf8).write(to: local.appendingPathComponent(name))
        }
        let follower = Follower(local)
        NSFileCoordinator.addFilePresenter(follower)
        defer { NSFileCoordinator.removeFilePresenter(follower) }
        try with(place.account()) {
            for (isInto, source, target) in [(true, local, there), (false, there, local)] {
                try files.setUbiquitous(isInto, itemAt: source, destinationURL: target)
                #expect(follower.hasMoved())
                #expect(
                    follower.presentedItemURL?.standardizedFileURL.path == target.standardizedFileURL.path
                )
                #expect(!files.fileExists(atPath: source.path))
                #expect(
                    try files.contentsOfDirectory(atPath: target.path).sorted() == ["TXT.rtf", "picture.png"]
                )
            }
        }
    }
}
