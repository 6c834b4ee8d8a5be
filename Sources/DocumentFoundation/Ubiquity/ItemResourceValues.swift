internal import FileSystem
public import Foundation
internal import SyncMessages

/// What `URL.resourceValues(forKeys:)` gives: Foundation's values, and those of items in containers.
///
/// All that Foundation's `URLResourceValues` has can be read and set here too. Values are those of the moment in which
/// they were asked for; nil for keys that were not.
///
/// Nil for all items, though asked for, as Linux has no answer: `addedToDirectoryDate` (nobody notes it), `fileProtection` and
/// `quarantineProperties`, `volumeUUIDString`, `volumeIsLocal` (no call tells them to all users). Nil for an item whose
/// contents are not here: what is its inode's, `fileIdentifier`, `fileResourceIdentifier`, `linkCount`, `isExecutable`,
/// `generationIdentifier`, `fileContentIdentifier`, `mayShareFileContent`, `isExcludedFromBackup`, `tagNames`.
///
/// - Differs from Darwin: there it is `URLResourceValues` itself. Foundation for Linux answers the keys about containers
///   with nil, and its struct cannot be given other values. A call whose outcome is declared to be a `URLResourceValues`
///   is Foundation's own.
@dynamicMemberLookup
public struct ItemResourceValues {
    /// Foundation's.
    public private(set) var foundation: URLResourceValues
    private let keys: Set<URLResourceKey>
    private var item: ItemState?
    private var isExcluded: Bool?
    private(set) var described: Described

    /// What is known of an item in a container.
    struct ItemState: Sendable {
        var isDownloaded: Bool
        /// Nil when the process that keeps folders in step does not answer.
        var state: ItemSyncState?
        /// Nil when the vault cannot be asked, or was not.
        var hasConflicts: Bool?
        var containerName: String
    }

    /// Asks for an item's values.
    ///
    /// - Throws: As Foundation's, but not for an item whose contents are not here.
    init(_ url: URL, _ keys: Set<URLResourceKey>) throws {
        self.keys = keys
        let asked = keys.intersection(Self.ubiquityKeys)
        // All values are the item's, whichever of its two names it is asked for by.
        let url = UbiquityAccount.of(url).itemURL(of: url)
        let known =
            asked.isEmpty && FileManager.default.fileExists(atPath: url.path) ? nil : UbiquitousItem(url)
        if let known, let placeholder = known.placeholder {
            // The placeholder is where the item will be, and whoever may write it may write that.
            foundation =
                try Placeholder.place(for: known.path).map {
                    try $0.url(isDirectory: false).resourceValues(
                        forKeys: keys.subtracting(Described.keys).filter(Self.isOfPlace)
                    )
                } ?? URLResourceValues()
            described = Described(placeholder, at: known.path, url, keys)
        } else {
            foundation = try url.resourceValues(
                forKeys: keys.subtracting(Self.ubiquityKeys).subtracting(Described.keys)
            )
            // Foundation says so itself of the keys that it looks at.
            if known == nil, let path = FilePath(url), try FileStamp.ifPresent(at: path) == nil {
                throw CocoaError(.fileReadNoSuchFile, userInfo: [NSURLErrorKey: url])
            }
            described = Described(url, keys)
        }
        if keys.contains(.ubiquitousItemIsExcludedFromSyncKey) {
            isExcluded = known?.isMarkedAsExcluded ?? FilePath(url).map(SyncExclusion.isMarked)
        }
        guard let known, !asked.isEmpty, !known.isExcluded else { return }
        item = ItemState(known, url, asked)
    }

    /// Foundation's value.
    public subscript<Value>(dynamicMember path: KeyPath<URLResourceValues, Value>) -> Value {
        foundation[keyPath: path]
    }

    /// Foundation's value, which can be set with `URL.setResourceValues(_:)`.
    public subscript<Value>(dynamicMember path: WritableKeyPath<URLResourceValues, Value>) -> Value {
        get { foundation[keyPath: path] }
        set { foundation[keyPath: path] = newValue }
    }

