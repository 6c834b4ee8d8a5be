internal import Commands
internal import DeviceSync
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import StandardStreams
internal import SyncMessages

/// What the commands about folders in step do on this machine.
enum LiveSync {
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    static let role = SyncRole(
        join: { request, console in try join(request, console) },
        pair: { folder, showsQRCode, console in try pair(folder, showsQRCode, console) },
        up: { isQuiet, console in try up(isQuiet, console) },
        status: { try status() },
        explain: { path in try explain(path) },
        log: { isFollowed, tell in try log(isFollowed, tell) },
        decide: { folder, goesOn in
            let folder = try joinedPlace(folder)
            try asking { try SyncQuery.decide(folder, goesOn: goesOn, in: $0) }
        },
        goBack: { folder in
            let folder = try joinedPlace(folder)
            return try asking { try LiveBrake.goBack(folder, in: $0) }
        },
        limit: { folder, limit in
            try LiveBrake.limit(folder, limit, in: try runtime())
        },
        evict: { path in
            try about(path) { place in
                try asking { try SyncQuery.perform(.evict(path: place), in: $0) }
            }
        },
        pause: { path in
            try about(path) { try perform(.pause(path: $0, by: "sheaf pause")) }
        },
        resume: { path, resumption in
            let how: SyncResumption =
                switch resumption {
                case .preserveLocal: .preserveLocal
                case .failOnConflict: .failOnConflict
                case .dropLocal: .dropLocal
                }
            try about(path) { try perform(.resume(path: $0, how)) }
        },
        download: { path, progress in try about(path) { try download($0, progress) } }
    )

    /// A path as the kernel has it, links followed as far as it exists.
    static func place(_ path: String) -> FilePath {
        FilePath(URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path)
    }

    /// The place of an item that need not be there itself, links followed on the way to it.
    private static func shownPlace(_ path: String) throws -> FilePath {
        let path = FilePath(URL(fileURLWithPath: path).standardizedFileURL.path)
        // Where nothing leads nothing is kept in step: that is said by whoever is asked.
        return (try? path.resolvedInFolder()) ?? path
    }

    /// Does something about an item. A link is an item itself; where it is in no folder that is kept in step, what it leads to may be.
    private static func about(_ path: String, _ body: (String) throws -> Void) throws {
        let shown = try shownPlace(path).string
        do { try body(shown) } catch let refusal as SyncRefusal where refusal.code == .notInContainer {
            let place = place(path).string
            guard place != shown else { throw refusal }
            try body(place)
        }
    }

    private static func log(
        _ isFollowed: Bool,
        _ tell: @escaping @Sendable (SyncRole.Event) -> Void
    ) throws {
        let reading = EventReading(
            try asking { try SyncConversation(.log(isFollowed: isFollowed), in: $0) }
        )
        let tellOne: (SyncEvent) -> Void = { event in
            tell(
                SyncRole.Event(
                    date: event.date.formatted(.iso8601),
                    folder: event.folder,
                    text: event.text,
                    isWrong: event.isWrong
                )
            )
        }
        if isFollowed { try reading.follow(tellOne) } else { try reading.tellAll(tellOne) }
    }

    /// Waits for however long it takes.
    private static func perform(_ question: SyncQuestion) throws {
        let conversation = try asking { try SyncConversation(question, in: $0) }
        while true {
            switch try conversation.next(milliseconds: -1) {
            case .done, .version: return
            case .refused(let refusal): throw refusal
            default: continue
            }
        }
    }

