import FileSystem
import Foundation
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// What the doctor makes of what was found out.
@Suite("Checkups of folders in step", .onOwnThreads)
struct FolderCheckupTests {
    private static let now = 1_000_000.0

    /// A folder that nothing is wrong with.
    private static func sound() -> FolderCheckup {
        var checkup = FolderCheckup(folder: "/home/me/Shared", hub: "http://hub", now: now)
        checkup.isUp = true
        checkup.status = status()
        checkup.freeByteCounts = [10 << 30, 1 << 30]
        checkup.clockAheadSeconds = 1
        return checkup
    }

    private static func status(_ line: SyncStatus.Line = .up, _ why: String? = nil) -> SyncStatus {
        SyncStatus(line: line, lineFailure: why, itemCount: 7, unsettledCount: 0, isSettled: true, stuck: [:])
    }

    private static func kinds(_ change: (inout FolderCheckup) -> Void) -> [DoctorFinding.Kind] {
        findings(change).map(\.kind)
    }

    private static func findings(_ change: (inout FolderCheckup) -> Void) -> [DoctorFinding] {
        var checkup = sound()
        change(&checkup)
        return checkup.findings
    }

    private static func waiting(
        _ chain: [Explanation.Cause],
        changed: Double? = nil,
        path: String = "a.txt"
    ) -> FolderCheckup.Waiting {
        let found = Explanation(path: path, isSettled: false, change: "here", chain, next: "Do that.")
        return FolderCheckup.Waiting(found, changedSeconds: changed)
    }

    @Test("Of a line that does not come up by itself it is said what somebody has to do")
    func lineRemedy() {
        var status = Self.status(.down, "the hub does not know this device")
        #expect(Self.findings { $0.status = status }.map { $0.remedy.contains("by itself") } == [true])
        status.lineRemedy = "Register it again."
        #expect(Self.findings { $0.status = status }.map(\.remedy) == ["Register it again."])
    }

    @Test("Of a hub that is not trusted it is said what somebody has to do")
    func hubRemedy() {
        let found = Self.findings { ($0.hubFailure, $0.hubRemedy) = ("It has expired", "Renew it.") }
        #expect(found.map(\.remedy) == ["Renew it."])
        let away = Self.findings { $0.hubFailure = "It is away." }
        #expect(away.map { $0.remedy.contains("by itself") } == [true])
    }

    @Test("Nothing is said of what is sound, and each wrong has its word, its folder and what helps")
    func wrongs() {
        #expect(Self.kinds { _ in } == [])
        let wrongs: [(DoctorFinding.Kind, (inout FolderCheckup) -> Void)] = [
            (.folderMissing, { $0.isThere = false }), (.readOnly, { $0.isReadOnly = true }),
            (.readOnly, { $0.isOwnReadOnly = true }),
            (.noRoom, { $0.freeByteCounts = [10 << 30, 255 << 20] }),
            (
                .database,
                {
                    $0.databases = [
                        .init(name: "memory", byteCount: 1, logByteCount: 0, integrity: "damaged")
                    ]
                }
            ),
            (.notKept, { $0.status = nil }), (.hubUnreachable, { $0.hubFailure = "It is away." }),
            (.offline, { $0.status = Self.status(.down, "It is away.") }),
            (.stopped, { $0.status = Self.status(.stopped, "The folder is another.") }),
            (.shutOut, { $0.status?.isShutOut = true }),
            (.clock, { $0.clockAheadSeconds = -121 }), (.clock, { $0.clockAheadSeconds = 121 }),
            (.hubFull, { $0.refusedCount = 1 }), (.conflict, { $0.conflicts = ["a.txt"] }),
            (.braked, { $0.status?.brakes = [.init(isLeaving: true, waitingCount: 20, itemCount: 30)] }),
            (.waiting, { $0.otherWaitingCount = 2 }),
            (
                .hubDeed,
                {
                    $0.status?.hubDeeds = [
                        HubDeed(
                            .forked,
                            sinceSeconds: 1,
                            text: "There are two logs.",
                            next: "Ask the others."
                        )
                    ]
                }
            ),
        ]
        for (kind, change) in wrongs {
            let found = Self.findings(change)
            #expect(found.map(\.kind) == [kind])
            #expect(found.allSatisfy { $0.folder == "/home/me/Shared" && $0.text.hasSuffix(".") })
            #expect(found.allSatisfy { $0.remedy.hasSuffix(".") }, "\(found)")
        }
        var whole = [
            StoredDiagnosis.Database(name: "memory", byteCount: 1, logByteCount: 0, integrity: "whole")
        ]
        #expect(Self.kinds { $0.databases = whole } == [])
        for (integrity, said, helps) in [
            ("cannot be read: code 13", "cannot be read: code 13", "Free some space"),
            ("damaged", "is damaged", "move memory.sqlite, and what begins with that name, out of /own,"),
            ("no answer", "does not answer", "Ask again"),
        ] {
            whole[0].integrity = integrity
            whole[0].remedy = integrity.hasPrefix("cannot") ? "Free some space." : nil
            let found = Self.findings { ($0.databases, $0.ownFolder) = (whole, "/own") }
            #expect(found.map(\.kind) == [.database])
            #expect(found.first?.text == "The memory of this folder \(said).")
            #expect(found.first?.remedy.contains(helps) == true, "\(found)")
        }
        var right = HubDeed(.rolledBack, sinceSeconds: 1, text: "It was put back.", next: "Nothing.")
        right.putRightSeconds = 2
        #expect(Self.kinds { $0.status?.hubDeeds = [right] } == [])
    }

