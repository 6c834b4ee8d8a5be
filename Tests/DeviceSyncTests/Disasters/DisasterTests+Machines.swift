import CLinux
import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import Testing

@testable import DeviceSync

/// What has the machine of a device die at one of its changes to the disk: nothing that it goes on with reaches that any more.
private final class Death: SystemCallObserver {
    private let device: TestDevice
    private let folders: [String]
    /// How many changes are made yet; nil to count all.
    private let left: Locked<Int?>
    private let changes = Locked(0)

    init(of device: TestDevice, after count: Int?) {
        self.device = device
        folders = [device.folder.path, device.memoryFolder.path].map { $0.hasSuffix("/") ? $0 : $0 + "/" }
        left = Locked(count)
    }

    var changeCount: Int { changes.withLock { $0 } }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.effect.isMutating, folders.contains(where: { (call.path.string + "/").hasPrefix($0) })
        else {
            return 0
        }
        changes.withLock { $0 += 1 }
        let isLast = left.withLock { left in
            guard let count = left else { return false }
            left = count - 1
            return count == 0
        }
        guard isLast else { return 0 }
        do { try device.breakDisk(.writing) } catch { Issue.record("\(error)") }
        return EIO
    }

    func didMake(_ call: SystemCall) {}
}

// What happens to machines: a type that is unknown on one, a power cut at the worst time, a repair of the disk.
extension DisasterTests {
    @Test(
        "A bundle renamed on a device that does not know its type stays one item, and arrives whole",
        arguments: [false, true]
    )
    func unknownBundle(isStopped: Bool) throws {
        let pair = try DevicePair(packagesOfSecond: { _ in false })
        let (one, two) = (pair.one, pair.two)
        let members = ["TXT.rtf": "text", "pages/1.txt": "one", "pages/2.txt": "two"]
        for (name, text) in members { try one.write(text, to: "a.rtfd/\(name)") }
        func isAll(_ device: TestDevice, in name: String) -> Bool {
            members.allSatisfy { device.text("\(name)/\($0.key)") == $0.value }
        }
        pair.wait { isAll(two, in: "a.rtfd") && pair.isSettled }
        #expect(two.status?.itemCount == 1)
        let count = pair.hub.entryCount
        if isStopped { two.stop() }
        let places = ["a.rtfd", "b.rtfd"].map { two.folder.appendingPathComponent($0).path }
        #expect(Foundation.rename(places[0], places[1]) == 0)
        if isStopped { try two.start() }
        pair.wait { isAll(one, in: "b.rtfd") && pair.isSettled }
        // One change of one item: nothing was removed and made anew, nor taken apart.
        #expect(pair.hub.entryCount == count + 1)
        #expect(one.status?.itemCount == 1 && two.status?.itemCount == 1)
        #expect(!FileManager.default.fileExists(atPath: one.folder.path + "/a.rtfd"))
        // And edited there it is still one.
        try two.write("edited", to: "b.rtfd/pages/2.txt")
        pair.wait { one.text("b.rtfd/pages/2.txt") == "edited" && pair.isSettled }
        #expect(pair.hub.entryCount == count + 2 && one.text("b.rtfd/TXT.rtf") == "text")
        #expect(one.status?.itemCount == 1 && two.status?.itemCount == 1)
        pair.end()
    }

    /// What a bundle is made anew by.
    enum Renewal: CaseIterable {
        /// Another bundle in its place.
        case another
        /// One that bears its mark, as a copy of it does.
        case copy
        /// Another folder, with another bundle in it, in the place of the folder that it is in.
        case folder
    }

