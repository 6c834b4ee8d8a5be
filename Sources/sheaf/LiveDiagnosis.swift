internal import Agent
internal import Commands
internal import Coordination
internal import DeviceSync
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import SyncMessages

/// What the command about reports does on this machine.
enum LiveDiagnosis {
    static let role = DiagnosisRole(
        report: { folder in try report(folder) },
        write: { text, path in
            let place = FilePath(URL(fileURLWithPath: path).standardizedFileURL.path)
            // A save takes the place of whatever is there.
            guard try FolderScan.status(at: place)?.stamp.kind != .directory else {
                throw Refusal("“\(path)” is a folder. Name a file for the report.")
            }
            let save = try StagedSave(item: place, followsSymbolicLink: false)
            try save.write(Data(text.utf8))
            try save.commit(MemberAttributes(permissions: 0o600))
        }
    )

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    private static func report(_ folder: String?) throws -> DiagnosisReport {
        let home = try DeviceHome(environment: environment)
        let (all, unreadable) = try home.readContainers()
        let chosen = try folder.map { [try LiveSync.joined($0, in: home)] } ?? all
        var failures = unreadable.map(told)
        var live: [SyncDiagnosis]?
        var isUp = true
        do { live = try SyncQuery.diagnosis(in: try LiveSync.runtime()) } catch {
            isUp = [.busy, .beginning].contains(error as? SyncServiceError)
            if (error as? SyncServiceError) != .notRunning { failures.append(RedactedText.of("\(error)")) }
        }
        var report = DiagnosisReport(
            made: Date().formatted(.iso8601),
            program: DiagnosisReport.Program(version: Tool.sheaf().version, isDebugBuild: isDebugBuild),
            machine: machine(),
            agent: agent(),
            isUp: isUp
        )
        let hubs = Array(Set(all.map(\.settings.hub))).sorted { $0.absoluteString < $1.absoluteString }
        for (number, joined) in all.enumerated()
        where chosen.contains(where: { $0.settings == joined.settings }) {
            let hub = hub(joined, name: "hub-\((hubs.firstIndex(of: joined.settings.hub) ?? 0) + 1)")
            var found = look(at: joined, named: "folder-\(number + 1)", hub)
            do { found.stored = try StoredDiagnosis(of: joined, in: home) } catch {
                failures.append("what is stored: " + RedactedText.of("\(error)"))
            }
            found.live = live?.first { $0.folder == joined.settings.folder }.map(DiagnosisReport.Live.init)
            report.folders.append(found)
        }
        report.failures = failures
        return report
    }

    /// What is wrong with a container of which a file says nothing: the file's name is this program's own.
    private static func told(_ error: DeviceHomeError) -> String {
        let what =
            switch error {
            case .damaged: "damaged"
            case .missing: "not there"
            case .notPrivate: "open to others"
            default: "of another version, or damaged"
            }
        return "a container is left out: its file \(error.file?.name ?? "") is \(what)"
    }

    private static var isDebugBuild: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    // MARK: The machine

    private static func machine() -> DiagnosisReport.Machine {
        let process = ProcessInfo.processInfo
        return DiagnosisReport.Machine(
            distribution: distribution(),
            kernel: kernel(),
            architecture: architecture,
            processorCount: process.processorCount,
            memoryMegabytes: Int(process.physicalMemory >> 20),
            limits: [
                "inotify watches": number(at: "/proc/sys/fs/inotify/max_user_watches"),
                "inotify instances": number(at: "/proc/sys/fs/inotify/max_user_instances"),
                "inotify events queued": number(at: "/proc/sys/fs/inotify/max_queued_events"),
                "open files": openFileCountMax(),
            ]
        )
    }

    private static var architecture: String {
        #if arch(x86_64)
        "x86_64"
        #elseif arch(arm64)
        "arm64"
        #else
        "another"
        #endif
    }

    private static func text(at path: String) -> String? { ProcessFiles.text(at: FilePath(path)) }

    private static func number(at path: String) -> Int {
        text(at: path).flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? -1
    }

    private static func openFileCountMax() -> Int {
        let line = text(at: "/proc/self/limits")?.split(separator: "\n").first {
            $0.hasPrefix("Max open files")
        }
        return line?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) } ?? -1
    }

    /// Its identifier and version: its other fields may be anybody's words.
    private static func distribution() -> String {
        let lines = (text(at: "/etc/os-release") ?? "").split(separator: "\n")
        let words = ["ID=", "VERSION_ID="].compactMap { key in
            lines.first { $0.hasPrefix(key) }?.dropFirst(key.count).filter {
                $0.isLetter || $0.isNumber || $0 == "."
            }
        }
        return words.isEmpty ? "unknown" : words.joined(separator: " ")
    }

    /// The numbers that it begins with: what follows them is of whoever built it.
    private static func kernel() -> String {
        let release = text(at: "/proc/sys/kernel/osrelease") ?? ""
        let numbers = release.prefix { $0.isNumber || $0 == "." || $0 == "-" }
        return numbers.isEmpty ? "unknown" : String(numbers).trimmingCharacters(in: .punctuationCharacters)
    }

    // MARK: Others

    private static func agent() -> DiagnosisReport.Agent {
        if environment["SHEAF_AGENT"] == "off" { return DiagnosisReport.Agent(state: "off") }
        do {
            guard let report = try AgentQuery.report(in: try RuntimeFolder(environment: environment)) else {
                return DiagnosisReport.Agent(state: "not running")
            }
            return DiagnosisReport.Agent(
                state: "running",
                claimCount: report.claims.count,
                waitCount: report.waits.count,
                presenterCount: report.presenters.count,
                brokenDeadlockCount: report.brokenCycles.count
            )
        } catch {
            return DiagnosisReport.Agent(state: "cannot be asked: " + RedactedText.of("\(error)"))
        }
    }

    private static func hub(_ joined: JoinedContainer, name: String) -> DiagnosisReport.Hub {
        let address = joined.settings.hub
        var hub = DiagnosisReport.Hub(
            name: name,
            isEncrypted: address.scheme == "https",
            isOnThisMachine: HubClient.isOnThisMachine(address),
            health: "ok"
        )
        do {
            let client = try HubClient(address)
            defer { client.close() }
            let health = try client.health()
            hub.roundTripMilliseconds = Int(health.roundTripSeconds * 1000)
            hub.clockAheadSeconds = health.clockAheadSeconds.map { Int($0.rounded()) }
        } catch {
            hub.health = RedactedText.of("\(error)")
        }
        return hub
    }

    private static func look(
        at joined: JoinedContainer,
        named name: String,
        _ hub: DiagnosisReport.Hub
    ) -> DiagnosisReport.Folder {
        let folder = joined.settings.folder
        let mount = Mount(of: folder, in: Mount.all)
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return DiagnosisReport.Folder(
            name: name,
            isThere: FileManager.default.fileExists(atPath: folder),
            fileSystem: mount?.type ?? "unknown",
            isReadOnly: mount?.isReadOnly ?? false,
            freeMegabytes: (attributes?[.systemFreeSize] as? NSNumber).map { Int($0.int64Value >> 20) },
            hub: hub
        )
    }
}