    @Test("What the hub has done does not hide that nothing goes on")
    func stopped() {
        let deed = HubDeed(.rolledBack, sinceSeconds: 1, text: "It was put back.", next: "Nothing.")
        let stopped = Self.findings {
            $0.status?.line = .stopped
            $0.status?.lineFailure = "it forks."
            $0.status?.lineRemedy = "Do so."
            $0.status?.hubDeeds = [deed]
        }
        #expect(stopped.map(\.kind) == [.stopped, .hubDeed])
        #expect(stopped.first?.remedy == "Do so.")
    }

    @Test("What does not come of itself is told at once, the rest once it has taken its time")
    func heldUp() {
        typealias Cause = Explanation.Cause
        func kinds(_ chain: [Cause], changed: Double? = nil) -> [DoctorFinding.Kind] {
            Self.kinds { $0.waiting = [Self.waiting(chain, changed: changed)] }
        }
        let slow = FolderCheckup.slowSeconds
        #expect(kinds([Cause(.sending, "It is sent.")], changed: Self.now - slow + 1) == [])
        #expect(kinds([Cause(.sending, "It is sent.")], changed: Self.now - slow) == [.waiting])
        // It was changed elsewhere, and nobody knows when.
        #expect(kinds([Cause(.getting, "It is got.")]) == [])
        #expect(kinds([Cause(.cannotPlace, "The disk refuses.", remedy: "Make room.")]) == [.waiting])
        // Somebody uses it: a moment is no wrong.
        func used(_ seconds: Double) -> [Cause] {
            [Cause(.inUse, "Color reads it.", sinceSeconds: Self.now - seconds, remedy: "Close it.")]
        }
        #expect(kinds(used(59)) == [] && kinds(used(60)) == [.waiting])
        // What somebody has paused is meant; what all wait for is said once.
        let old = Self.now - 100_000
        #expect(kinds([Cause(.paused, "It is paused.", remedy: "Resume it.")], changed: old) == [])
        #expect(
            kinds([Cause(.sending, "Sent."), Cause(.offline, "No line.", remedy: "Check.")], changed: old)
                == []
        )
        #expect(kinds([Cause(.hubFull, "No room.", remedy: "Remove.")], changed: old) == [])
        let found = Self.findings {
            $0.waiting = [
                Self.waiting(
                    [
                        Cause(.nameTaken, "It waits for its name."),
                        Cause(.cannotRead, "That cannot be read.", remedy: "x"),
                    ],
                    changed: Self.now - 7_300
                )
            ]
        }
        #expect(
            found.first?.text == "“a.txt” (for 2 h): It waits for its name. That cannot be read."
                && found.first?.remedy == "Do that."
        )
        let closed = [Cause(.cannotRead, "It cannot be looked at.", remedy: "x")]
        let folder = Self.findings { $0.waiting = [Self.waiting(closed, path: "")] }
        #expect(folder.first?.text == "The folder itself: It cannot be looked at.")
    }

    @Test("Too few watches, or as good as too few, are told with the setting")
    func watches() {
        var use = WatchUse()
        #expect(use.findings == [])
        (use.watchCount, use.watchCountMax) = (900, 1000)
        (use.instanceCount, use.instanceCountMax) = (115, 128)
        #expect(use.findings == [])
        use.neededCount = 1
        #expect(use.findings.map(\.kind) == [.watches])
        #expect(use.findings.first?.remedy.contains("fs.inotify.max_user_watches") == true)
        use.instanceCount = 127
        #expect(use.findings.last?.remedy.contains("fs.inotify.max_user_instances") == true)
    }

    @Test("What a process watches is counted")
    func counted() throws {
        let folder = try TestFolder("watch-use")
        let before = WatchUse.now()
        // As many as other tests of this process can hardly end meanwhile.
        let count = 200
        for number in 0..<count {
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent("\(number)"),
                withIntermediateDirectories: true
            )
        }
        let queue = inotify_init1(0)
        try #require(queue >= 0)
        defer { close(queue) }
        for number in 0..<count {
            let place = folder.url.appendingPathComponent("\(number)").path
            #expect(inotify_add_watch(queue, place, UInt32(IN_CREATE)) >= 0)
        }
        let use = WatchUse.now()
        #expect(use.watchCount > before.watchCount + count / 2)
        #expect(use.instanceCount > 0)
        func limit(_ name: String) throws -> Int? {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/sys/fs/inotify/\(name)"))
            let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        #expect(use.watchCountMax == (try limit("max_user_watches")))
        #expect(use.instanceCountMax == (try limit("max_user_instances")))
    }
}
