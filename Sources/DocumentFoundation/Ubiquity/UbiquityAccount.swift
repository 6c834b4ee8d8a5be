internal import Dispatch
package import FileSystem
public import Foundation
package import LocalSockets
internal import Locks
internal import StandardStreams
package import SyncMessages

/// The folders of this user that are containers, as this process sees them, and where the process is asked that keeps
/// them in step.
///
/// Any thread. Which folders there are is read anew each time; one struct under one lock has the watch.
package final class UbiquityAccount: Sendable {
    /// The user's; tests put another in its place.
    @TaskLocal package static var shared = own
    private static let own = UbiquityAccount(environment: ProcessInfo.processInfo.environment)

    package let home: FilePath
    private let environment: [String: String]
    private let declared: [String]
    /// What people call containers, by their identifiers.
    private let names: [String: String]
    private let watch: Locked<AccountWatch?> = Locked(nil)

    /// - Parameters:
    ///   - environment: Where `SHEAF_HOME`, `SHEAF_RUNTIME_DIR` and `SHEAF_UBIQUITY_CONTAINER` are looked up.
    ///   - information: The app's Info.plist.
    package init(
        environment: [String: String],
        information: [String: Any] = Bundle.main.infoDictionary ?? [:]
    ) {
        self.environment = environment
        home = JoinedFolders.home(environment: environment)
        declared = Self.declared(environment, information)
        let listed = information["NSUbiquitousContainers"] as? [String: Any] ?? [:]
        names = listed.compactMapValues { ($0 as? [String: Any])?["NSUbiquitousContainerName"] as? String }
    }

    /// The identifiers of containers that the app declares, the default one first.
    private static func declared(_ environment: [String: String], _ information: [String: Any]) -> [String] {
        let listed = (information["NSUbiquitousContainers"] as? [String: Any])?.keys.sorted() ?? []
        if !listed.isEmpty { return listed }
        if let named = environment["SHEAF_UBIQUITY_CONTAINER"], !named.isEmpty { return [named] }
        let bundle = information["CFBundleIdentifier"] as? String
        return ["iCloud." + (bundle ?? ProcessInfo.processInfo.processName)]
    }

    /// What people call the container that an item is in: the Info.plist's name for it, else that of the folder which is
    /// kept in step. It may be a folder in that which has the container's name, as `place(of:)` of `JoinedFolders` says.
    package func displayName(of folder: JoinedFolder, at path: FilePath) -> String {
        if !names.isEmpty, let inner = path.string.following(folder.folder + "/")?.pathNames.first {
            let named = names.first { JoinedFolders.folderName(of: $0.key).isSameInBytes(inner) }
            if let named { return named.value }
        }
        return folder.identifier.flatMap { names[$0] } ?? FilePath(folder.folder).name
    }

    /// Where the process is asked that keeps folders in step.
    ///
    /// - Throws: `SocketError` when there is no place that is the user's alone.
    package func runtime() throws -> RuntimeFolder {
        SyncMeeting(home: home).runtime(own: try ownRuntime())
    }

    /// The runtime folder as this process finds it.
    func ownRuntime() throws -> RuntimeFolder { try RuntimeFolder(environment: environment) }

    /// The folders; none when nothing is joined, and none of the user's own while a test has make-believe devices.
    package var joined: JoinedFolders {
        if self === Self.own, MakeBelieveDevices.areThere { return JoinedFolders([], home: home) }
        do { return try JoinedFolders(home: home) } catch {
            // What cannot be read keeps nothing in step either: `sheaf up` says why.
            return JoinedFolders([], home: home)
        }
    }

    // MARK: Containers

    /// Where a container is on this device, made when it is not there; nil when nothing is joined, or the folder that it
    /// is in is not there, as on a volume that is not mounted.
    package func container(_ identifier: String?) -> URL? {
        observe()
        let joined = joined
        guard let name = identifier ?? declared.first, let place = joined.place(of: name),
            let root = joined.folder(of: place),
            let found = try? FileStamp.ifPresent(at: FilePath(root.folder)), found.kind == .directory
        else { return nil }
        do {
            for folder in [place, place.appending("Documents")]
            where try FileStamp.ifPresent(at: folder) == nil {
                do { try ItemMoves.createFolder(folder) } catch {
                    // Another process was faster.
                    guard error.errno == EEXIST else { throw error }
                }
            }
            return place.url(isDirectory: true)
        } catch {
            StandardError.say("The container “\(name)” cannot be made: \(error)")
            return nil
        }
    }

    /// All containers that the app declares, as far as they are there.
    package var containers: [URL] { declared.compactMap { container($0) } }

    /// The folder that is a container and that an item is in, and the item's place with links resolved up to its folder. Of
    /// a placeholder that is the place of the item that it stands for.
    package func place(of url: URL) -> (folder: JoinedFolder, path: FilePath)? {
        guard let path = FilePath(url) else { return nil }
        let joined = joined
        guard !joined.all.isEmpty else { return nil }
        // A folder that is not there has nothing in it under any name.
        let resolved = (try? path.resolvedInFolder()) ?? path
        guard let folder = joined.folder(of: resolved), folder.folder != resolved.string else { return nil }
        return (folder, Placeholder.itemPlace(of: resolved) ?? resolved)
    }

    /// What an app means by a URL: of a placeholder in a container, which is what it finds when it lists a folder, the item
    /// that it stands for, else the same.
    package func itemURL(of url: URL) -> URL {
        guard Placeholder.mayBe(at: url), let path = FilePath(url), let item = place(of: url)?.path,
            item.name != path.name
        else { return url }
        return url.deletingLastPathComponent().appendingPathComponent(item.name, isDirectory: false)
    }

    /// Tells this account on this device from others; nil when nothing is joined.
    package var identity: Data? {
        observe()
        guard let account = joined.account else { return nil }
        return Data("\(account.container) \(home)".utf8)
    }

    // MARK: Changes

    /// From now on it is told when another account is there, or none.
    private func observe() {
        watch.withLock { watch in
            if watch == nil { watch = AccountWatch(home) }
        }
    }
}

