internal import Coordination
internal import FileSystem
internal import Foundation
package import Vault

/// What has become of a version, for the presenters of its item.
///
/// To other processes it goes as the name of an attribute that has changed: the agent passes those on without
/// looking at them, and a process that does not know it asks for no such attribute. Docs/formats/agent.md.
package struct VersionNews: Hashable, Sendable {
    /// What has become of it.
    package enum Change: String, Sendable {
        case gained, lost, resolved
    }

    package var change: Change
    package var version: VersionID
    /// Where the item is.
    package var itemPath: String
    /// Where the vault is: a process with another has nothing to do with it.
    package var vaultFolder: String

    package init(_ change: Change, _ version: VersionID, of itemPath: String, vaultFolder: String) {
        self.change = change
        self.version = version
        self.itemPath = itemPath
        self.vaultFolder = vaultFolder
    }

    private static let head = "sheaf-version"

    /// What no path has in it.
    private static let separator: Character = "\0"

    /// `sheaf-version gained <identifier> <folder of the vault><zero><item>`.
    package var text: String {
        "\(Self.head) \(change.rawValue) \(version) \(vaultFolder)\(Self.separator)\(itemPath)"
    }

    /// Nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, parts[0] == Self.head, let change = Change(rawValue: String(parts[1])),
            let bytes = Data(hexadecimal: String(parts[2])), let version = VersionID(bytes: bytes)
        else { return nil }
        let paths = parts[3].split(separator: Self.separator, omittingEmptySubsequences: false)
        guard paths.count == 2 else { return nil }
        self.init(change, version, of: String(paths[1]), vaultFolder: String(paths[0]))
    }
}

extension VersionStore {
    /// Tells the presenters of an item, in all processes.
    func announce(_ change: VersionNews.Change, _ version: VersionID, at url: URL) {
        guard let folder = settings.vaultFolder?.string, let item = ItemPath(fileURL: url) else { return }
        let news = VersionNews(change, version, of: item.string, vaultFolder: folder)
        FileAccessRegistry.shared.versionChanged(news, of: item)
    }
}

extension FileAccessRegistry {
    /// Tells the presenters of an item, all of them, what has become of a version of it.
    func versionChanged(_ news: VersionNews, of item: ItemPath) {
        change { state in (state.decide(.attributesChanged(item, [news.text], except: nil)), ()) }
    }

    static func send(_ news: VersionNews, to presenter: any NSFilePresenter) {
        guard let url = presenter.presentedItemURL, let store = VersionStores.store(at: news.vaultFolder)
        else {
            return
        }
        // Its presenters may have followed the item to where it is now.
        let folder = ItemPath(fileURL: url)
        if let folder, let item = ItemPath(news.itemPath), folder.isAncestor(of: item) {
            return send(news, of: item.fileURL, to: presenter, store)
        }
        let version = NSFileVersion(told: news.version, at: url, in: store)
        switch news.change {
        case .gained: presenter.presentedItemDidGain(version)
        case .lost: presenter.presentedItemDidLose(version)
        case .resolved: presenter.presentedItemDidResolveConflict(version)
        }
    }

    private static func send(
        _ news: VersionNews,
        of item: URL,
        to presenter: any NSFilePresenter,
        _ store: VersionStore
    ) {
        let version = NSFileVersion(told: news.version, at: item, in: store)
        switch news.change {
        case .gained: presenter.presentedSubitem(at: item, didGain: version)
        case .lost: presenter.presentedSubitem(at: item, didLose: version)
        case .resolved: presenter.presentedSubitem(at: item, didResolve: version)
        }
    }
}
