internal import FileSystem
public import Foundation
internal import Vault

extension NSFileVersion {
    /// How a version is added.
    public struct AddingOptions: OptionSet, Hashable, Sendable {
        /// Apple's bits.
        public let rawValue: UInt

        /// Makes options of Apple's bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The contents are removed from where they were once they are kept.
        public static let byMoving = AddingOptions(rawValue: 1 << 0)
    }

    /// How an item is replaced.
    public struct ReplacingOptions: OptionSet, Hashable, Sendable {
        /// Apple's bits.
        public let rawValue: UInt

        /// Makes options of Apple's bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The version is removed once the item is replaced.
        public static let byMoving = ReplacingOptions(rawValue: 1 << 0)
    }

    /// Keeps what is at a place as a version of an item. Call it inside a coordinated write of the item.
    ///
    /// It may not be discarded until `isDiscardable` says so.
    ///
    /// - Parameters:
    ///   - url: The item; it must be there. If its contents are not, they are fetched first.
    ///   - contentsURL: What to keep; the item itself to keep the state that it is in.
    ///   - options: Whether the contents are removed.
    /// - Returns: The version, on stable storage.
    /// - Throws: `CocoaError`; `featureUnsupported` where versions are switched off; what keeps contents from coming. Nothing was
    ///   removed then.
    public class func addOfItem(
        at url: URL,
        withContentsOf contentsURL: URL,
        options: AddingOptions = []
    ) throws -> NSFileVersion {
        let (url, contentsURL) = (item(meantBy: url), item(meantBy: contentsURL))
        let store = VersionStore.of(url)
        do {
            for item in [url, contentsURL] { try fetchContents(of: item) }
            let version = try store.add(contentsURL, to: url, isDiscardable: false)
            if options.contains(.byMoving), let contents = FilePath(contentsURL) {
                try ReadOnlyTree.remove(contents)
            }
            return NSFileVersion(.kept(version), of: url, in: store)
        } catch {
            throw CocoaError(version: error, while: .writing, url: url)
        }
    }

    /// A folder for writing what is to be added as a version. Whoever asks for it removes it.
    ///
    /// - Parameter url: The item.
    /// - Returns: An empty folder for the user alone. Should it not have been made, writing into it fails.
    public class func temporaryDirectoryURLForNewVersionOfItem(at url: URL) -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("sheaf-version-\(UUID().uuidString)", isDirectory: true)
        // Who writes into it is told why that does not work.
        try? FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        return folder
    }

    /// Removes all versions of an item but the current one. Call it inside a coordinated write of the item.
    ///
    /// - Parameter url: The item.
    /// - Throws: `CocoaError`; all versions are still there then.
    /// - Differs from Darwin: a version in conflict that is not settled, and that this process has given nobody, stays: it may have
    ///   come from another device since the versions were listed, and would be lost on all. What `otherVersionsOfItem`,
    ///   `unresolvedConflictVersionsOfItem`, `version(itemAt:forPersistentIdentifier:)` or a document's `conflictVersions` has
    ///   given was seen. List them again, and settle what there is.
    public class func removeOtherVersionsOfItem(at url: URL) throws {
        let url = item(meantBy: url)
        let store = VersionStore.of(url)
        do {
            let others = store.removable(try store.otherVersions(at: url))
            if !others.isEmpty { try store.remove(others, at: url) }
        } catch {
            throw CocoaError(version: error, while: .writing, url: url)
        }
    }

    /// The item that a URL names: where it is a placeholder's, as a listing of the folder gives it, that which it stands for.
    static func item(meantBy url: URL) -> URL { UbiquityAccount.of(url).itemURL(of: url) }

    /// Has the contents of an item come that only a placeholder is here of: what stands for it is no state of it to be kept.
    ///
    /// - Throws: As `NSFileCoordinator.fetchContents`.
    static func fetchContents(of url: URL) throws {
        try NSFileCoordinator(filePresenter: nil).fetchContents(of: url, throughLink: true)
    }

    /// Puts this version where nothing is, under whatever name, as it was: with its permissions and attributes, and those of what
    /// is in it. What is there then is nobody's version, and nobody's copy to be only read.
    ///
    /// - Parameter url: Where; the folder is there.
    /// - Throws: `CocoaError`: `fileWriteFileExists` when something is there, `fileReadCorruptFile` for a damaged version. Nothing
    ///   is there then.
    package func put(atFree url: URL) throws {
        guard case .kept(let version) = subject else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSURLErrorKey: itemURL])
        }
        do { try store.put(version, of: itemURL, atFree: url) } catch {
            throw CocoaError(version: error, while: .writing, url: url)
        }
    }
}
