import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Volumes that are mounted at a container's folder, and below it, and are not for a while.
@Suite(
    "Volumes that come and go",
    .onOwnThreads,
    .timeLimit(.minutes(2)),
    .enabled(if: MountedVolume.isPossible)
)
struct VolumesTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private var disk: URL { two.folder.appendingPathComponent("disk") }
    private var top: URL { pair.base.appendingPathComponent("volume") }

    init() throws { pair = try DevicePair() }

    /// A volume below the folder of the second device, with some files on it, and one beside it.
    private func fill(count: Int = 4) throws -> (volume: MountedVolume, all: [String: String]) {
        two.stop()
        let volume = try MountedVolume(over: disk, keptAt: top)
        try two.start()
        var all = ["disk": "/", "disk/deep": "/", "disk/deep/deep.txt": "deep", "beside.txt": "beside"]
        for number in 0..<count {
            try two.write("precious \(number)", to: "disk/\(number).txt")
            all["disk/\(number).txt"] = "precious \(number)"
        }
        try two.write("deep", to: "disk/deep/deep.txt")
        try two.write("beside", to: "beside.txt")
        pair.wait { one.contents == all && pair.isSettled }
        return (volume, all)
    }

    /// All that is in the second device's folder, also on other volumes.
    private var held: [String: String] {
        var (found, pending): ([String: String], [String]) = ([:], [""])
        while let folder = pending.popLast() {
            let names = try? FileManager.default.contentsOfDirectory(atPath: two.folder.path + "/" + folder)
            for name in names ?? [] where !name.hasPrefix(".sheaf-") {
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                found[path] = two.text(path) ?? "/"
                if found[path] == "/" { pending.append(path) }
            }
        }
        return found
    }

    private var isUnmounted: Bool { two.status?.stuck["disk"]?.contains("is not mounted") == true }

    /// Stops, does something, and starts again; or does it while the second device runs.
    private func doing(whileItRuns isRunning: Bool, _ body: () throws -> Void) throws {
        if !isRunning { two.stop() }
        try body()
        if isRunning { two.tryAgain() } else { try two.start() }
    }

    @Test(
        "A volume below the folder is unmounted: nothing of it is deleted, and all else goes on",
        arguments: [true, false]
    )
    func unmounted(isRunning: Bool) throws {
        var (volume, all) = try fill()
        try doing(whileItRuns: isRunning) { try volume.unmount() }
        // Something beside it happens, which has all be looked at.
        try two.write("beside it", to: "beside.txt")
        try two.write("new", to: "new.txt")
        (all["beside.txt"], all["new.txt"]) = ("beside it", "new")
        pair.wait { one.contents == all && isUnmounted }
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("new.txt"))
        all["new.txt"] = nil
        pair.wait { one.contents == all }
        #expect(two.explanation("disk/0.txt")?.next.contains("Mount it") == true)
        #expect(two.running?.isInStepNow == false && one.contents == all)
        // What others do there waits, and touches nothing in the bare folder.
        try one.write("newer", to: "disk/0.txt")
        try one.write("new", to: "disk/new.txt")
        try FileManager.default.removeItem(at: one.folder.appendingPathComponent("disk/1.txt"))
        (all["disk/0.txt"], all["disk/new.txt"], all["disk/1.txt"]) = ("newer", "new", nil)
        pair.wait { one.status?.isSettled == true && two.running?.logPosition == one.running?.logPosition }
        two.stop()
        try two.start()
        pair.wait { isUnmounted && two.status?.line == .up }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [] && one.contents == all)
        try doing(whileItRuns: isRunning) { try volume.mountAgain() }
        pair.wait { held == all && one.contents == all && pair.isSettled }
        // It is watched, and all in it.
        try two.write("later", to: "disk/deep/later.txt")
        pair.wait { one.text("disk/deep/later.txt") == "later" }
        pair.end()
    }

    @Test(
        "The bare folder is removed: what was on the volume comes from the hub, and can be removed then",
        arguments: [true, false]
    )
    func removed(isRunning: Bool) throws {
        var (volume, all) = try fill()
        try doing(whileItRuns: isRunning) {
            try volume.unmount()
            try FileManager.default.removeItem(at: disk)
        }
        pair.wait { held == all && pair.isSettled }
        #expect(one.contents == all)
        try FileManager.default.removeItem(at: disk)
        all = ["beside.txt": "beside"]
        pair.wait { one.contents == all && pair.isSettled }
        pair.end()
    }

    @Test(
        "What is removed on a volume is removed everywhere, also when it was mounted anew",
        arguments: [true, false]
    )
    func removedOnIt(isRunning: Bool) throws {
        var (volume, all) = try fill()
        try FileManager.default.removeItem(at: disk.appendingPathComponent("3.txt"))
        all["disk/3.txt"] = nil
        pair.wait { one.contents == all && pair.isSettled }
        try doing(whileItRuns: isRunning) { try volume.unmount() }
        pair.wait { two.running?.isInStepNow == false && isUnmounted }
        try FileManager.default.removeItem(at: top.appendingPathComponent("2.txt"))
        all["disk/2.txt"] = nil
        try doing(whileItRuns: isRunning) { try volume.mountAgain() }
        pair.wait { one.contents == all && held == all && pair.isSettled }
        pair.end()
    }

    @Test(
        "A volume that is mounted over a folder hides what is in it and deletes nothing",
        arguments: [true, false]
    )
    func covered(isRunning: Bool) throws {
        try two.write("hidden", to: "disk/a.txt")
        let all = ["disk": "/", "disk/a.txt": "hidden"]
        pair.wait { one.contents == all && pair.isSettled }
        var volume: MountedVolume?
        try doing(whileItRuns: isRunning) { volume = try MountedVolume(over: disk, keptAt: top) }
        try two.write("on it", to: "disk/of another.txt")
        #expect(two.running?.isInStepNow == false)
        pair.wait { two.status?.stuck["disk"]?.contains("mounted over") == true }
        #expect(one.contents == all)
        try doing(whileItRuns: isRunning) { try volume?.unmount() }
        pair.wait { held == all && pair.isSettled }
        #expect(one.contents == all)
        pair.end()
    }

    @Test(
        "A volume that is mounted at an empty folder is part of it, and is known when it is not mounted",
        arguments: [true, false]
    )
    func filled(isRunning: Bool) throws {
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
        pair.wait { one.contents == ["disk": "/"] && pair.isSettled }
        var volume: MountedVolume?
        if !isRunning { two.stop() }
        // While it runs, nothing has it look but that.
        volume = try MountedVolume(over: disk, keptAt: top)
        if !isRunning { try two.start() }
        try two.write("on it", to: "disk/a.txt")
        let all = ["disk": "/", "disk/a.txt": "on it"]
        pair.wait { one.contents == all && pair.isSettled }
        try doing(whileItRuns: isRunning) { try volume?.unmount() }
        pair.wait { two.running?.isInStepNow == false && isUnmounted }
        #expect(one.contents == all)
        try doing(whileItRuns: isRunning) { try volume?.mountAgain() }
        pair.wait { one.contents == all && held == all && pair.isSettled }
        pair.end()
    }

    @Test("What is mounted deep in the folder, and over that itself, is noticed though nobody looks")
    func noticed() throws {
        let deep = two.folder.appendingPathComponent("a/b/disk")
        try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
        try two.write("hidden", to: "a/b/disk/a.txt")
        pair.wait { one.text("a/b/disk/a.txt") == "hidden" && pair.isSettled }
        two.stop()
        let run = SeenRun()
        try run.start(two)
        defer { run.stop() }
        #expect(two.wait { (try? run.sync { $0.isSettled }) == true })
        let volume = try MountedVolume(over: deep, keptAt: top)
        #expect(two.wait { (try? run.sync { $0.apart.count }) == 1 })
        try volume.unmount()
        #expect(two.wait { (try? run.sync { $0.isSettled }) == true })
        let kept = pair.base.appendingPathComponent("other volume")
        let other = try MountedVolume(over: two.folder, keptAt: kept)
        #expect(two.wait { (try? run.sync { $0.isRootAway }) == true })
        try other.unmount()
        #expect(two.wait { (try? run.sync { $0.isSettled }) == true })
        #expect(two.text("a/b/disk/a.txt") == "hidden" && one.contents == two.contents)
        run.stop()
        pair.end()
    }

    @Test(
        "What a check of a volume has made for itself at the top of that stays there, and nothing waits for it"
    )
    func lostAndFound() throws {
        two.stop()
        let volume = try MountedVolume(over: disk, keptAt: top)
        let name = "lost+found"
        try FileManager.default.createDirectory(
            at: disk.appendingPathComponent(name),
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        try two.start()
        try two.write("text", to: "disk/a.txt")
        // Somebody's own, be it called the same.
        try two.write("text", to: "\(name)/b.txt")
        pair.wait {
            one.text("disk/a.txt") == "text" && one.text("\(name)/b.txt") == "text" && pair.isSettled
        }
        #expect(one.contents["disk/\(name)"] == nil && two.status?.stuck.isEmpty == true)
        try FileManager.default.removeItem(at: disk.appendingPathComponent("a.txt"))
        pair.wait { one.text("disk/a.txt") == nil && pair.isSettled }
        pair.end()
        try volume.unmount()
    }

    /// Has the volume that is gone leave its numbers to another, which is mounted there at once.
    private func exchange(_ volume: inout MountedVolume?, at folder: URL) throws -> MountedVolume {
        try volume?.unmount(isLazy: true)
        volume = nil
        return try MountedVolume(over: folder, keptAt: pair.base.appendingPathComponent("other volume"))
    }

    @Test(
        "Another, empty volume with the numbers of the former one gets what was on that, though nobody saw it change"
    )
    func exchangedUnseen() throws {
        var (volume, all): (MountedVolume?, [String: String]) = (nil, [:])
        do {
            let filled = try fill()
            (volume, all) = (filled.volume, filled.all)
        }
        two.stop()
        let run = SeenRun()
        try run.start(two)
        defer { run.stop() }
        #expect(two.wait { (try? run.sync { $0.isSettled }) == true })
        // Nothing looks at it meanwhile.
        let other = try run.sync { _ in try exchange(&volume, at: disk) }
        let isSo = two.wait {
            held == all && one.contents == all && (try? run.sync { $0.isSettled }) == true
        }
        #expect(isSo, "\(one.contents) and \(held)")
        withExtendedLifetime(other) {
            run.stop()
            pair.end()
        }
    }

    @Test(
        "Another volume with the numbers of the one that the container's folder was on is another folder: it deletes nothing"
    )
    func rootExchanged() throws {
        let pair = try DevicePair(isSecondToStart: false)
        let (one, two) = (pair.one, pair.two)
        var volume: MountedVolume? = try MountedVolume(
            over: two.folder,
            keptAt: pair.base.appendingPathComponent("volume")
        )
        let run = SeenRun()
        try run.start(two)
        defer { run.stop() }
        try one.write("precious", to: "a.txt")
        #expect(
            two.wait { two.text("a.txt") == "precious" && (try? run.sync { $0.isSettled }) == true }
        )
        try volume?.unmount(isLazy: true)
        volume = nil
        // The kernel tells that.
        #expect(two.wait { (try? run.sync { $0.hasRootEnded }) == true })
        let other = try MountedVolume(
            over: two.folder,
            keptAt: pair.base.appendingPathComponent("other volume")
        )
        let isAway = try run.sync { run in
            // Found to be there again it would be looked at the second time.
            for _ in 0..<2 { _ = run.isInStepNow }
            return run.isRootAway && run.missing.isEmpty
        }
        #expect(isAway && one.text("a.txt") == "precious")
        withExtendedLifetime(other) {
            run.stop()
            pair.end()
        }
    }

    @Test("What moves to a volume and from it elsewhere is moved here, too, with what was made of it")
    func movedAcross() throws {
        let filled = try fill()
        var all = filled.all
        try one.write("a", to: "p.rtfd/TXT.rtf")
        (all["p.rtfd"], all["p.rtfd/TXT.rtf"]) = ("/", "a")
        pair.wait { held == all && pair.isSettled }
        let files = FileManager.default
        one.line.cut()
        try files.moveItem(atPath: one.path("disk/0.txt"), toPath: one.path("0.txt"))
        try files.moveItem(atPath: one.path("disk/1.txt"), toPath: one.path("1.txt"))
        try one.write("edited", to: "1.txt")
        try files.moveItem(atPath: one.path("beside.txt"), toPath: one.path("disk/beside.txt"))
        try files.moveItem(atPath: one.path("p.rtfd"), toPath: one.path("disk/p.rtfd"))
        one.line.mend()
        for name in ["0.txt", "1.txt"] { all[name] = all.removeValue(forKey: "disk/\(name)") }
        for name in ["beside.txt", "p.rtfd", "p.rtfd/TXT.rtf"] {
            all["disk/\(name)"] = all.removeValue(forKey: name)
        }
        all["1.txt"] = "edited"
        pair.wait { held == all && one.contents == all && pair.isSettled }
        withExtendedLifetime(filled.volume) { pair.end() }
    }

    @Test("Another, empty volume at the same place gets what was on the former one", arguments: [4, 40])
    func exchanged(count: Int) throws {
        let (volume, all) = try fill(count: count)
        two.stop()
        try volume.unmount()
        let other = try MountedVolume(over: disk, keptAt: pair.base.appendingPathComponent("other volume"))
        try two.start()
        pair.wait { held == all && pair.isSettled }
        #expect(one.contents == all)
        withExtendedLifetime(other) { pair.end() }
    }

    @Test(
        "A copy of a volume in its place, with all that it bears, is another: what it lacks comes from the hub",
        arguments: [true, false]
    )
    func copied(isRunning: Bool) throws {
        var (volume, all) = try fill()
        let otherTop = pair.base.appendingPathComponent("other volume")
        let aside = pair.base.appendingPathComponent("aside")
        let other = try MountedVolume(over: aside, keptAt: otherTop)
        try MountedVolume.run("cp", "-a", top.path + "/.", otherTop.path)
        for name in ["2.txt", "deep/deep.txt"] {
            try FileManager.default.removeItem(at: otherTop.appendingPathComponent(name))
        }
        try doing(whileItRuns: isRunning) {
            try volume.unmount()
            try MountedVolume.run("mount", "--bind", otherTop.path, disk.path)
        }
        defer { try? MountedVolume.run("umount", "-l", disk.path) }
        pair.wait { held == all && pair.isSettled }
        #expect(one.contents == all)
        // It is the volume from then on, also when it is mounted anew.
        try doing(whileItRuns: isRunning) {
            try MountedVolume.run("umount", "-l", disk.path)
            try FileManager.default.removeItem(at: otherTop.appendingPathComponent("2.txt"))
            try MountedVolume.run("mount", "--bind", otherTop.path, disk.path)
        }
        all["disk/2.txt"] = nil
        pair.wait { held == all && one.contents == all && pair.isSettled }
        withExtendedLifetime(other) { pair.end() }
    }

    // MARK: Cut short

    /// After how many writes a device crashes: each of the first ones, and some of those that follow.
    private static let writeCounts = Array(0..<15) + [20, 30, 45, 60]

    /// Has the second device crash as it looks at what is in the place of a folder, and start again: nothing of it is deleted.
    private func crash(
        afterWrites count: Int,
        holding all: [String: String],
        _ exchange: () throws -> MountedVolume
    ) throws {
        try two.crash(afterWrites: count)
        let other = try exchange()
        // The kernel does not tell of all of it: a look finds it.
        _ = two.running?.isInStepNow
        let isOver = two.wait { two.hasCrashed || held == all && pair.isSettled }
        #expect(isOver, "\(held)")
        // What did not come until now comes no more.
        try two.start()
        pair.wait { held == all && one.contents == all && pair.isSettled }
        // It is the folder from now on: what is removed from it is removed everywhere.
        try FileManager.default.removeItem(at: disk.appendingPathComponent("1.txt"))
        pair.wait { one.text("disk/1.txt") == nil && pair.isSettled }
        #expect(one.text("disk/0.txt") == all["disk/0.txt"])
        withExtendedLifetime(other) { pair.end() }
    }

    @Test(
        "A device that crashes at any moment after another volume has come deletes nothing of the former one",
        arguments: writeCounts
    )
    func exchangedAndCrashed(afterWrites count: Int) throws {
        let (volume, all) = try fill()
        try crash(afterWrites: count, holding: all) {
            try volume.unmount(isLazy: true)
            return try MountedVolume(over: disk, keptAt: pair.base.appendingPathComponent("other volume"))
        }
    }

    @Test(
        "A device that crashes at any moment after a copy of a folder has covered it deletes nothing",
        arguments: writeCounts
    )
    func copiedAndCrashed(afterWrites count: Int) throws {
        var all = ["disk": "/"]
        for number in 0..<4 {
            try two.write("precious \(number)", to: "disk/\(number).txt")
            all["disk/\(number).txt"] = "precious \(number)"
        }
        pair.wait { one.contents == all && pair.isSettled }
        let copy = pair.base.appendingPathComponent("copy")
        try MountedVolume.run("cp", "-a", disk.path, copy.path)
        for name in ["2.txt", "3.txt"] {
            try FileManager.default.removeItem(at: copy.appendingPathComponent(name))
        }
        try crash(afterWrites: count, holding: all) {
            let volume = try MountedVolume(over: disk, keptAt: top)
            // The folder itself comes last, with its mark.
            try MountedVolume.run("cp", "-a", copy.path + "/.", disk.path)
            return volume
        }
    }

    @Test("A device that is stopped before it could write down that another volume has come deletes nothing")
    func exchangedWithoutRoom() throws {
        let (volume, all) = try fill()
        try two.fillDisk()
        try volume.unmount()
        let other = try MountedVolume(over: disk, keptAt: pair.base.appendingPathComponent("other volume"))
        // The second time it looks into the new one.
        for _ in 0..<2 { _ = two.running?.isInStepNow }
        let isRefused = two.wait {
            two.said.contains { report in
                if case .failed(path: "what this device remembers", why: _) = report { true } else { false }
            }
        }
        #expect(isRefused, "\(two.said)")
        two.stop()
        two.freeDisk()
        try two.start()
        pair.wait { held == all && one.contents == all && pair.isSettled }
        withExtendedLifetime(other) { pair.end() }
    }
}
