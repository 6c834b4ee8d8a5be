import Cryptography
import Dispatch
import FileSystem
import Foundation
import HTTPService
import Hub
import HubProtocol
import Locks
import Sealing
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// A process that joins a folder is killed on the way. Its invitation works once, and on this device once more.
@Suite("Joining that is cut off", .onOwnThreads, .timeLimit(.minutes(2)))
struct CutOffJoiningTests {
    private let own: TestFolder
    private let hub: RunningHub
    private let options: HubProcess.Options
    private let address: URL
    private var root: FilePath { FilePath(own.path) }

    init() throws {
        own = try TestFolder("cut-off")
        var options = HubProcess.Options()
        options.data = own.url.appendingPathComponent("hub").path
        options.address = .loopback(port: 0)
        // All come from one address here.
        options.settings.addressRate = (burst: 10_000, perSecond: 10_000)
        options.settings.anonymousRate = options.settings.addressRate
        hub = try RunningHub(options, complain: { Issue.record("\($0)") })
        self.options = options
        address = try #require(URL(string: "http://\(hub.address)"))
    }

    private func end() {
        let ended = DispatchSemaphore(value: 0)
        hub.stop { ended.signal() }
        ended.wait()
    }

    /// Halts a thread before one of the calls by which it changes something in some folders, and lets none through from then on:
    /// whoever takes a copy while it halts has what a process that was killed there leaves.
    private final class Halt: SystemCallObserver {
        private let places: [FilePath]
        private let left: Locked<Int>
        let halted = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)

        init(in places: [FilePath], before number: Int) { (self.places, left) = (places, Locked(number)) }

