internal import FileSystem
public import Foundation

/// Reads an item's values: `url.resourceValues(forKeys: …)`.
///
/// A value that is called, and not a method: so the compiler prefers it to Foundation's method of the same name, which
/// knows nothing of containers.
public struct ItemResourceReader: Sendable {
    let url: URL

    /// The values of some keys.
    ///
    /// Asks the process that keeps folders in step where a key needs it; blocks until it has answered.
    ///
    /// - Throws: `CocoaError` when nothing is there, not even a placeholder.
    public func callAsFunction(forKeys keys: Set<URLResourceKey>) throws -> ItemResourceValues {
        try ItemResourceValues(url, keys)
    }
}

/// Reads an item's values: `(url as NSURL).resourceValues(forKeys: …)`. A value that is called, as ``ItemResourceReader`` is.
public struct ItemResourceListReader: Sendable {
    let url: URL

    /// The values of some keys, by key, those that the item has.
    ///
    /// - Throws: `CocoaError` when nothing is there, not even a placeholder.
    public func callAsFunction(forKeys keys: [URLResourceKey]) throws -> [URLResourceKey: Any] {
        try ItemResourceValues(url, Set(keys)).allValues
    }
}

extension URL {
    /// Reads values of the item: `try url.resourceValues(forKeys: [.ubiquitousItemDownloadingStatusKey])`.
    ///
    /// - Source: Apple's resourceValues(forKeys:).
    /// - Differs from Darwin: gives an ``ItemResourceValues``. Where a `URLResourceValues` is asked for by its name, the
    ///   compiler takes Foundation's method, which knows nothing of containers.
    public var resourceValues: ItemResourceReader { ItemResourceReader(url: self) }

    /// The same for keys that are written out, as `[.isUbiquitousItemKey]`.
    ///
    /// In a closure of one expression inside an async function the compiler prefers Foundation's method to the value above,
    /// but never to this one: what is written in brackets is an array before it is anything else.
    public func resourceValues(forKeys keys: [URLResourceKey]) throws -> ItemResourceValues {
        try ItemResourceValues(self, Set(keys))
    }

    /// Reads values of an item whose contents need not be here; the same as `resourceValues`.
    ///
    /// - Source: Apple's promisedItemResourceValues(forKeys:).
    public func promisedItemResourceValues(forKeys keys: Set<URLResourceKey>) throws -> ItemResourceValues {
        try ItemResourceValues(self, keys)
    }

    /// Whether the item is there, be its contents here or not.
    ///
    /// - Throws: `CocoaError` when it is not.
    /// - Source: Apple's checkPromisedItemIsReachable().
    public func checkPromisedItemIsReachable() throws -> Bool {
        if UbiquitousItem(self) != nil { return true }
        return try checkResourceIsReachable()
    }

    /// Sets values of the item: `try url.setResourceValues(values)`.
    ///
    /// A value that is called, and not a method, as `resourceValues` is. Throws a `CocoaError` when nothing is there or
    /// the volume cannot. To exclude an item from sync whose contents are not here, or a folder with such in it, fetches them
    /// first: blocks until they have come, and throws what keeps them from it.
    ///
    /// - Source: Apple's setResourceValues(_:).
    public var setResourceValues: (URLResourceValues) throws -> Void {
        mutating get { { [self] in try set($0) } }
    }

    /// Sets values that were read before, those that were set since. As `setResourceValues`.
    ///
    /// - Throws: `CocoaError` when nothing is there or the volume cannot.
    public mutating func setResourceValues(_ values: ItemResourceValues) throws { try set(values.foundation) }

    private func set(_ values: URLResourceValues) throws {
        var values = values
        if let isExcluded = values.ubiquitousItemIsExcludedFromSync {
            try exclude(isExcluded)
            values.ubiquitousItemIsExcludedFromSync = nil
        }
        if let isExcluded = values.isExcludedFromBackup {
            let path = try pathToWrite()
            do { try BackupExclusion.set(isExcluded, path) } catch {
                throw CocoaError(excludingFromBackups: self, error)
            }
            values.isExcludedFromBackup = nil
        }
        guard !values.allValues.isEmpty else { return }
        try (self as NSURL).setResourceValues(values.allValues)
    }

    /// Has the item excluded from sync, or not any more.
    private func exclude(_ isExcluded: Bool) throws {
        // By a placeholder its item is meant.
        let url = UbiquityAccount.of(self).itemURL(of: self)
        if isExcluded {
            // What nothing comes to any more is here, with all that is in it, or could not be had again.
            try NSFileCoordinator(filePresenter: nil).fetchContents(of: url, isDeep: true)
        }
        let path = try UbiquitousItem(url)?.placeHere ?? url.pathToWrite()
        do { try SyncExclusion.set(isExcluded, path) } catch {
            throw CocoaError(error, while: .writing, url: self)
        }
    }

    private func pathToWrite() throws -> FilePath {
        guard let path = FilePath(self) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: self])
        }
        return path
    }
}

extension URLResourceValues {
    /// Where what Foundation has no place for is carried to `URL.setResourceValues`: nothing on Linux reads it.
    private static let carrier = "SheafIsExcludedFromSync"

    /// Whether the item is to stay on this device; nil for as it is. To be set, with `URL.setResourceValues(_:)`; to read
    /// it, ask `URL.resourceValues(forKeys:)`.
    ///
    /// - Source: Apple's ubiquitousItemIsExcludedFromSync.
    public var ubiquitousItemIsExcludedFromSync: Bool? {
        get { quarantineProperties?[Self.carrier] as? Bool }
        set {
            guard let newValue else {
                if ubiquitousItemIsExcludedFromSync != nil { quarantineProperties = nil }
                return
            }
            quarantineProperties = [Self.carrier: newValue]
        }
    }
}

/// What Foundation's values do not know of containers, though they have names for it: always nil, and false.
///
/// They are given in two ways here, so that the compiler refuses both as ambiguous, where it would otherwise take an answer
/// that is never right without a word. Ask an ``ItemResourceValues`` instead: write that type, or none; and where the keys are
/// a `Set` that is made elsewhere, read the values in a statement of their own.
extension URLResourceValues {
    /// Not known here: ask ``ItemResourceValues/isUbiquitousItem``.
    public var isUbiquitousItem: Bool? { nil }
    /// Not known here: ask ``ItemResourceValues/ubiquitousItemHasUnresolvedConflicts``.
    public var ubiquitousItemHasUnresolvedConflicts: Bool? { nil }
    /// Not known here: ask ``ItemResourceValues/ubiquitousItemIsDownloading``.
    public var ubiquitousItemIsDownloading: Bool? { nil }
    /// Not known here: ask ``ItemResourceValues/ubiquitousItemDownloadRequested``.
    public var ubiquitousItemDownloadRequested: Bool? { nil }
    /// Not known here: ask ``ItemResourceValues/ubiquitousItemDownloadingError``.
    public var ubiquitousItemDownloadingError: NSError? { nil }
    /// Not known here: ask ``ItemResourceValues/ubiquitousItemIsUploaded``.
    public var ubiquitousItemIsUploaded: Bool? { nil }
    /// Not known here: ask ``ItemResourceValues/ubiquitousItemIsUploading``.
    public var ubiquitousItemIsUploading: Bool? { nil }
    /// Not known here: ask ``ItemResourceValues/ubiquitousItemUploadingError``.
    public var ubiquitousItemUploadingError: NSError? { nil }
    /// Not known here: ask ``ItemResourceValues/ubiquitousItemContainerDisplayName``.
    public var ubiquitousItemContainerDisplayName: String? { nil }
}