    /// What is the same for an item and for its placeholder.
    private static func isOfPlace(_ key: URLResourceKey) -> Bool {
        key == .isReadableKey || key == .isWritableKey || key.rawValue.hasPrefix("NSURLVolume")
    }

    /// Has a value be Foundation's from now on.
    mutating func set<Value>(
        _ key: URLResourceKey,
        _ path: WritableKeyPath<URLResourceValues, Value>,
        _ value: Value
    ) {
        described.leave(key)
        foundation[keyPath: path] = value
    }

    static let ubiquityKeys: Set<URLResourceKey> = [
        .ubiquitousItemIsDownloadedKey, .ubiquitousItemPercentDownloadedKey,
        .ubiquitousItemPercentUploadedKey,
        .isUbiquitousItemKey, .ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsDownloadingKey,
        .ubiquitousItemDownloadRequestedKey, .ubiquitousItemDownloadingErrorKey, .ubiquitousItemIsUploadedKey,
        .ubiquitousItemIsUploadingKey, .ubiquitousItemUploadingErrorKey,
        .ubiquitousItemHasUnresolvedConflictsKey, .ubiquitousItemContainerDisplayNameKey,
        .ubiquitousItemIsExcludedFromSyncKey, .ubiquitousItemIsSharedKey,
        .ubiquitousItemIsSyncPausedKey, .ubiquitousItemSupportedSyncControlsKey,
        .ubiquitousSharedItemCurrentUserRoleKey, .ubiquitousSharedItemCurrentUserPermissionsKey,
        .ubiquitousSharedItemOwnerNameComponentsKey, .ubiquitousSharedItemMostRecentEditorNameComponentsKey,
    ]

    /// Keys that need the process that keeps folders in step.
    static let stateKeys: Set<URLResourceKey> = [
        .ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsDownloadingKey,
        .ubiquitousItemDownloadRequestedKey, .ubiquitousItemDownloadingErrorKey, .ubiquitousItemIsUploadedKey,
        .ubiquitousItemIsUploadingKey, .ubiquitousItemUploadingErrorKey, .ubiquitousItemIsSyncPausedKey,
        .ubiquitousItemPercentDownloadedKey, .ubiquitousItemPercentUploadedKey,
    ]

    /// All values, by key: Foundation's, and those of items in containers.
    public var allValues: [URLResourceKey: Any] {
        var values = foundation.allValues
        // What carries a value to be set is no value.
        values[URLResourceKey(rawValue: "NSURLQuarantinePropertiesKey")] = nil
        values.merge(described.all) { $1 }
        let others: [URLResourceKey: Any?] = [
            .isUbiquitousItemKey: isUbiquitousItem,
            .ubiquitousItemDownloadingStatusKey: ubiquitousItemDownloadingStatus,
            .ubiquitousItemIsDownloadingKey: ubiquitousItemIsDownloading,
            .ubiquitousItemIsDownloadedKey: item?.isDownloaded,
            .ubiquitousItemPercentDownloadedKey: item?.percentDownloaded,
            .ubiquitousItemPercentUploadedKey: item?.percentUploaded,
            .ubiquitousItemDownloadRequestedKey: ubiquitousItemDownloadRequested,
            .ubiquitousItemDownloadingErrorKey: ubiquitousItemDownloadingError,
            .ubiquitousItemIsUploadedKey: ubiquitousItemIsUploaded,
            .ubiquitousItemIsUploadingKey: ubiquitousItemIsUploading,
            .ubiquitousItemUploadingErrorKey: ubiquitousItemUploadingError,
            .ubiquitousItemHasUnresolvedConflictsKey: ubiquitousItemHasUnresolvedConflicts,
            .ubiquitousItemContainerDisplayNameKey: ubiquitousItemContainerDisplayName,
            .ubiquitousItemIsExcludedFromSyncKey: isExcluded,
            .ubiquitousItemIsSharedKey: ubiquitousItemIsShared,
            .ubiquitousItemIsSyncPausedKey: ubiquitousItemIsSyncPaused,
            .ubiquitousItemSupportedSyncControlsKey: ubiquitousItemSupportedSyncControls,
        ]
        for (key, value) in others where keys.contains(key) {
            if let value { values[key] = value }
        }
        return values
    }

