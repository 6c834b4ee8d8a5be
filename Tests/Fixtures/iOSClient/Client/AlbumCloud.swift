import Foundation
import UIKit

/// Albums in the cloud, as apps for iOS ask about them.
enum AlbumCloud {
    static func documents() -> URL? {
        FileManager.default.url(forUbiquityContainerIdentifier: nil)?.appendingPathComponent("Documents")
    }

    /// What a list shows beside an album's name.
    static func badge(of url: URL) -> String {
        let keys: Set<URLResourceKey> = [
            .isUbiquitousItemKey, .ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsUploadingKey,
            .ubiquitousItemHasUnresolvedConflictsKey,
        ]
        guard let values = try? url.resourceValues(forKeys: keys), values.isUbiquitousItem == true else {
            return "local"
        }
        if values.ubiquitousItemHasUnresolvedConflicts ?? false { return "conflict" }
        if values.ubiquitousItemIsUploading == true { return "uploading" }
        switch values.ubiquitousItemDownloadingStatus {
        case .some(.notDownloaded): return "in the cloud"
        case .some(.downloaded): return "older"
        default: return "current"
        }
    }

    /// In closures of an async function, each of one expression.
    static func uploaded(_ urls: [URL]) async throws -> [URL] {
        try urls.filter { try $0.resourceValues(forKeys: [.isUbiquitousItemKey]).isUbiquitousItem == true }
            .filter {
                (try? $0.resourceValues(forKeys: [.ubiquitousItemIsUploadedKey]))?.ubiquitousItemIsUploaded
                    == true
            }
    }

    static func canEdit(_ url: URL) -> Bool {
        let values = try? url.promisedItemResourceValues(forKeys: [
            .ubiquitousSharedItemCurrentUserPermissionsKey
        ])
        return values?.ubiquitousSharedItemCurrentUserPermissions != .readOnly
    }

    static func size(of url: URL) throws -> Int {
        let values: URLResourceValues = try url.resourceValues(forKeys: [.fileSizeKey])
        return values.fileSize ?? 0
    }

    static func modified(_ url: URL) throws -> Date? {
        try url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    }

    static func keepHere(_ url: URL) throws {
        var url = url
        var values = URLResourceValues()
        values.ubiquitousItemIsExcludedFromSync = true
        try url.setResourceValues(values)
    }

    static func keepOutOfBackups(_ url: URL) throws -> Bool {
        var url = url
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try url.setResourceValues(values)
        return try url.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup == true
    }

    /// Whether it need not be read to be known as the same.
    static func isClone(_ url: URL, of other: URL) throws -> Bool {
        let keys: Set<URLResourceKey> = [.mayShareFileContentKey, .fileContentIdentifierKey]
        let (values, others) = (
            try url.resourceValues(forKeys: keys), try other.resourceValues(forKeys: keys)
        )
        guard values.mayShareFileContent == true, let identifier: Int64 = values.fileContentIdentifier
        else { return false }
        return others.fileContentIdentifier == identifier
    }

    static func move(_ url: URL, to album: String) throws {
        guard let target = documents()?.appendingPathComponent(album) else { return }
        try FileManager.default.setUbiquitous(true, itemAt: url, destinationURL: target)
        try FileManager.default.startDownloadingUbiquitousItem(at: target)
        try FileManager.default.evictUbiquitousItem(at: target)
    }

    /// Holds an album up while it is worked on, and lets it go on.
    static func work(on url: URL, _ edit: () throws -> Void) async throws {
        let keys: Set<URLResourceKey> = [
            .ubiquitousItemIsSyncPausedKey, .ubiquitousItemSupportedSyncControlsKey,
        ]
        let values = try url.resourceValues(forKeys: keys)
        guard values.ubiquitousItemSupportedSyncControls?.contains(.pauseSync) == true,
            values.ubiquitousItemIsSyncPaused == false
        else { return try edit() }
        let files = FileManager.default
        try await files.pauseSyncForUbiquitousItem(at: url)
        try edit()
        _ = try await files.uploadLocalVersionOfUbiquitousItem(
            at: url,
            withConflictResolutionPolicy: .conflictPolicyFailOnConflict
        )
        try await files.resumeSyncForUbiquitousItem(at: url, with: .preserveLocalChanges)
    }

    static func takeTheirs(_ url: URL, then done: @escaping @Sendable (Bool) -> Void) {
        FileManager.default.fetchLatestRemoteVersionOfItem(at: url) { version, error in
            guard let version, error == nil, (try? version.replaceItem(at: url)) != nil else {
                return done(false)
            }
            FileManager.default.resumeSyncForUbiquitousItem(at: url, with: .dropLocalChanges) { error in
                done(error == nil)
            }
        }
    }

    static func isSameAccount(as token: (any NSCoding & NSCopying & NSObjectProtocol)?) -> Bool {
        guard let now = FileManager.default.ubiquityIdentityToken, let token else { return false }
        return now.isEqual(token)
    }

    static func query() -> NSMetadataQuery {
        let query = NSMetadataQuery()
        query.searchScopes = [
            NSMetadataQueryUbiquitousDocumentsScope,
            NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope,
        ]
        query.predicate = NSPredicate(format: "%K LIKE '*.album'", NSMetadataItemFSNameKey)
        return query
    }

    static func percent(of item: NSMetadataItem) -> Double {
        item.value(forAttribute: NSMetadataUbiquitousItemPercentDownloadedKey) as? Double ?? 0
    }
}