        var hasHalted: Bool { left.withLock { $0 < 0 } }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.effect.isMutating,
                places.contains(where: { call.path == $0 || call.path.isInside($0) })
            else { return 0 }
            let number = left.withLock { left in
                left -= 1
                return left
            }
            guard number < 0 else { return 0 }
            if number == -1 {
                halted.signal()
                goOn.wait()
            }
            return EIO
        }
        func didMake(_ call: SystemCall) {}
    }

    /// Begins something that is halted, and has somebody look at a copy of the device's home then.
    ///
    /// - Returns: Whether it was halted.
    private func cutOff(
        _ home: FilePath,
        _ halt: Halt,
        _ join: @escaping @Sendable () throws -> Void,
        _ look: (DeviceHome) throws -> Void
    ) throws -> Bool {
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            // What comes of it once it is let go of is nobody's.
            try? SystemCallObservation.withObserver(halt) { try join() }
            halt.halted.signal()
            ended.signal()
        }
        halt.halted.wait()
        defer {
            halt.goOn.signal()
            ended.wait()
        }
        guard halt.hasHalted else { return false }
        let copy = home.parent.appending(home.name + "-copy")
        try FileManager.default.copyItem(atPath: home.string, toPath: copy.string)
        try look(try DeviceHome(at: copy))
        return true
    }

    /// How many joinings are there that could be gone on with.
    private func leftCount(_ home: DeviceHome) throws -> Int {
        let place = home.folder.appending("joining")
        guard try FileStamp.ifPresent(at: place) != nil else { return 0 }
        return try FolderScan.names(in: place)
            .count { try FileStamp.ifPresent(at: place.appending($0).appending("joining")) != nil }
    }

    @Test("Wherever it is killed the same invitation joins the folder, as one device with one container")
    func begun() throws {
        defer { end() }
        let first = try Joining(try DeviceHome(at: root.appending("first")), at: address, named: "first")
            .begin(root.appending("first-folder"), invitation: try HubProcess.invite(options))
        let client = try HubClient(address, token: first.credentials.token)
        defer { client.close() }
        var number = 0
        var resumedCount = 0
        while true {
            let (place, folder) = (root.appending("home-\(number)"), root.appending("folder-\(number)"))
            let (home, invitation) = (try DeviceHome(at: place), try HubProcess.invite(options))
            let (devices, containers) = (try client.devices().count, try client.containers().count)
            let halt = Halt(in: ["joining", "containers"].map { place.appending($0) }, before: number)
            let isCutOff = try cutOff(place, halt) { [address] in
                _ = try Joining(home, at: address, named: "desk").begin(folder, invitation: invitation)
            } _: { copy in
                if try copy.containers().isEmpty {
                    let other = root.appending("other-\(number)")
                    resumedCount += try leftCount(copy) > 0 ? 1 : 0
                    let settings = try Joining(copy, at: address, named: "desk")
                        .begin(other, invitation: invitation)
                    let known = try HubClient(address, token: settings.credentials.token)
                    defer { known.close() }
                    let log = try HubContainer(settings.container, at: known).log(after: 0, waitSeconds: 0)
                    #expect(log.head.position == 1)
                } else {
                    // It was joined. The invitation is used up, and what is joined is left alone.
                    #expect(throws: HubFailure.self) {
                        try Joining(copy, at: address, named: "desk")
                            .begin(root.appending("other-\(number)"), invitation: invitation)
                    }
                }
                #expect(try copy.containers().count == 1, "before call \(number)")
                #expect(try leftCount(copy) == 0, "before call \(number)")
                #expect(try client.devices().count == devices + 1, "before call \(number)")
                #expect(try client.containers().count == containers + 1, "before call \(number)")
            }
            guard isCutOff else { break }
            number += 1
        }
        // Some of these were after the hub had answered.
        #expect(number > 20 && resumedCount > 10, "\(number) calls, \(resumedCount) gone on with")
    }

    @Test("Killed once it was let in, the code that it was given joins the folder, and nobody is asked again")
    func paired() throws {
        defer { end() }
        let firstHome = try DeviceHome(at: root.appending("first"))
        let first = Joining(firstHome, at: address, named: "first")
        let settings = try first.begin(
            root.appending("first-folder"),
            invitation: try HubProcess.invite(options)
        )
        let joined = try #require(try firstHome.joined(settings.container))
        let (shown, isShown) = (Locked<PairingCode?>(nil), DispatchSemaphore(value: 0))
        let inviting = Thread {
            // Nobody says to it that all is kept.
            let person = PairingPerson { code in
                shown.withLock { $0 = code }
                isShown.signal()
            } compare: { _ in
                true
            }
            try? first.invite(to: joined, person)
        }
        inviting.start()
        isShown.wait()
        let code = try #require(shown.withLock { $0 })
        let place = root.appending("second")
        let secondHome = try DeviceHome(at: place)
        let halt = Halt(in: [place.appending("containers")], before: 0)
        let isCutOff = try cutOff(place, halt) { [address, root] in
            let person = PairingPerson(show: { _ in }, compare: { _ in true })
            _ = try Joining(secondHome, at: address, named: "second")
                .join(root.appending("second-folder"), code: code, person)
        } _: { copy in
            #expect(try copy.containers().isEmpty && leftCount(copy) == 1)
            let nobody = PairingPerson(show: { _ in }) { _ in throw PairingFailure(.cancelled) }
            // As another device it is another joining.
            #expect(throws: (any Error).self) {
                try Joining(copy, at: address, named: "third").join(root.appending("a"), code: code, nobody)
            }
            let again = try Joining(copy, at: address, named: "second")
                .join(root.appending("b"), code: code, nobody)
            #expect(again.container == settings.container && again.list != nil)
            #expect(try copy.containers().count == 1 && leftCount(copy) == 0)
            let identity = try #require(try copy.joined(again.container)?.identity.id)
            let client = try HubClient(address, token: again.credentials.token)
            defer { client.close() }
            #expect(try client.devices().count == 2)
            let devices = try copy.sharing(
                of: try #require(try copy.joined(again.container)),
                at: client
            ).devices()
            #expect(devices.map(\.isRevoked) == [false, false] && devices.contains { $0.id == identity })
        }
        #expect(isCutOff)
    }

    @Test("What nothing comes of is not kept: an invitation that is none, and one that is a day old")
    func givenUp() throws {
        defer { end() }
        let home = try DeviceHome(at: root.appending("home"))
        let joining = Joining(home, at: address, named: "desk")
        #expect(throws: HubFailure.self) {
            try joining.begin(root.appending("folder"), invitation: "WRONG")
        }
        #expect(try leftCount(home) == 0)
        let means = joining.means(.invitation, "OTHER")
        func begin() throws -> BegunJoining {
            let identity = try DeviceIdentity(random: RandomBytes.make)
            return try BegunJoining.begin(in: home, by: means, as: identity, invitation: "OTHER")
        }
        var one: BegunJoining? = try begin()
        let id = try #require(one?.identity.id)
        // While somebody is at it nobody else is.
        #expect(try BegunJoining.left(in: home, by: means) == nil)
        one = nil
        #expect(try BegunJoining.left(in: home, by: joining.means(.invitation, "ANY")) == nil)
        #expect(try BegunJoining.left(in: home, by: joining.means(.paper, "OTHER")) == nil)
        #expect(try BegunJoining.left(in: home, by: means)?.identity.id == id)
        let folder = home.folder.appending("joining")
        let name = try #require(try FolderScan.names(in: folder).first)
        #expect(try FileStamp(of: folder.appending(name).appending("device")).permissions & 0o077 == 0)
        let record = folder.appending(name).appending("joining").string
        var object = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: record)))
                as? [String: Any]
        )
        object["begunSeconds"] = Date().timeIntervalSince1970 - 100_000
        try JSONSerialization.data(withJSONObject: object).write(to: URL(fileURLWithPath: record))
        #expect(try BegunJoining.left(in: home, by: means) == nil)
        #expect(try leftCount(home) == 0)
    }
}
