internal import FileSystem
internal import Foundation
internal import Sealing
internal import Sync
internal import SyncMessages

extension SyncDiagnosis {
    /// How a folder stands, as far as its status tells, without a name in it.
    init(redacting status: SyncStatus, of folder: String) {
        self.init(of: folder, status)
        lineFailure = lineFailure.map(RedactedText.of)
    }
}

extension SyncRun {
    /// More than these are counted and not listed.
    private static let obstacleCountMax = 50

    /// How all stands, without a name in it.
    ///
    /// - Parameter events: What has happened, oldest first.
    func diagnosis(_ events: [(date: Date, report: SyncReport)]) -> SyncDiagnosis {
        var names = ItemPlaceholders()
        var found = SyncDiagnosis(redacting: status, of: place.folder.string)
        found.logPosition = engine.tree.position
        found.keyGeneration = desk.devices.generation
        found.deviceCount = desk.devices.present.count
        found.revokedDeviceCount = desk.devices.members.count - found.deviceCount
        for state in states(below: "") {
            for name in Self.names(of: state) { found.states[name, default: 0] += 1 }
        }
        let items = engine.differing.union(stuck.keys).union(awaited.keys).union(unkept.keys)
            .union(unlisted.keys).union(writing.waiting.keys)
        let all = engine.reasons(forAll: items)
        for item in items.sorted() {
            let reasons = all[item, default: []].map(Self.name)
            for reason in Set(reasons) { found.reasons[reason, default: 0] += 1 }
            guard found.obstacles.count < Self.obstacleCountMax else { continue }
            found.obstacles.append(
                SyncDiagnosis.Obstacle(
                    item: names.name(of: path(of: item)),
                    reasons: reasons,
                    why: obstacleText(to: item).map(RedactedText.of)
                )
            )
        }
        found.events = events.map { Self.event($0.date, $0.report, &names) }
        return found
    }

    private func obstacleText(to item: ItemID) -> String? {
        if let step = awaited[item] { return step.text }
        if writing.waiting[item] != nil { return Self.beingWritten }
        return (stuck[item]?.why ?? unkept[item] ?? unlisted[item])?.description
    }

    private static func names(of state: ItemSyncState) -> [String] {
        var names = [state.isFolder ? "folder" : "document, contents \(state.contents.rawValue)"]
        if !state.isUploaded { names.append("not at the hub") }
        if state.isUploading { names.append("on its way to the hub") }
        if state.pause != nil { names.append("paused") }
        if state.isDownloadRequested { names.append("asked for") }
        if state.download != nil { names.append("on its way here") }
        if let failure = state.uploadFailure { names.append("cannot be sent: \(failure.code.rawValue)") }
        if let failure = state.downloadFailure { names.append("cannot come: \(failure.code.rawValue)") }
        return names
    }

    private static func name(_ reason: SyncEngine.Reason) -> String {
        switch reason {
        case .sending: "sending"
        case .getting: "getting"
        case .contentsLost: "contentsLost"
        case .committing: "committing"
        case .readingLog: "readingLog"
        case .placing: "placing"
        case .merging: "merging"
        case .nameTaken: "nameTaken"
        case .nameLeft: "nameLeft"
        case .uniting: "uniting"
        case .folderMissing: "folderMissing"
        case .loop: "loop"
        case .braked(.leaving): "braked, leaving"
        case .braked(.arriving): "braked, arriving"
        case .paused: "paused"
        case .members: "members"
        case .due: "due"
        }
    }

    private static func event(
        _ date: Date,
        _ report: SyncReport,
        _ names: inout ItemPlaceholders
    ) -> SyncDiagnosis.Event {
        var event = SyncDiagnosis.Event(date: date, kind: report.kind)
        switch report {
        case .received(let path), .removed(let path), .repaired(let path), .restored(let path),
            .merged(let path),
            .conflict(let path):
            event.item = names.name(of: path)
        case .survived(let path, _, _): event.item = names.name(of: path)
        case .leftAlone(let path, _): event.item = names.name(of: path)
        case .failed(let path, let why):
            (event.item, event.detail) = (names.name(of: path), RedactedText.of(why))
        case .lineDown(let why), .stopped(let why): event.detail = RedactedText.of(why)
        case .hubPutBack(let former, let position): event.detail = "from \(former) to \(position)"
        case .vanished(let count): event.detail = "\(count) items"
        case .braked(let isLeaving, let waitingCount, let itemCount):
            event.detail = "\(isLeaving ? "leaving" : "arriving"), \(waitingCount) of \(itemCount)"
        case .released(let count, _): event.detail = "\(count)"
        // Who it is stays here.
        case .letIn(_, _, let isByThis): event.detail = isByThis ? "by this device" : "by another device"
        case .lineUp, .freed, .settled: break
        }
        return event
    }
}

extension SyncReport {
    fileprivate var kind: String {
        switch self {
        case .lineUp: "line up"
        case .lineDown: "line down"
        case .stopped: "stopped"
        case .received: "received"
        case .removed: "removed"
        case .repaired: "repaired"
        case .restored: "restored"
        case .merged: "merged"
        case .conflict: "conflict"
        case .failed: "failed"
        case .leftAlone: "left alone"
        case .hubPutBack: "hub put back"
        case .vanished: "vanished"
        case .freed: "freed"
        case .released: "released"
        case .survived: "survived"
        case .letIn: "let in"
        case .braked: "braked"
        case .settled: "in step"
        }
    }
}
