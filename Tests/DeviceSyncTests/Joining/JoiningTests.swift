import Cryptography
import FileSystem
import Foundation
import HubProtocol
import Locks
import Sealing
import TestFolders
import Testing

@testable import DeviceSync

/// What is left of a joining that comes to nothing. Nobody answers where its hub is to be.
@Suite("Joining")
struct JoiningTests {
    private let own: TestFolder
    private let home: DeviceHome
    private let joining: Joining
    private var root: FilePath { FilePath(own.path) }

    init() throws {
        own = try TestFolder("joining")
        home = try DeviceHome(at: FilePath(own.path).appending("home"))
        joining = Joining(home, at: try #require(URL(string: "http://127.0.0.1:1")), named: "desk")
    }

    @Test("A hub that goes on saying the same keeps no pairing from ending")
    func saidAgain() {
        let message: [UInt8] = [1, 2, 3]
        #expect(PairingRelay.events(of: [], after: 20) == [.time(20)])
        #expect(PairingRelay.events(of: [message], after: 20) == [.message(message)])
        // What comes at the last moment counts.
        #expect(PairingRelay.events(of: [message], after: PairingLimits.seconds) == [.message(message)])
        let late = PairingLimits.seconds + 60
        #expect(PairingRelay.events(of: [message], after: late) == [.message(message), .time(late)])
    }

    /// What comes of asking a hub again and again that answers thus.
    private func heard(_ answers: [() throws -> [NumberedPairingMessage]]) throws -> [[PairingEvent]] {
        var left = answers[...]
        let relay = PairingRelay(as: .first, pauseSeconds: 0, say: { _ in }) { _ in
            try left.removeFirst()()
        }
        return try answers.map { _ in try relay.hear() }
    }

    @Test("A line that fails once ends no pairing; one that somebody has to see to does")
    func brokenLine() throws {
        let message: [UInt8] = [1, 2, 3]
        let answers = [NumberedPairingMessage(number: 1, from: .second, message: Data(message))]
        let events = try heard([{ throw LineFailure("no network", status: 502) }, { answers }])
        #expect(events == [[.time(0)], [.message(message)]])
        let failure = LineFailure("not this hub", remedy: "Look whose it is.")
        #expect(throws: failure) { try heard([{ throw failure }]) }
    }

    /// What comes of sending something to a hub that answers thus.
    private func sent(as side: PairingSide, _ answers: [(any Error)?]) throws -> [PairingMessage] {
        var (left, heard) = (answers[...], [PairingMessage]())
        let relay = PairingRelay(as: side, pauseSeconds: 0) { message in
            heard.append(message)
            if let error = left.popFirst() ?? nil { throw error }
        } messages: { _ in
            []
        }
        try relay.send([1, 2, 3])
        try relay.send([4])
        return heard
    }

    @Test("A message is sent again over a line that fails, to the byte, and not where no hub is")
    func sentAgain() throws {
        let (lost, busy) = (LineFailure("no network", status: 502), HubFailure(.tooMany, "Too many."))
        let counts = try sent(as: .first, [lost, busy, lost, nil, lost]).map(\.message.count)
        #expect(counts == [3, 3, 3, 3, 1, 1])
        #expect(try sent(as: .second, [nil, lost]).map(\.message.count) == [3, 1, 1])
        #expect(throws: lost) { try sent(as: .second, [lost]) }
        let failure = LineFailure("not this hub", remedy: "Look whose it is.")
        #expect(throws: failure) { try sent(as: .first, [failure]) }
        #expect(throws: HubFailure.self) { try sent(as: .first, [HubFailure(.notFound, "It is over.")]) }
    }

    @Test("A name that the hub would refuse is refused before anybody is asked", arguments: [200, 201, 255])
    func longName(byteCount: Int) throws {
        let name = String(repeating: "é", count: byteCount / 2) + (byteCount % 2 == 1 ? "a" : "")
        let joining = Joining(home, at: try #require(URL(string: "http://127.0.0.1:1")), named: name)
        let asked = Locked(false)
        let person = PairingPerson(show: { _ in asked.withLock { $0 = true } }, compare: { _ in false })
        let code = try PairingCode(pairing: "ABCDEFGH", random: RandomBytes.make)
        for join in [
            { try joining.begin(root.appending("a"), invitation: "ANY") },
            { try joining.join(root.appending("a"), code: code, person) },
        ] {
            if byteCount > 200 {
                let error = #expect(throws: DeviceHomeError.self) { try join() }
                #expect(error == .nameTooLong(name) && error?.description.contains("\(byteCount)") == true)
            } else {
                // Only that there is no hub.
                #expect(throws: LineFailure.self) { try join() }
            }
        }
        #expect(!asked.withLock { $0 })
    }

    @Test("Folders that were made for it go again")
    func madeFolders() throws {
        let folder = root.appending("a").appending("b")
        #expect(throws: (any Error).self) { try joining.begin(folder, invitation: "ANY") }
        #expect(try FileStamp.ifPresent(at: folder.parent) == nil)
    }

    @Test("A folder that was there stays, with what is in it")
    func presentFolder() throws {
        let folder = root.appending("a")
        try ItemMoves.createFolder(folder)
        try ItemMoves.createFile(folder.appending("b.txt"), contents: Data("b".utf8))
        #expect(throws: (any Error).self) { try joining.begin(folder, invitation: "ANY") }
        #expect(try FolderScan.names(in: folder) == ["b.txt"])
    }

    @Test("A folder that cannot be looked into is refused before the hub is asked")
    func closedFolder() throws {
        let folder = root.appending("a")
        try ItemMoves.createFolder(folder)
        let closed = ClosedFolder(place: folder)
        let error = #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(closed) { try joining.begin(folder, invitation: "ANY") }
        }
        #expect(error?.isForbidden == true && error?.path == folder)
    }

    /// Nobody opens a folder, as where it is another user's.
    private struct ClosedFolder: SystemCallObserver {
        let place: FilePath
        func willMake(_ call: SystemCall) -> CInt {
            call.name == "openat" && call.path == place ? EACCES : 0
        }
        func didMake(_ call: SystemCall) {}
    }

    /// A disk that is full after so many files.
    private final class FullDisk: SystemCallObserver {
        private let place: FilePath
        private let left: Locked<Int>

        init(_ place: FilePath, after count: Int) { (self.place, left) = (place, Locked(count)) }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "write", call.path.isInside(place) else { return 0 }
            return left.withLock { left in
                left -= 1
                return left < 0 ? ENOSPC : 0
            }
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test("On a full disk no invitation is used up", arguments: [0, 1])
    func full(after count: Int) throws {
        let disk = FullDisk(home.folder, after: count)
        let error = #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(disk) {
                try joining.begin(root.appending("a"), invitation: "ANY")
            }
        }
        #expect(error?.errno == ENOSPC)
        #expect(try FolderScan.names(in: home.folder) == [])
        #expect(try FileStamp.ifPresent(at: root.appending("a")) == nil)
    }

