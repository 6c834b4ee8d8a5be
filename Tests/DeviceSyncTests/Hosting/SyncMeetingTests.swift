import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import LocalSockets
import Locks
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// A process that keeps folders in step and has found another runtime folder than those who ask.
@Suite("SyncMeeting", .onOwnThreads, .timeLimit(.minutes(2)))
struct SyncMeetingTests {
    private let base: TestFolder
    private let meeting: SyncMeeting
    private let own: RuntimeFolder
    private let other: RuntimeFolder

    init() throws {
        base = try TestFolder("meeting")
        own = try RuntimeFolder(path: base.url.path + "/own")
        other = try RuntimeFolder(path: base.url.path + "/other")
        meeting = SyncMeeting(home: FilePath(base.url.path))
    }

    @Test(
        "It is asked where it has noted that it is, while it is there or about to be; else where everybody is"
    )
    func noted() throws {
        #expect(meeting.noted == nil && meeting.runtime(own: own) == own)
        try meeting.note(other.path)
        #expect(meeting.noted == other.path && meeting.runtime(own: own) == own)
        let lock = try LockFile(ifFree: other.place(of: SyncQuery.beginningLockName))
        #expect(meeting.runtime(own: own) == other)
        withExtendedLifetime(lock) {}
        other.remove(SyncQuery.beginningLockName)
        #expect(meeting.runtime(own: own) == own)
        let listener = try LocalListener(at: other.place(of: SyncQuery.socketName))
        #expect(meeting.runtime(own: own) == other && meeting.runtime(own: other) == other)
        withExtendedLifetime(listener) {}
    }

    @Test("A folder that others reach into is none to be asked in")
    func reachable() throws {
        let listener = try LocalListener(at: other.place(of: SyncQuery.socketName))
        try meeting.note(other.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: other.path)
        #expect(meeting.runtime(own: own) == own)
        withExtendedLifetime(listener) {}
    }

    @Test("Who follows hears one that comes elsewhere, and asks there")
    func followed() throws {
        let pair = try DevicePair()
        let (account, endAnswering) = try pair.serve()
        endAnswering()
        let elsewhere = try account.runtime()
        let environment = ["SHEAF_HOME": pair.accountHome.path, "SHEAF_RUNTIME_DIR": own.path]
        let heard = Locked<[Bool]>([])
        let following = SyncFollowing(
            .followLargeChanges(folder: pair.two.folder.path),
            of: UbiquityAccount(environment: environment, information: [:]),
            threadName: "meeting"
        ) { news in
            if case .said = news {
                heard.withLock { $0.append(true) }
            } else {
                heard.withLock { $0.append(false) }
            }
        }
        pair.wait { heard.withLock { $0 } == [false] }
        try pair.two.start()
        let endAgain = try pair.serve().end
        try SyncMeeting(home: FilePath(pair.accountHome.path)).note(elsewhere.path)
        pair.wait { heard.withLock { $0.last } == true }
        following.end()
        endAgain()
        pair.end()
    }
}
