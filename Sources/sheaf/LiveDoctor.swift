internal import Commands
internal import DeviceSync
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import SyncMessages

/// What the doctor finds about folders that are kept in step on this machine.
enum LiveDoctor {
    static let role = DoctorRole { try findings().map(DoctorRole.Finding.init) }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }
    /// Of more items than these nobody reads why.
    private static let explainedCountMax = 10

    private static func findings() throws -> [DoctorFinding] {
        let home = try DeviceHome(environment: environment)
        let (joined, unreadable) = try home.readContainers()
        var found = unreadable.map {
            DoctorFinding(.deviceFile, $0.fault ?? "\($0)", remedy: $0.remedy ?? "")
        }
        guard !joined.isEmpty else { return found }
        let runtime = try LiveSync.runtime()
        var (statuses, isRunning) = ([FolderStatus]?.none, true)
        do { statuses = try SyncQuery.status(in: runtime) } catch SyncServiceError.notRunning {
            let text = "Nothing is kept in step now: sheaf up does not run."
            found.append(DoctorFinding(.notRunning, text, remedy: "Start it: sheaf up."))
            isRunning = false
        } catch {
            let text = "sheaf up does not say how anything stands: \(error)"
            found.append(DoctorFinding(kind(of: error), text, remedy: askAgain))
        }
        found += elsewhere(runtime, own: try RuntimeFolder(environment: environment))
        var use = WatchUse.now()
        if !isRunning {
            use.neededCount = joined.reduce(0) { $0 + folderCount(below: FilePath($1.settings.folder)) }
        }
        found += use.findings
        for container in joined {
            let status = statuses?.first { $0.folder == container.settings.folder }?.status
            var checkup = FolderCheckup(
                folder: container.settings.folder,
                hub: "\(container.settings.hub)",
                now: Date().timeIntervalSince1970
            )
            (checkup.isUp, checkup.status) = (statuses != nil, status)
            lookAtDisk(container, home, &checkup, &found)
            lookAtHub(container, &checkup)
            if status != nil {
                do { try lookAtItems(&checkup, runtime) } catch {
                    let text = "sheaf up does not say how what is in it stands: \(error)"
                    let folder = container.settings.folder
                    found.append(DoctorFinding(kind(of: error), folder: folder, text, remedy: askAgain))
                }
            }
            found += checkup.findings
        }
        return found
    }

    /// That the process meets others in another folder than programs that are started here.
    private static func elsewhere(_ runtime: RuntimeFolder, own: RuntimeFolder) -> [DoctorFinding] {
        guard runtime != own else { return [] }
        let text = """
            sheaf up was started with another XDG_RUNTIME_DIR or SHEAF_RUNTIME_DIR, or before /run/user was there: it meets programs \
            in \(runtime.path), and those that are started here meet in \(own.path). Neither waits for the other with a file.
            """
        let remedy = "End sheaf up and start it here, or have systemd start it: Docs/sync.md says how."
        return [DoctorFinding(.elsewhere, text, remedy: remedy)]
    }

    private static let askAgain = "Ask again in a moment. If it stays so, end sheaf up and start it again."

    /// Of what keeps the process that runs from being asked.
    private static func kind(of error: any Error) -> DoctorFinding.Kind {
        switch error as? SyncServiceError {
        case .busy: .busy
        case .beginning: .beginning
        default: .unknown
        }
    }

    private static func lookAtDisk(
        _ container: JoinedContainer,
        _ home: DeviceHome,
        _ checkup: inout FolderCheckup,
        _ found: inout [DoctorFinding]
    ) {
        let folder = FilePath(container.settings.folder)
        do {
            checkup.isThere =
                try FileStamp.ifPresent(at: folder, followsSymbolicLink: true)?.kind == .directory
            checkup.databases = try StoredDiagnosis(of: container, in: home).databases
        } catch {
            let text = "What is stored of it cannot be looked at: \(error)"
            let remedy = "Make it readable, and check the disk."
            found.append(DoctorFinding(.unknown, folder: folder.string, text, remedy: remedy))
        }
        checkup.ownFolder = home.folder(of: container.settings.container).string
        let mounts = Mount.all
        checkup.isReadOnly = Mount(of: folder.string, in: mounts)?.isReadOnly ?? false
        checkup.isOwnReadOnly = Mount(of: checkup.ownFolder, in: mounts)?.isReadOnly ?? false
        checkup.freeByteCounts = [folder.string, home.folder.string].compactMap { path in
            // What is not there has no room.
            let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
            return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
        }
    }

    private static func lookAtHub(_ container: JoinedContainer, _ checkup: inout FolderCheckup) {
        do {
            let client = try HubClient(container.settings.hub)
            defer { client.close() }
            checkup.clockAheadSeconds = try client.health().clockAheadSeconds
        } catch let failure as LineFailure {
            (checkup.hubFailure, checkup.hubRemedy) = (failure.why, failure.remedy)
        } catch {
            checkup.hubFailure = "\(error)"
        }
    }

    private static func lookAtItems(_ checkup: inout FolderCheckup, _ runtime: RuntimeFolder) throws {
        let (folder, status) = (FilePath(checkup.folder), checkup.status)
        let states = try SyncQuery.items(below: folder.string, in: runtime)
        checkup.conflicts = states.filter(\.hasConflicts).map { below(folder, $0.path) }
        let refused = states.compactMap(\.uploadFailure).filter { $0.code == .quota }
        (checkup.refusedCount, checkup.refusedRemedy) = (refused.count, refused.first?.remedy)
        var changed: [String: Double] = [:]
        for state in states where !state.isUploaded && state.pause == nil && !state.isFolder {
            // What is gone is about to be told.
            let date = (try? ItemStatus(of: FilePath(state.path)))?.changeDate
            changed[below(folder, state.path)] = date?.timeIntervalSince1970
        }
        let slow = changed.filter { checkup.now - $0.value >= FolderCheckup.slowSeconds }.keys
        let stuck = (status?.stuck.keys).map(Set.init) ?? []
        let names = stuck.union(status?.line == .up ? Set(slow) : []).sorted()
        for name in names.prefix(explainedCountMax) {
            let place = name.isEmpty ? folder : folder.appending(name)
            guard let explanation = try SyncQuery.explain(place.string, in: runtime) else { continue }
            checkup.waiting.append(FolderCheckup.Waiting(explanation, changedSeconds: changed[name]))
        }
        checkup.otherWaitingCount = max(0, names.count - explainedCountMax)
    }

    private static func below(_ folder: FilePath, _ path: String) -> String {
        path.following(folder.string + "/") ?? path
    }

    /// A folder and all that are in it; what cannot be looked at is not watched either.
    private static func folderCount(below folder: FilePath) -> Int {
        var (count, rest) = (0, [folder])
        while let next = rest.popLast() {
            guard let names = try? FolderScan.names(in: next) else { continue }
            count += 1
            let members = (try? FolderScan.listing(of: Array(names), in: next)) ?? []
            rest += members.filter { $0.kind == .directory }.map { next.appending($0.name) }
        }
        return count
    }
}

extension DoctorRole.Finding {
    init(_ finding: DoctorFinding) {
        self.init(finding.kind.rawValue, folder: finding.folder, finding.text, remedy: finding.remedy)
    }
}