    @Test("Settings and keys that are damaged are named, with what helps")
    func damaged() throws {
        let name = String(repeating: "0a", count: 16)
        let folder = root.appending("home").appending("containers").appending(name)
        try ItemMoves.createFolders(folder, permissions: 0o700)
        for name in ["settings", "keys", "device"] {
            try ItemMoves.createFile(folder.appending(name), contents: Data("{".utf8))
        }
        let error = #expect(throws: DeviceHomeError.self) { try home.containers() }
        #expect(error == .damaged(folder.appending("settings")))
        #expect(error?.description.contains(folder.appending("settings").string) == true)
    }

    /// A container that is joined, with its folder.
    private func joined() throws -> (JoinedContainer, own: FilePath) {
        let container = ContainerName(unchecked: [UInt8](repeating: 10, count: 16))
        let identity = try DeviceIdentity(random: RandomBytes.make)
        let founding = try DeviceStatement.founding(container, by: identity, named: "desk")
        let keys = try ContainerKeys(
            newFor: container,
            anchor: founding.hash(),
            random: RandomBytes.make
        )
        let folder = root.appending("notes")
        try ItemMoves.createFolder(folder)
        let settings = ContainerSettings(
            container: container,
            folder: folder.string,
            hub: try #require(URL(string: "http://127.0.0.1:1")),
            deviceName: "desk",
            credentials: DeviceCredentials(device: DeviceName(of: identity.id), token: "token")
        )
        try home.keep(JoinedContainer(settings: settings, keys: keys, identity: identity))
        return (try #require(try home.joined(container)), home.folder(of: container))
    }

    @Test("Keys that are gone, and a device's own file of an unknown version, are named, with what helps")
    func incomplete() throws {
        let (_, own) = try joined()
        let (device, keys) = (own.appending("device"), own.appending("keys"))
        let known = try FileReading.contents(of: device)
        try FileManager.default.removeItem(atPath: device.string)
        try ItemMoves.createFile(device, contents: Data("x".utf8) + known.dropFirst())
        var error = #expect(throws: DeviceHomeError.self) { try home.containers() }
        #expect(error == .unknown(device) && error?.description.contains(device.string) == true)
        try FileManager.default.removeItem(atPath: keys.string)
        error = #expect(throws: DeviceHomeError.self) { try home.containers() }
        #expect(error == .missing(keys) && error?.description.contains("join its folder anew") == true)
    }

    @Test("An empty folder takes the place of one that is gone, and no other does")
    func replaced() throws {
        let (joined, own) = try joined()
        let (folder, new) = (root.appending("notes"), root.appending("new"))
        let other = root.appending("other")
        try ItemMoves.createFolder(other)
        try ItemMoves.createFile(other.appending("b.txt"), contents: Data("b".utf8))
        #expect(throws: DeviceHomeError.isThere(folder)) { try home.replaceFolder(of: joined, by: new) }
        try FileManager.default.removeItem(atPath: folder.string)
        #expect(throws: DeviceHomeError.notEmpty(other)) { try home.replaceFolder(of: joined, by: other) }
        var memory: DeviceMemory? = try DeviceMemory(in: StorageFolder(at: own))
        let error = #expect(throws: SyncFailure.self) { try home.replaceFolder(of: joined, by: new) }
        #expect(error?.code == .inUse)
        try memory?.remember(SyncRun.rootKey, [1])
        memory = nil
        #expect(try home.replaceFolder(of: joined, by: new).folder == new.string)
        #expect(try home.containers().map(\.settings.folder) == [new.string])
        #expect(try DeviceMemory(in: StorageFolder(at: own)).value(SyncRun.rootKey) == nil)
        #expect(try FolderScan.names(in: new) == [])
    }
}