    private func asked<Value>(_ key: URLResourceKey, _ value: (ItemState) -> Value?) -> Value? {
        keys.contains(key) ? item.flatMap(value) : nil
    }
}

// MARK: - In containers

extension ItemResourceValues {
    /// Whether it is in a container.
    public var isUbiquitousItem: Bool? { keys.contains(.isUbiquitousItemKey) ? item != nil : nil }

    /// What of its contents is here. Without the process that keeps folders in step, what is here counts as current.
    public var ubiquitousItemDownloadingStatus: URLUbiquitousItemDownloadingStatus? {
        asked(.ubiquitousItemDownloadingStatusKey) { item in
            guard item.isDownloaded else { return .notDownloaded }
            return item.state?.contents == .stale ? .downloaded : .current
        }
    }

    /// Whether its contents are on their way here; nil when nobody knows, as `sheaf up` does not run.
    public var ubiquitousItemIsDownloading: Bool? {
        asked(.ubiquitousItemIsDownloadingKey) { $0.state.map { $0.download != nil } }
    }

    /// Whether somebody has asked for its contents, which are not here yet.
    public var ubiquitousItemDownloadRequested: Bool? {
        asked(.ubiquitousItemDownloadRequestedKey) { $0.state?.isDownloadRequested }
    }

    /// Why its contents do not come.
    public var ubiquitousItemDownloadingError: NSError? {
        asked(.ubiquitousItemDownloadingErrorKey) { Self.error($0.state?.downloadFailure, $0.state) }
    }

    /// Whether the hub has it as it is here.
    public var ubiquitousItemIsUploaded: Bool? {
        asked(.ubiquitousItemIsUploadedKey) { $0.state?.isUploaded }
    }

    /// Whether it is on its way to the hub.
    public var ubiquitousItemIsUploading: Bool? {
        asked(.ubiquitousItemIsUploadingKey) { $0.state?.isUploading }
    }

    /// Why it does not get to the hub.
    public var ubiquitousItemUploadingError: NSError? {
        asked(.ubiquitousItemUploadingErrorKey) { Self.error($0.state?.uploadFailure, $0.state) }
    }

    private static func error(_ refusal: SyncRefusal?, _ state: ItemSyncState?) -> NSError? {
        guard let refusal, let state else { return nil }
        return CocoaError(refusal, URL(fileURLWithPath: state.path)) as NSError
    }

    /// Whether its sync is paused: see `FileManager.pauseSyncForUbiquitousItem(at:)`.
    public var ubiquitousItemIsSyncPaused: Bool? {
        asked(.ubiquitousItemIsSyncPausedKey) { $0.state.map { $0.pause != nil } }
    }

    /// What can be done about its sync.
    public var ubiquitousItemSupportedSyncControls: NSFileManagerSupportedSyncControls? {
        asked(.ubiquitousItemSupportedSyncControlsKey) { _ in [.pauseSync, .failUploadOnConflict] }
    }

    /// Whether there are versions of it that lost a conflict which nobody has settled: see `NSFileVersion`. Those of an item whose
    /// contents are not here come with these. Nil when the vault cannot be asked.
    public var ubiquitousItemHasUnresolvedConflicts: Bool? {
        asked(.ubiquitousItemHasUnresolvedConflictsKey) { $0.hasConflicts }
    }

    /// What people call its container: the Info.plist's `NSUbiquitousContainerName`, else the joined folder's name.
    public var ubiquitousItemContainerDisplayName: String? {
        asked(.ubiquitousItemContainerDisplayNameKey) { $0.containerName }
    }

    /// Whether it stays on this device: what is done with it, and with what is in it, goes nowhere. Settable: contents of an item
    /// that are not here are fetched then, as they would not stay on this device otherwise.
    public var ubiquitousItemIsExcludedFromSync: Bool? {
        get { isExcluded }
        set {
            isExcluded = newValue
            foundation.ubiquitousItemIsExcludedFromSync = newValue
        }
    }

    /// Whether it is shared with other people: nothing is here yet.
    public var ubiquitousItemIsShared: Bool? { asked(.ubiquitousItemIsSharedKey) { _ in false } }

