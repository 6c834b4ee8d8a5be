internal import CFileGuise
internal import CrashHarness
internal import DocumentTesting
internal import FileSystem
internal import Foundation
internal import TracedDisk

/// What has to hold when a device starts anew after a power cut:
///
/// 1. It comes in step, and what it has then another device gets, too.
/// 2. What the hub had, and nobody was about to change on this device, is there as the hub had it: nothing is gone, blank, half
///    or older.
/// 3. What somebody was about to change is as it was before, or as the hub had it, or as he has made it; where programs
///    did not sync what they wrote, it may be there in part, and under a former name (`DeviceDeed`). What the hub had of that
///    last is whole.
/// 4. Where nobody was about to change anything, nothing is sent.
final class DeviceCheck {
    /// What had happened when the power was cut.
    struct Moment: CustomStringConvertible {
        /// How many entries the hub's log had.
        var entryCount = 0
        /// The last time at which all was in step.
        var settled: Int?
        /// What has been begun on this device since, and how much of that has ended.
        var deeds: [Int] = []
        var done: Set<Int> = []

        var hasBegun: Bool { entryCount > 0 }

        mutating func note(_ line: String) {
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Int(words[1]) else { return }
            switch words[0] {
            case "hub": entryCount = number
            case "settled": (settled, deeds) = (number, [])
            case "deed": deeds.append(number)
            case "done": done.insert(number)
            default: break
            }
        }

        var description: String {
            "\(entryCount) entries at the hub, in step the \(settled ?? -1). time, deeds since \(deeds)"
        }
    }

    private let recording: DevicePowerCut.Recording
    /// What the hub had with so many entries.
    private var references: [Int: FolderContents] = [:]

    init(_ recording: DevicePowerCut.Recording) throws { self.recording = recording }

    private func reference(_ entryCount: Int) throws -> FolderContents {
        if let known = references[entryCount] { return known }
        let hub = try recording.scene.hub(recording.backup, entryCount: entryCount)
        let contents = try recording.scene.contents(at: hub)
        references[entryCount] = contents
        return contents
    }

    /// SQLite's file beside its log is mapped into memory, and made anew from the log.
    static func isLeftOut(_ path: String) -> Bool { path.hasSuffix("-shm") }

    /// - Returns: Nil when all is well.
    func complaint(about state: DiskState, _ moment: Moment) throws -> String? {
        let reference = try reference(moment.entryCount)
        let hub = try recording.scene.hub(recording.backup, entryCount: moment.entryCount)
        let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        try state.write(to: scratch.path, leavingOut: Self.isLeftOut)
        defer { show_as_they_are() }
        let found = FolderContents(
            of: scratch.path.appending(DeviceScene.folderName).url(isDirectory: true),
            isAll: true
        )
        // SQLite knows its files by their numbers, and those of the state before may be open yet.
        for place in state.places where !place.path.contains(".sqlite") {
            let changed = place.node.status?.changed ?? 1
            // The device asks that of its folder alone.
            let born = place.path == DeviceScene.folderName ? recording.folderBorn : 0
            show_as(scratch.path.appending(place.path).string, UInt(place.number), Int(changed), born)
        }
        let final: FolderContents
        var said = ""
        do {
            let device = try recording.scene.one(in: scratch.path, at: hub)
            device.reboot()
            try device.start()
            defer { device.stop() }
            try DeviceScene.settle(device)
            said = "\n    the device said \(device.said)"
            final = FolderContents(of: device.folder)
            let other = try recording.scene.contents(at: hub)
            guard other == FolderContents(of: device.folder) else {
                return
                    "it has \(FolderContents(of: device.folder)), another device gets \(other)"
                    + "\n    the disk had \(found)\n    the hub had \(reference)\(said)"
            }
        } catch {
            return "\(error)\n    the disk had \(found)"
        }
        let isQuiet: Bool
        switch try judge(final, reference, moment) {
        case .failure(let complaint):
            return
                "\(complaint.text)\n    the disk had \(found)\n    the hub had \(reference)\n    it came to \(final)\(said)"
        case .success(let quiet): isQuiet = quiet
        }
        guard !isQuiet || hub.entryCount == moment.entryCount else {
            return "it sent \(hub.entryCount - moment.entryCount) commits though nobody had edited"
                + "\n    the disk had \(found)\n    the hub had \(reference)\n    it came to \(final)\(said)"
        }
        return nil
    }

    private struct Complaint: Error {
        let text: String
    }

    /// Whether the hub has ever had something that somebody has made on this device. What has come and gone without its hearing
    /// of it is nobody's: a cut may bring it back.
    private func wasAtHub(_ path: String, _ moment: Moment) throws -> Bool {
        try (Self.firstEntryCount...moment.entryCount).contains {
            try !reference($0).document(path).isEmpty
        }
    }
    /// The log begins with who shares the container.
    private static let firstEntryCount = 2

    /// - Returns: Whether nobody was about to change anything.
    private func judge(
        _ final: FolderContents,
        _ reference: FolderContents,
        _ moment: Moment
    ) throws -> Result<Bool, Complaint> {
        let deeds = moment.deeds.map { (number: $0, deed: recording.story.deeds[$0]) }
        var last: [String: Int] = [:]
        for (number, deed) in deeds { for path in deed.paths { last[path] = number } }
        let known = Set(recording.story.deeds.flatMap(\.paths))
        var isQuiet = true
        for path in Set(final.documents + reference.documents + last.keys).sorted() {
            let (has, had) = (final.document(path), reference.document(path))
            guard let number = last[path] else {
                if had.isEmpty, !has.isEmpty, known.contains(path), try !wasAtHub(path, moment) {
                    isQuiet = false
                    continue
                }
                guard has == had else {
                    return .failure(Complaint(text: "“\(path)” is not as the hub had it"))
                }
                continue
            }
            // The hub has what was done last: it is promised.
            if moment.done.contains(number), recording.story.deeds[number].after[path] == had,
                try !had.isEmpty || wasAtHub(path, moment)
            {
                guard has == had else {
                    return .failure(Complaint(text: "“\(path)” was at the hub and is not what it was"))
                }
                continue
            }
            isQuiet = false
            guard DeviceDeed.mayLeave(has, at: path, had: had, deeds.map(\.deed)) else {
                return .failure(
                    Complaint(text: "“\(path)” is what nobody has made of it with \(deeds): \(has)")
                )
            }
        }
        return .success(isQuiet)
    }
}
