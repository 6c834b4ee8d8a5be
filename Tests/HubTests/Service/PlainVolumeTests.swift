import CrashHarness
import FileSystem
import Foundation
import HTTPService
import Hub
import Testing

@Suite("A hub on a volume whose rename knows no conditions")
struct PlainVolumeTests {
    private let place: HubFolder
    private let hub: HubData

    init() throws {
        place = try HubFolder()
        hub = HubData(path: place.path.appending("hub"))
    }

    private var options: HubProcess.Options {
        var options = HubProcess.Options()
        options.data = hub.path.string
        options.address = .loopback(port: 0)
        return options
    }

    /// Starts a hub, and ends it.
    private func runOnce() async throws -> String? {
        let hub = try RunningHub(options) { Issue.record("\($0)") }
        let invitation = try hub.firstInvitation()
        await hub.stop()
        return invitation
    }

    @Test("It starts, invites, and is backed up and put back")
    func all() async throws {
        let volume = PlainRenames(in: place.path)
        SystemCallObservation.add(volume)
        defer { SystemCallObservation.remove(volume) }
        #expect(try await runOnce() != nil)
        _ = try HubProcess.invite(options)
        let (copy, restored) = (place.path.appending("copy"), place.path.appending("restored"))
        try HubBackup.make(of: hub, to: copy.string)
        try HubBackup.restore(copy.string, to: HubData(path: restored))
        #expect(try FolderScan.names(in: place.path) == ["copy", "hub", "restored"])
    }

    @Test("A copy that is whole and cannot get its name stays, and it is said where")
    func nameless() async throws {
        _ = try await runOnce()
        let copy = place.path.appending("copy")
        let error = #expect(throws: HubError.self) {
            try SystemCallObservation.withObserver(PlainRenames(in: place.path, refusesAll: true)) {
                try HubBackup.make(of: hub, to: copy.string)
            }
        }
        let draft = place.path.appending("copy.partial")
        #expect(error?.description.hasPrefix("\(draft) has everything in it") == true)
        try HubBackup.restore(draft.string, to: HubData(path: place.path.appending("restored")))
    }
}