    /// What this user is to a shared item; nil, as for all that is not shared.
    public var ubiquitousSharedItemCurrentUserRole: URLUbiquitousSharedItemRole? { nil }

    /// What this user may do with a shared item; nil, as for all that is not shared.
    public var ubiquitousSharedItemCurrentUserPermissions: URLUbiquitousSharedItemPermissions? { nil }

    /// Who shares it; nil, as for all that is not shared.
    public var ubiquitousSharedItemOwnerNameComponents: PersonNameComponents? { nil }

    /// Who edited a shared item last; nil, as for all that is not shared.
    public var ubiquitousSharedItemMostRecentEditorNameComponents: PersonNameComponents? { nil }
}

// MARK: - Promised items

extension ItemResourceValues {
    /// Its name, be its contents here or not.
    public var name: String? {
        get { described.value(.nameKey) ?? foundation.name }
        set { set(.nameKey, \.name, newValue) }
    }

    /// What people call it, be its contents here or not.
    public var localizedName: String? { described.value(.localizedNameKey) ?? foundation.localizedName }

    /// Whether it is a directory, be its contents here or not.
    public var isDirectory: Bool? { described.value(.isDirectoryKey) ?? foundation.isDirectory }

    /// Whether it is a file, be its contents here or not.
    public var isRegularFile: Bool? { described.value(.isRegularFileKey) ?? foundation.isRegularFile }

    /// Whether it is a symbolic link, be its contents here or not.
    public var isSymbolicLink: Bool? { described.value(.isSymbolicLinkKey) ?? foundation.isSymbolicLink }

    /// Whether its name begins with a dot, be its contents here or not. Setting it is Foundation's.
    public var isHidden: Bool? {
        get { described.value(.isHiddenKey) ?? foundation.isHidden }
        set { set(.isHiddenKey, \.isHidden, newValue) }
    }

    /// Whether its extension is not shown, be its contents here or not. Setting it is Foundation's.
    public var hasHiddenExtension: Bool? {
        get { described.value(.hasHiddenExtensionKey) ?? foundation.hasHiddenExtension }
        set { set(.hasHiddenExtensionKey, \.hasHiddenExtension, newValue) }
    }

    /// The folder that it is in, be its contents here or not.
    public var parentDirectory: URL? {
        described.value(.parentDirectoryURLKey) ?? foundation.parentDirectory
    }

    /// When its contents were modified last, be they here or not. Setting it is Foundation's.
    public var contentModificationDate: Date? {
        get { described.value(.contentModificationDateKey) ?? foundation.contentModificationDate }
        set { set(.contentModificationDateKey, \.contentModificationDate, newValue) }
    }
}

extension ItemResourceValues.ItemState {
    init(_ item: UbiquitousItem, _ url: URL, _ keys: Set<URLResourceKey>) {
        let account = UbiquityAccount.of(url)
        isDownloaded = item.placeholder == nil
        let asksForConflicts = keys.contains(.ubiquitousItemHasUnresolvedConflictsKey)
        // What has lost a conflict comes with the contents: before, only he knows of it who knows what is at the hub.
        let isOnlyKnownElsewhere = asksForConflicts && !isDownloaded
        if isOnlyKnownElsewhere || !keys.isDisjoint(with: ItemResourceValues.stateKeys) {
            // Nobody there to answer: what needs him is nil.
            state = try? SyncQuery.item(item.path.string, in: try account.runtime())
        }
        if isOnlyKnownElsewhere, state?.hasConflicts == true {
            hasConflicts = true
        } else {
            hasConflicts = asksForConflicts ? NSFileVersion.isInConflict(url) : nil
        }
        containerName = account.displayName(of: item.folder, at: item.path)
    }

    /// How much of its contents is here, 0 to 100: of the newest, while those are on their way.
    var percentDownloaded: Double {
        if let download = state?.download { return 100 * download.fraction }
        return isDownloaded ? 100 : 0
    }

    /// How much of its contents the hub has, 0 to 100; nil when nobody is there who knows.
    var percentUploaded: Double? {
        state.map { $0.isUploaded ? 100 : 100 * ($0.upload?.fraction ?? 0) }
    }
}