    @Test(
        "A bundle that another takes the place of, where its type is not known, stays one item, and is whole everywhere",
        arguments: Renewal.allCases
    )
    func unknownBundleRenewed(_ renewal: Renewal) throws {
        let pair = try DevicePair(packagesOfSecond: { _ in false })
        let (one, two) = (pair.one, pair.two)
        let members = ["TXT.rtf", "pages/1.txt", "pages/2.txt"]
        for name in members { try one.write("text", to: "album/a.rtfd/\(name)") }
        func isAll(_ text: String, on device: TestDevice) -> Bool {
            members.allSatisfy { device.text("album/a.rtfd/\($0)") == text }
        }
        pair.wait { isAll("text", on: two) && pair.isSettled }
        let count = pair.hub.entryCount
        let desk = pair.base.appendingPathComponent("desk")
        let bundle = renewal == .folder ? desk.appendingPathComponent("a.rtfd") : desk
        for name in members {
            let file = bundle.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data("new".utf8).write(to: file)
        }
        let place = two.folder.appendingPathComponent(renewal == .folder ? "album" : "album/a.rtfd")
        if renewal == .copy {
            let mark = try #require(try FileIdentity.ifPresent(at: FilePath(place.path))?.mark)
            _ = try FileIdentity.marking(FilePath(bundle.path), with: mark, isForeign: { _ in true })
        }
        let exchange: UInt32 = 2
        #expect(cdoc_renameat2(AT_FDCWD, desk.path, AT_FDCWD, place.path, exchange) == 0)
        pair.wait { isAll("new", on: one) && pair.isSettled }
        // One edit of one item: what is in it has not become items of its own.
        #expect(pair.hub.entryCount == count + 1 && isAll("new", on: two))
        #expect(one.status?.itemCount == 2 && two.status?.itemCount == 2)
        try two.write("edited", to: "album/a.rtfd/TXT.rtf")
        pair.wait { one.text("album/a.rtfd/TXT.rtf") == "edited" && pair.isSettled }
        for device in [one, two] { #expect(device.text("album/a.rtfd/pages/2.txt") == "new") }
        pair.end()
    }

    @Test(
        "Deletes after a power cut in the first sync: wherever it dies, nothing of either side is gone",
        arguments: [false, true]
    )
    func firstSync(isPowerCut: Bool) throws {
        // Counted first: how many changes the whole first sync makes.
        let changeCount = try firstSync(dyingAfter: nil, isPowerCut: false)
        #expect(changeCount > 20)
        for number in 0..<8 {
            let death = changeCount * number / 8
            _ = try firstSync(dyingAfter: death, isPowerCut: isPowerCut)
        }
    }

    /// Has a device join with contents on both sides, die at one of its changes, and start again.
    ///
    /// - Returns: How many changes it has made.
    private func firstSync(dyingAfter count: Int?, isPowerCut: Bool) throws -> Int {
        let pair = try DevicePair(isSecondToStart: false)
        let (one, two) = (pair.one, pair.two)
        for name in ["a.txt", "folder/b.txt", "p.rtfd/TXT.rtf", "p.rtfd/two.txt"] {
            try one.write("of one, \(name)", to: name)
        }
        for name in ["c.txt", "folder/d.txt", "own/e.txt", "q.rtfd/TXT.rtf"] {
            try two.write("of two, \(name)", to: name)
        }
        let all = Set(one.contents.values).union(two.contents.values)
        #expect(one.wait { one.status?.isSettled == true && one.status?.itemCount == 4 })
        let (before, death) = (one.contents, Death(of: two, after: count))
        SystemCallObservation.add(death)
        defer { SystemCallObservation.remove(death) }
        // Where it dies at once, there is nothing that could start.
        do { try two.start() } catch { #expect(count != nil, "\(error)") }
        _ = two.wait(seconds: count == nil ? 60 : 2) {
            count.map { death.changeCount > $0 } ?? false || pair.isSettled && two.contents.count >= 12
        }
        guard count != nil else {
            pair.end()
            return death.changeCount
        }
        two.stop()
        two.mendDisk()
        if isPowerCut { two.reboot() }
        for (name, text) in before where text != "/" {
            #expect(one.text(name) == text, "\(name), after \(count ?? 0); \(one.said) and \(two.said)")
        }
        try two.start()
        let isSo = two.wait {
            pair.isSettled && Set(one.contents.values) == all && one.contents == two.contents
        }
        #expect(isSo, "after \(count ?? 0): \(one.contents) and \(two.contents); \(two.said)")
        pair.end()
        return death.changeCount
    }

    @Test(
        "Repair that empties a file: an empty one that fsck puts in place of a readable one takes no contents from anybody",
        arguments: [true, false]
    )
    func repairedDisk(isAfterCut: Bool) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("text", to: "a.txt")
        try one.write("other", to: "b.txt")
        pair.wait { two.text("a.txt") == "text" && two.text("b.txt") == "other" && pair.isSettled }
        let count = pair.hub.entryCount
        if isAfterCut { try two.cutPower() } else { two.stop() }
        // Another file of that name, with nothing in it; the one that was there is in nobody's folder.
        let place = two.folder.appendingPathComponent("a.txt")
        try FileManager.default.moveItem(at: place, to: pair.base.appendingPathComponent("#12345"))
        #expect(FileManager.default.createFile(atPath: place.path, contents: nil))
        try two.start()
        if isAfterCut {
            // A machine that went down without an end is repaired: damage, which is had again and told to nobody.
            pair.wait { two.text("a.txt") == "text" && pair.isSettled }
            #expect(two.said.contains(.repaired(path: "a.txt")))
            #expect(pair.hub.entryCount == count && one.text("a.txt") == "text")
        } else {
            // After a clean end nobody can tell it from an edit: what the file held is a version everywhere.
            pair.wait { one.text("a.txt") == "" && pair.isSettled }
            for device in [one, two] {
                #expect(try device.formerTexts(of: "a.txt").contains("text"), "\(device.name)")
            }
        }
        #expect(one.text("b.txt") == "other" && two.text("b.txt") == "other")
        pair.end()
    }
}
