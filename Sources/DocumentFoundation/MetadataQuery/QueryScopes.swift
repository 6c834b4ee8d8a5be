internal import FileSystem
internal import Foundation
internal import SyncMessages

/// Where a metadata query searches: what its `searchScopes` say, as folders.
struct QueryScopes {
    private let scopes: [Any]

    /// - Parameter scopes: As of `NSMetadataQuery.searchScopes`; without any the home folder is searched.
    init(_ scopes: [Any]) { self.scopes = scopes }

    /// The folders to search, none of them in another.
    func roots() -> [FilePath] {
        let home = BaseDirectories(environment: ProcessInfo.processInfo.environment).home
        let folders =
            scopes.isEmpty
            ? [home]
            : scopes.flatMap { scope in
                (scope as? String).flatMap(Self.folders(ofUbiquityScope:))
                    ?? [Self.path(ofScope: scope, home: home)]
            }
        // A folder that is not there has nothing in it, under any name.
        let paths = Set(folders.map { (try? $0.resolved()) ?? $0 })
        let leftOut = leftOut()
        func isIn(_ path: FilePath, _ other: FilePath) -> Bool {
            guard path != other, path.isInside(other) else { return false }
            return leftOut[other].map { !path.isInside(other.appending($0)) } ?? true
        }
        return paths.filter { path in !paths.contains { isIn(path, $0) } }
            .sorted { $0.string < $1.string }
    }

    /// What the scopes leave out of a folder: the documents of a container whose other data is searched.
    func leftOut() -> [FilePath: String] {
        guard scopes.contains(where: { $0 as? String == NSMetadataQueryUbiquitousDataScope }) else {
            return [:]
        }
        let roots = Self.folders(ofUbiquityScope: NSMetadataQueryUbiquitousDataScope) ?? []
        return Dictionary(
            roots.map { ((try? $0.resolved()) ?? $0, "Documents") },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Whether one of them is a scope of containers.
    private var isOfContainers: Bool {
        scopes.contains { ($0 as? String).map(Self.ubiquityScopes.contains) == true }
    }

    /// How items of containers stand, for a search of folders; nil for one that is in no container, however it names its folders.
    ///
    /// - Parameter roots: The folders that are searched.
    func states(below roots: [FilePath]) -> UbiquityStates? {
        let account = UbiquityAccount.shared
        guard !isOfContainers else { return UbiquityStates(account, below: roots) }
        // Apps ask the file manager for a container's folder and search that, too.
        let joined = account.joined
        return roots.contains { joined.folder(of: $0) != nil } ? UbiquityStates(account, below: roots) : nil
    }

    private static let ubiquityScopes = [
        NSMetadataQueryUbiquitousDocumentsScope, NSMetadataQueryUbiquitousDataScope,
        NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope,
    ]

    /// The folders of a scope of containers; nil for another scope.
    private static func folders(ofUbiquityScope scope: String) -> [FilePath]? {
        guard ubiquityScopes.contains(scope) else { return nil }
        // Nothing has been picked in another app's.
        if scope == NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope { return [] }
        // Without a container there is nothing to find.
        return UbiquityAccount.shared.containers.compactMap { FilePath($0) }.map {
            scope == NSMetadataQueryUbiquitousDocumentsScope ? $0.appending("Documents") : $0
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
