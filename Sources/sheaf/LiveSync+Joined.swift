internal import Commands
internal import DeviceSync
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import SyncMessages

// Which folders are joined here, and which of them the process knows that keeps them in step: that looks once, as it starts.
extension LiveSync {
    /// The container of a folder, as somebody has typed that. One whose files say nothing is in the way of no other.
    static func joined(_ folder: String, in home: DeviceHome) throws -> JoinedContainer {
        let place = place(folder)
        let (all, unreadable) = try home.readContainers()
        if let found = all.first(where: { $0.settings.folder == place.string }) { return found }
        if let around = all.first(where: { place.isInside(FilePath($0.settings.folder)) }) {
            throw Refusal(
                """
                “\(place)” is in “\(around.settings.folder)”, which is what is kept in step. Give that folder.
                """
            )
        }
        // It may be the folder of one of which nobody can tell where that is.
        if let first = unreadable.first { throw first }
        throw Refusal("“\(place)” is not kept in step on this device. Join it first: sheaf join.")
    }

    /// Where a folder is that is joined here.
    static func joinedPlace(_ folder: String) throws -> String {
        try joined(folder, in: try DeviceHome(environment: environment)).settings.folder
    }

    /// Where the process is asked that keeps folders in step.
    static func runtime() throws -> RuntimeFolder {
        let meeting = SyncMeeting(home: JoinedFolders.home(environment: environment))
        return meeting.runtime(own: try RuntimeFolder(environment: environment))
    }

    /// Asks the process that keeps folders in step. Where nothing is joined that is said: to start it would not help.
    static func asking<Value>(_ ask: (RuntimeFolder) throws -> Value) throws -> Value {
        do { return try ask(try runtime()) } catch SyncServiceError.notRunning {
            // What of them cannot be read sheaf up says.
            let all = try? JoinedFolders(home: JoinedFolders.home(environment: environment)).all
            throw all?.isEmpty == true ? SyncServiceError.nothingJoined : SyncServiceError.notRunning
        }
    }

    /// Whether a process keeps folders in step, or has just begun to.
    static var isRunning: Bool {
        do {
            _ = try SyncQuery.status(in: try runtime())
            return true
        } catch {
            return (error as? SyncServiceError).map { $0 != .notRunning } ?? false
        }
    }

    /// Begins to keep all of them in step.
    static func startedService(
        _ report: @escaping @Sendable (_ folder: String, SyncReport) -> Void
    ) throws -> SyncService {
        let runtime = try RuntimeFolder(environment: environment)
        do {
            return try SyncService(try DeviceHome(environment: environment), in: runtime, report: report)
        } catch let failure as SyncFailure where failure.code == .inUse {
            throw Refusal(
                """
                Another sheaf up keeps the folders of this device in step. End it first, or let it do so; a folder that was joined \
                since it has started waits until it is started again.
                """
            )
        }
    }

    /// Folders that the process that keeps them in step does not know of: they were joined after it had started, or nobody can tell
    /// where they are, as a file of this device's says nothing.
    ///
    /// - Parameter known: Those that it knows of.
    /// - Throws: Where it cannot be read which there are.
    static func overlooked(_ known: [FolderStatus]) throws -> [SyncRole.Folder] {
        let (all, unreadable) = try DeviceHome(environment: environment).readContainers()
        let late = all.map(\.settings).filter { joined in !known.contains { $0.folder == joined.folder } }
        return late.map { joined in
            stopped(
                joined.folder,
                at: joined.hub.absoluteString,
                "it was joined after sheaf up had started, which does not know of it.",
                "End sheaf up, and start it again."
            )
        }
            + unreadable.map { error in
                stopped(error.file?.parent.string ?? "", error.fault ?? "\(error)", error.remedy)
            }
    }

    /// - Parameter hub: Nil where nobody can tell which that is.
    private static func stopped(
        _ folder: String,
        at hub: String? = nil,
        _ why: String,
        _ remedy: String?
    ) -> SyncRole.Folder {
        var found = SyncRole.Folder(
            folder: folder,
            hub: hub,
            line: SyncStatus.Line.stopped.rawValue,
            lineFailure: why,
            itemCount: 0,
            unsettledCount: 0,
            isSettled: false,
            stuck: [:]
        )
        found.lineRemedy = remedy
        return found
    }
}
