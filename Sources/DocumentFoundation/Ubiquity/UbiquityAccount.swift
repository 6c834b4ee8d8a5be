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
    /// That of whoever runs this process, whatever a test has put in its place.
    static var ofUser: UbiquityAccount { own }

    package let home: FilePath
    private let environment: [String: String]
    private let declared: [String]
    /// What people call containers, by their identifiers.
    private let names: [String: String]
    private let watch: Locked<AccountWatch?> = Locked(nil)
    /// After so many seconds it is looked again which account is there, where that could not be told.
    private let retrySeconds: Double
    /// What this process's app has in key-value stores on a make-believe device; nil for an account that is none's.
    let madeUpKeyValues: MadeUpKeyValues?
    /// What else apps on a make-believe device keep for its user; nil for an account that is none's.
    let madeUpHome: MadeUpHome?

    /// - Parameters:
    ///   - environment: Where `SHEAF_HOME`, `SHEAF_RUNTIME_DIR` and `SHEAF_UBIQUITY_CONTAINER` are looked up.
    ///   - information: The app's Info.plist.
    ///   - madeUpHome: What apps on a make-believe device keep, which have key-value stores of their own, too; nil for an account
    ///     that is none's.
    ///   - retrySeconds: After so many seconds it is looked again which account is there, where that could not be told.
    package init(
        environment: [String: String],
        information: [String: Any] = Bundle.main.infoDictionary ?? [:],
        madeUpHome: MadeUpHome? = nil,
        retrySeconds: Double = 10
    ) {
        (self.environment, self.retrySeconds) = (environment, retrySeconds)
        self.madeUpHome = madeUpHome
        madeUpKeyValues = madeUpHome == nil ? nil : MadeUpKeyValues()
        home = JoinedFolders.home(environment: environment)
        declared = Self.declared(environment, information)
        let listed = information["NSUbiquitousContainers"] as? [String: Any] ?? [:]
        names = listed.compactMapValues { ($0 as? [String: Any])?["NSUbiquitousContainerName"] as? String }
    }

    /// The entitlement with an app's containers. Nothing signs programs here, so it stands in the Info.plist.
    private static let entitlement = "com.apple.developer.ubiquity-container-identifiers"

    /// The identifiers of containers that the app declares, the default one first: what is entitled, in that order, then what
    /// else is listed, which has no order, its own before others and these by name.
    private static func declared(_ environment: [String: String], _ information: [String: Any]) -> [String] {
        let bundle = information["CFBundleIdentifier"] as? String
        let own = "iCloud." + (bundle ?? ProcessInfo.processInfo.processName)
        let entitled = (information[entitlement] as? [String] ?? []).map {
            // As Xcode's template has it.
            $0.replacingOccurrences(of: "$(CFBundleIdentifier)", with: bundle ?? "")
        }
        let listed = (information["NSUbiquitousContainers"] as? [String: Any])?.keys.sorted() ?? []
        let others = listed.filter { $0 == own } + listed.filter { $0 != own }
        var seen: Set<String> = []
        let all = (entitled + others).filter { seen.insert($0).inserted }
        if !all.isEmpty { return all }
        if let named = environment["SHEAF_UBIQUITY_CONTAINER"], !named.isEmpty { return [named] }
        return [own]
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
        do { return try readJoined() } catch {
            // What cannot be read keeps nothing in step either: `sheaf up` says why.
            return JoinedFolders([], home: home)
        }
    }

    /// The same for whoever must not take them for none.
    ///
    /// - Throws: When it cannot be read which there are.
    package func readJoined() throws -> JoinedFolders {
        if self === Self.own, MakeBelieveDevices.areThere { return JoinedFolders([], home: home) }
        return try JoinedFolders(home: home)
    }

    // MARK: Containers

    /// Where a container is on this device, made when it is not there; nil when nothing is joined, or the folder that it
    /// is in is not there, as on a volume that is not mounted.
    package func container(_ identifier: String?) -> URL? {
        observe()
        let joined = joined
        guard let name = identifier ?? declared.first, let place = joined.place(of: name),
            let root = joined.folder(of: place), joined.isThere(root)
        else { return nil }
        // It stays there whatever is joined next. Where that cannot be noted it is found by what is there.
        if place.string != root.folder { try? joined.note(place.name, isIn: root) }
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

    /// Where the containers are that the app declares, made as `container` does it, or will be once the folder is there that they
    /// are in.
    package var containerPlaces: [FilePath] {
        declared.compactMap { name in container(name).flatMap { FilePath($0) } ?? joined.place(of: name) }
    }

    /// The folder that is a container and that an item is in, and the item's place with links resolved up to its folder. Of
    /// a placeholder that is the place of the item that it stands for, also when it was listed before the contents came.
    package func place(of url: URL) -> (folder: JoinedFolder, path: FilePath)? {
        guard let path = FilePath(url) else { return nil }
        let joined = joined
        guard !joined.all.isEmpty else { return nil }
        // A folder that is not there has nothing in it under any name.
        let resolved = (try? path.resolvedInFolder()) ?? path
        guard let folder = joined.folder(of: resolved), folder.folder != resolved.string else { return nil }
        return (folder, Self.item(namedBy: resolved) ?? resolved)
    }

    /// The item that a placeholder stands for, or stood for until it was filled; nil for what is no placeholder's name.
    private static func item(namedBy place: FilePath) -> FilePath? {
        if let item = Placeholder.itemPlace(of: place) { return item }
        guard let name = Placeholder.itemName(of: place.name), ![".", ".."].contains(name) else { return nil }
        let item = place.parent.appending(name)
        do {
            let isFilled = try FileStamp.ifPresent(at: place) == nil && FileStamp.ifPresent(at: item) != nil
            return isFilled ? item : nil
        } catch {
            // What cannot be looked at is what it is called.
            return nil
        }
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
        let watch = observe()
        // That of the folder that was joined first: others that are joined later make it no other account.
        let first: String?
        do { first = try readJoined().all.first?.container } catch {
            // It is the one that was there.
            first = watch.account
        }
        return first.map { Data("\($0) \(home)".utf8) }
    }

    // MARK: Changes

    /// From now on it is told when another account is there, or none.
    @discardableResult
    private func observe() -> AccountWatch {
        watch.withLock { watch in
            if let watch { return watch }
            let new = AccountWatch(home, retrySeconds: retrySeconds)
            watch = new
            return new
        }
    }
}

/// Posts `NSUbiquityIdentityDidChange` when another account is there than before.
///
/// What it knows is touched on its queue alone.
private final class AccountWatch: @unchecked Sendable {
    private let home: FilePath
    private let retrySeconds: Double
    private let queue = DispatchQueue(label: "sheaf.account")
    private var watches: [DirectoryWatch] = []
    private var known: String?
    private var isRetryDue = false

    init(_ home: FilePath, retrySeconds: Double) {
        (self.home, self.retrySeconds) = (home, retrySeconds)
        queue.sync {
            watchFolders()
            known = look(else: nil)
        }
    }

    /// The one that is there as far as is known.
    var account: String? { queue.sync { known } }

    /// - Returns: The account that is there; what is known where that cannot be told now, and then it is looked for again later.
    private func look(else known: String?) -> String? {
        do { return try JoinedFolders(home: home).all.first?.container } catch {
            if !isRetryDue {
                isRetryDue = true
                queue.asyncAfter(deadline: .now() + retrySeconds) { [weak self] in
                    self?.isRetryDue = false
                    self?.look()
                }
            }
            return known
        }
    }

    private func look() {
        // Folders that are new come before what is in them.
        watchFolders()
        let found = look(else: known)
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
