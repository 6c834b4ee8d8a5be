import Foundation

/// Saves without a document: into a temporary folder first, then in place of what was there.
enum AlbumReplacing {
    static func write(_ text: String, to url: URL) throws -> URL? {
        let files = FileManager.default
        let folder = try files.url(
            for: .itemReplacementDirectory,
            in: .userDomainMask,
            appropriateFor: url,
            create: true
        )
        defer { try? files.removeItem(at: folder) }  // in the temporary folder: goes anyway
        let new = folder.appendingPathComponent(url.lastPathComponent)
        try text.write(to: new, atomically: false, encoding: .utf8)
        return try files.replaceItemAt(url, withItemAt: new)
    }

    /// With the former contents beside it.
    static func write(_ text: String, to url: URL, keeping backup: String) throws -> URL? {
        let new = url.deletingLastPathComponent().appendingPathComponent("new.txt")
        try text.write(to: new, atomically: false, encoding: .utf8)
        var resulting: NSURL?
        try FileManager.default.replaceItem(
            at: url,
            withItemAt: new,
            backupItemName: backup,
            options: [.withoutDeletingBackupItem],
            resultingItemURL: &resulting
        )
        return resulting as URL?
    }

    static func drop(_ new: URL, over url: URL) throws {
        _ = try FileManager.default.replaceItemAt(
            url,
            withItemAt: new,
            backupItemName: nil,
            options: .usingNewMetadataOnly
        )
    }

    /// In closures of an async function, each of one expression.
    static func drop(_ new: URL, inPlaceOf url: URL, keeping backup: String?) async throws -> [URL?] {
        NSFileCoordinator().coordinate(writingItemAt: url, options: .forReplacing, error: nil) { place in
            _ = try? FileManager.default.replaceItemAt(place, withItemAt: new)
        }
        let result = Result { try FileManager.default.replaceItemAt(url, withItemAt: new, options: []) }
        return try await [
            result.get(),
            Task.detached { try FileManager.default.replaceItemAt(url, withItemAt: new) }.value,
            MainActor.run {
                try FileManager.default.replaceItemAt(
                    url,
                    withItemAt: new,
                    backupItemName: backup,
                    options: []
                )
            },
        ]
    }

    /// What the app and its extensions share.
    static func shared() -> URL? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.org.sheaf.album")
    }

    static func size(of url: NSURL) throws -> Int? {
        var size: AnyObject?
        try url.getPromisedItemResourceValue(&size, forKey: .fileSizeKey)
        return (size as? NSNumber)?.intValue
    }
}
