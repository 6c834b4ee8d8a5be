internal import Commands
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import StandardStreams

/// What the command about versions does on this machine.
enum LiveVersions {
    static let role = VersionsRole(
        list: { path in try versions(of: path).map(summary) },
        restore: { path, id, target in try restore(path, id, to: target) },
        settle: { path in try settle(path) }
    )

    /// Where an item is that versions are asked of.
    private struct Place {
        var url: URL
        /// Where what bears its mark is: its placeholder's place, if its contents are not on this device.
        var marked: URL
    }

    private static func place(_ path: String) throws -> Place {
        let url = URL(fileURLWithPath: path).standardizedFileURL
        // A link that is in conflict is an item itself, wherever it leads.
        if (try? FileManager.default.attributesOfItem(atPath: url.path)) != nil {
            return Place(url: url, marked: url)
        }
        guard let own = FilePath(url), let marked = Placeholder.place(for: own),
            Placeholder(at: marked) != nil
        else { throw Refusal("“\(path)” is not there. Check the name.") }
        return Place(url: url, marked: marked.url(isDirectory: false))
    }

    private static func versions(of path: String) throws -> [NSFileVersion] {
        let url = try place(path).marked
        guard let found = NSFileVersion.otherVersionsOfItem(at: url) else {
            // A link that leads nowhere, and in which nothing is in conflict.
            if !FileManager.default.fileExists(atPath: url.path) { return [] }
            throw Refusal(
                "The versions of “\(path)” cannot be read. Check that the folder of the vault can be."
            )
        }
        return found.sorted { ($0.modificationDate ?? .distantPast) > ($1.modificationDate ?? .distantPast) }
    }

    private static func summary(_ version: NSFileVersion) -> VersionsRole.Version {
        VersionsRole.Version(
            id: version.name ?? "",
            date: (version.modificationDate ?? .distantPast).formatted(.iso8601),
            device: version.localizedNameOfSavingComputer,
            reason: version.reasonText,
            byteCount: version.byteCount.map { Int(clamping: $0) },
            isConflict: version.isConflict && !version.isResolved
        )
    }

    private static func restore(_ path: String, _ id: String, to target: String?) throws {
        guard let version = try versions(of: path).first(where: { $0.name == id }) else {
            throw Refusal("That version of “\(path)” has just gone. See sheaf versions \(path.shellWord)")
        }
        guard let target else {
            let url = try place(path).url
            var failure: NSError?
            var result: Result<URL, any Error>?
            NSFileCoordinator(filePresenter: nil).coordinate(
                writingItemAt: url,
                options: .forReplacing,
                error: &failure
            ) { url in result = Result { try version.replaceItem(at: url) } }
            if let failure { throw failure }
            _ = try result?.get()
            return
        }
        let place = URL(fileURLWithPath: target)
        guard !FileManager.default.fileExists(atPath: place.path) else {
            throw Refusal("“\(target)” is there already. Name a place where nothing is.")
        }
        guard FileManager.default.fileExists(atPath: place.deletingLastPathComponent().path) else {
            throw Refusal(
                "The folder that “\(target)” is to be in is not there. Make it, or name another place."
            )
        }
        try version.put(atFree: place)
    }

    private static func settle(_ path: String) throws -> Int {
        let place = try place(path)
        return try VersionStore.of(place.marked).settleConflicts(of: place.url, markedAt: place.marked)
    }
}
