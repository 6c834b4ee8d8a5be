internal import FileSystem
internal import Foundation
internal import SyncMessages

/// Where a metadata query searches: what its `searchScopes` say, as folders.
struct QueryScopes {
    /// What one scope says.
    private struct Folder {
        var path: FilePath
        /// A member that is not searched: of a container whose other data is, its documents.
        var leftOut: String?

        /// Whether a search of this one comes to another: what is hidden it does not enter, nor a package.
        func reaches(_ other: FilePath, _ types: ItemTypes) -> Bool {
            guard path != other, other.isInside(path) else { return false }
            let names = (other.string.following(path.string) ?? "").pathNames
            return names.first != leftOut
                && names.allSatisfy {
                    $0.utf8.first != UInt8(ascii: ".") && types.form(ofDirectory: $0) == .folder
                }
        }
    }

    private let scopes: [Any]

    /// - Parameter scopes: As of `NSMetadataQuery.searchScopes`; without any the home folder is searched.
    init(_ scopes: [Any]) { self.scopes = scopes }

    private func folders() -> [Folder] {
        let home = BaseDirectories(environment: ProcessInfo.processInfo.environment).home
        let folders =
            scopes.isEmpty
            ? [Folder(path: home)]
            : scopes.flatMap { scope in
                (scope as? String).flatMap(Self.folders(ofUbiquityScope:))
                    ?? [Folder(path: Self.path(ofScope: scope, home: home))]
            }
        // A folder that is not there has nothing in it, under any name.
        return folders.map { Folder(path: (try? $0.path.resolved()) ?? $0.path, leftOut: $0.leftOut) }
    }

    /// The folders to search, none of which the search of another comes to.
    func roots() -> [FilePath] {
        let (folders, types) = (folders(), ItemTypes())
        return Set(folders.map(\.path)).filter { path in !folders.contains { $0.reaches(path, types) } }
            .sorted { $0.string < $1.string }
    }

    /// What the scopes leave out of folders to search.
    func leftOut() -> [FilePath: String] {
        // Where another scope is the same folder, all of that is searched.
        let whole = Set(folders().filter { $0.leftOut == nil }.map(\.path))
        let roots = Set(roots())
        return Dictionary(
            folders().compactMap { folder in
                guard roots.contains(folder.path), !whole.contains(folder.path) else { return nil }
                return folder.leftOut.map { (folder.path, $0) }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Whether one of them is a scope of containers.
    private var isOfContainers: Bool {
        scopes.contains { ($0 as? String).map(Self.ubiquityScopes.contains) == true }
    }

    /// How items of containers stand, for a search of folders; nil for one that comes to no container, however it names its folders.
    ///
    /// - Parameters:
    ///   - roots: The folders that are searched.
    ///   - only: What is searched of them; nil for all.
    func states(below roots: [FilePath], _ only: SearchedItems?) -> UbiquityStates? {
        let account = UbiquityAccount.shared
        let joined = account.joined
        let followed = roots.flatMap { root -> [FilePath] in
            // Apps ask the file manager for a container's folder and search that, or all of the home folder.
            if joined.folder(of: root) != nil { return [root] }
            return joined.all.map { FilePath($0.folder) }.filter { folder in
                folder.isInside(root) && only?.items.contains { $0.isInside(folder) } ?? true
            }
        }
        return followed.isEmpty && !isOfContainers ? nil : UbiquityStates(account, below: followed)
    }

    private static let ubiquityScopes = [
        NSMetadataQueryUbiquitousDocumentsScope, NSMetadataQueryUbiquitousDataScope,
        NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope,
    ]

    /// The folders of a scope of containers; nil for another scope.
    private static func folders(ofUbiquityScope scope: String) -> [Folder]? {
        guard ubiquityScopes.contains(scope) else { return nil }
        // Nothing has been picked in another app's.
        if scope == NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope { return [] }
        MakeBelieveDevices.note(askedOnNone: "An NSMetadataQuery for containers")
        // Without a container there is nothing to find.
        return UbiquityAccount.shared.containerPlaces.map {
            scope == NSMetadataQueryUbiquitousDocumentsScope
                ? Folder(path: $0.appending("Documents")) : Folder(path: $0, leftOut: "Documents")
        }
    }

    private static func path(ofScope scope: Any, home: FilePath) -> FilePath {
        if let url = (scope as? URL) ?? (scope as? NSURL).map({ $0 as URL }), let path = FilePath(url) {
            return path
        }
        guard let text = scope as? String else {
            fatalError("\(scope) is no scope of a metadata query: give the file URL or the path of a folder")
        }
        return text == NSMetadataQueryUserHomeScope
            ? home : FilePath((text as NSString).expandingTildeInPath)
    }
}