/// Posts `NSUbiquityIdentityDidChange` when another account is there than before.
///
/// What it knows is touched on its queue alone.
private final class AccountWatch: @unchecked Sendable {
    private let home: FilePath
    private let queue = DispatchQueue(label: "sheaf.account")
    private var watches: [DirectoryWatch] = []
    private var known: String?

    init(_ home: FilePath) {
        self.home = home
        queue.sync {
            watchFolders()
            known = account
        }
    }

    private var account: String? {
        // Settings that cannot be read are no account's.
        (try? JoinedFolders(home: home))?.account?.container
    }

    private func look() {
        // Folders that are new come before what is in them.
        watchFolders()
        let found = account
        guard found != known else { return }
        known = found
        DispatchQueue.main.async {
            NotificationCenter.default.post(name: .NSUbiquityIdentityDidChange, object: nil)
        }
    }

    /// Watches the folders that settings are in or will be in; above them, the first that is there.
    private func watchFolders() {
        var wanted = settingsFolders
        while true {
            watches = wanted.compactMap { path in
                // One that is not there is told of by the folder above it.
                try? DirectoryWatch(path, on: queue) { [weak self] _ in self?.look() }
            }
            // What came before its folder was watched nobody tells of.
            let now = settingsFolders
            guard now != wanted else { return }
            wanted = now
        }
    }

    private var settingsFolders: [FilePath] {
        let containers = home.appending("containers")
        // What is not there has no names in it.
        let names = (try? FolderScan.names(in: containers)) ?? []
        var wanted = [containers] + names.sorted().map { containers.appending($0) }
        var above = containers
        while (try? FileStamp.ifPresent(at: above)) ?? nil == nil, above != above.parent {
            above = above.parent
            wanted.append(above)
        }
        return wanted
    }
}

extension NSNotification.Name {
    /// Another account is there, or none: ask for `FileManager.ubiquityIdentityToken` again. Posted on the main queue,
    /// without `userInfo`, once the token or a container was asked for.
    ///
    /// - Source: Apple's NSUbiquityIdentityDidChange.
    public static let NSUbiquityIdentityDidChange = Self("NSUbiquityIdentityDidChangeNotification")
}