    private static func download(
        _ path: String,
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws {
        let question = SyncQuestion.download(path: path, isAwaited: true)
        let conversation = try asking { try SyncConversation(question, in: $0) }
        while true {
            switch try conversation.next(milliseconds: -1) {
            case .progress(let share): progress(share.fraction)
            case .done: return
            case .refused(let refusal): throw refusal
            default: continue
            }
        }
    }

    private static func up(_ isQuiet: Bool, _ console: Console) throws {
        ProcessMemory.shareHeaps()
        ProcessMemory.returnLargePieces()
        // Each who asks, and each folder that is watched, takes some.
        OpenFiles.raised()
        signal(SIGPIPE, SIG_IGN)
        let lines = LineBursts { text, isWrong in isWrong ? console.complain(text) : console.say(text) }
        defer { lines.flush() }
        let service = try startedService { folder, report in
            // Other devices have named what is in it.
            let line = "\(folder): \(report.text)".printable + "\n"
            if report.isWrong || !isQuiet { lines.add(line, isWrong: report.isWrong) }
        }
        // What a start alone needed is not to be there beside all that the first work takes.
        DispatchQueue(label: "sheaf.started", qos: .background).asyncAfter(deadline: .now() + 0.5) {
            ProcessMemory.returnProgramPages()
        }
        try service.run()
    }

    private static func status() throws -> [SyncRole.Folder] {
        let known = try asking { try SyncQuery.status(in: $0) }
        return try known.map(standing) + overlooked(known)
    }

    private static func standing(_ folder: FolderStatus) -> SyncRole.Folder {
        var found = SyncRole.Folder(
            folder: folder.folder,
            hub: folder.hub,
            line: folder.status.line.rawValue,
            lineFailure: folder.status.lineFailure,
            itemCount: folder.status.itemCount,
            unsettledCount: folder.status.unsettledCount,
            isSettled: folder.status.isSettled,
            stuck: folder.status.stuck
        )
        found.remedies = folder.status.remedies ?? [:]
        found.lineRemedy = folder.status.lineRemedy
        found.isShutOut = folder.status.isShutOut
        found.hubDeeds = (folder.status.hubDeeds ?? []).map(told)
        found.noteCount = folder.status.noteCount
        found.notes = folder.status.notes.map {
            SyncRole.Folder.Note(path: $0.path, text: $0.text, isLeftOut: $0.isLeftOut)
        }
        found.brakes = folder.status.brakes.map {
            var brake = SyncRole.Folder.Brake(
                isLeaving: $0.isLeaving,
                waitingCount: $0.waitingCount,
                itemCount: $0.itemCount
            )
            (brake.doneCount, brake.restorePoint) = ($0.doneCount, $0.restorePoint)
            return brake
        }
        found.brakeLimits = folder.status.brakeLimits.map(LiveBrake.told)
        found.largeChange = folder.status.largeChange.map {
            SyncRole.Folder.LargeChange(itemCount: $0.itemCount, restorePoint: $0.restorePoint)
        }
        return found
    }

    private static func transfer(_ share: ItemSyncState.Share) -> SyncRole.Item.Transfer {
        SyncRole.Item.Transfer(
            share.doneByteCount,
            of: share.totalByteCount,
            objects: share.objects.map { ($0.done, $0.total) }
        )
    }

    private static func explain(_ path: String) throws -> SyncRole.Item? {
        // A link is an item itself; the folder may be shown by one.
        let found = try asking {
            try SyncQuery.explain(shownPlace(path).string, in: $0)
                ?? SyncQuery.explain(place(path).string, in: $0)
        }
        return found.map { found in
            var item = SyncRole.Item(
                path: found.path,
                isSettled: found.isSettled,
                change: found.change,
                causes: found.chain.map(told),
                next: found.next
            )
            item.notes = found.notes
            item.hubDeed = found.hubDeed.map(told)
            (item.upload, item.download) = (found.upload.map(transfer), found.download.map(transfer))
            item.devices = found.devices.map { device in
                let asked = device.askedSeconds.map { Date(timeIntervalSince1970: $0) }
                return SyncRole.Item.Device(
                    name: device.name,
                    isThis: device.isThis,
                    standing: device.standing.rawValue,
                    asked: asked.map { ISO8601DateFormatter().string(from: $0) }
                )
            }
            item.whereabouts = found.whereabouts
            return item
        }
    }

    private static func date(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }

    private static func told(_ cause: Explanation.Cause) -> SyncRole.Item.Cause {
        SyncRole.Item.Cause(
            cause.kind.rawValue,
            cause.text,
            since: cause.sinceSeconds.map(date),
            remedy: cause.remedy
        )
    }

    private static func told(_ deed: HubDeed) -> SyncRole.HubDeed {
        var told = SyncRole.HubDeed(
            kind: deed.kind.rawValue,
            since: date(deed.sinceSeconds),
            text: deed.text,
            next: deed.next
        )
        (told.entry, told.path) = (deed.entry, deed.path)
        told.putRight = deed.putRightSeconds.map(date)
        return told
    }
}

/// Why a command does not do what it was asked for, with the remedy.
struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
