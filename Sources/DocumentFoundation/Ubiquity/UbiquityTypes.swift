public import Foundation

/// What of a container's item is on this device.
///
/// - Source: Apple's URLUbiquitousItemDownloadingStatus.
public struct URLUbiquitousItemDownloadingStatus: RawRepresentable, Hashable, Sendable {
    /// Apple's text for it.
    public let rawValue: String
    /// Takes Apple's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing of its contents: a placeholder stands for it.
    public static let notDownloaded = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusNotDownloaded")
    /// An older state: a newer one is known and on its way.
    public static let downloaded = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusDownloaded")
    /// The newest state that is known here.
    public static let current = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusCurrent")
}

/// What a user may do with an item that others share. Nothing is shared with others here yet, so no item has any.
///
/// - Source: Apple's URLUbiquitousSharedItemPermissions.
public struct URLUbiquitousSharedItemPermissions: RawRepresentable, Hashable, Sendable {
    /// Apple's text for it.
    public let rawValue: String
    /// Takes Apple's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Only to be read.
    public static let readOnly = Self(rawValue: "NSURLUbiquitousSharedItemPermissionsReadOnly")
    /// To be read and written.
    public static let readWrite = Self(rawValue: "NSURLUbiquitousSharedItemPermissionsReadWrite")
}

/// What a user is to an item that others share. Nothing is shared with others here yet, so no item has one.
///
/// - Source: Apple's URLUbiquitousSharedItemRole.
public struct URLUbiquitousSharedItemRole: RawRepresentable, Hashable, Sendable {
    /// Apple's text for it.
    public let rawValue: String
    /// Takes Apple's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Who shares it with others.
    public static let owner = Self(rawValue: "NSURLUbiquitousSharedItemRoleOwner")
    /// Whom it is shared with.
    public static let participant = Self(rawValue: "NSURLUbiquitousSharedItemRoleParticipant")
}

extension URLResourceKey {
    /// Whether an item's contents are here, be they the newest or not: `Bool`. The downloading status says more.
    public static let ubiquitousItemIsDownloadedKey = Self(rawValue: "NSURLUbiquitousItemIsDownloadedKey")
    /// How much of an item's contents is here, 0 to 100: `Double`. By `allValues`.
    public static let ubiquitousItemPercentDownloadedKey = Self(
        rawValue: "NSURLUbiquitousItemPercentDownloadedKey"
    )
    /// How much of an item's contents the hub has, 0 to 100: `Double`; none while `sheaf up` does not run. By `allValues`.
    public static let ubiquitousItemPercentUploadedKey = Self(
        rawValue: "NSURLUbiquitousItemPercentUploadedKey"
    )
    /// Whether an item is kept out of sync: `Bool`. Settable.
    public static let ubiquitousItemIsExcludedFromSyncKey = Self(
        rawValue: "NSURLUbiquitousItemIsExcludedFromSyncKey"
    )
    /// Whether the sync of an item is paused: `Bool`.
    public static let ubiquitousItemIsSyncPausedKey = Self(rawValue: "NSURLUbiquitousItemIsSyncPausedKey")
    /// What can be done about the sync of an item: `NSFileManagerSupportedSyncControls`.
    public static let ubiquitousItemSupportedSyncControlsKey = Self(
        rawValue: "NSURLUbiquitousItemSupportedSyncControlsKey"
    )
    /// Whether an item is shared with other people: `Bool`.
    public static let ubiquitousItemIsSharedKey = Self(rawValue: "NSURLUbiquitousItemIsSharedKey")
    /// What this user is to a shared item: `URLUbiquitousSharedItemRole`.
    public static let ubiquitousSharedItemCurrentUserRoleKey = Self(
        rawValue: "NSURLUbiquitousSharedItemCurrentUserRoleKey"
    )
    /// What this user may do with a shared item: `URLUbiquitousSharedItemPermissions`.
    public static let ubiquitousSharedItemCurrentUserPermissionsKey = Self(
        rawValue: "NSURLUbiquitousSharedItemCurrentUserPermissionsKey"
    )
    /// Who shares an item: `PersonNameComponents`.
    public static let ubiquitousSharedItemOwnerNameComponentsKey = Self(
        rawValue: "NSURLUbiquitousSharedItemOwnerNameComponentsKey"
    )
    /// Who of those that share an item edited it last: `PersonNameComponents`.
    public static let ubiquitousSharedItemMostRecentEditorNameComponentsKey = Self(
        rawValue: "NSURLUbiquitousSharedItemMostRecentEditorNameComponentsKey"
    )
}
