// What searches in containers add. Raw values are Apple's.

/// A search scope: the `Documents` folders of the app's containers.
public let NSMetadataQueryUbiquitousDocumentsScope = "NSMetadataQueryUbiquitousDocumentsScope"
/// A search scope: the app's containers without their `Documents` folders.
public let NSMetadataQueryUbiquitousDataScope = "NSMetadataQueryUbiquitousDataScope"
/// A search scope: documents in other apps' containers that the user has picked in this app.
///
/// - Differs from Darwin: finds nothing, as there is no picker yet in which an app gets to another one's documents.
public let NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope =
    "NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope"

/// Whether it is in a container, and not excluded from sync: `Bool`.
public let NSMetadataItemIsUbiquitousKey = "NSMetadataItemIsUbiquitousKey"
/// What of its contents is here: one of the three texts below.
public let NSMetadataUbiquitousItemDownloadingStatusKey = "NSMetadataUbiquitousItemDownloadingStatusKey"
/// Nothing of its contents is here.
public let NSMetadataUbiquitousItemDownloadingStatusNotDownloaded =
    "NSMetadataUbiquitousItemDownloadingStatusNotDownloaded"
/// An older state is here.
public let NSMetadataUbiquitousItemDownloadingStatusDownloaded =
    "NSMetadataUbiquitousItemDownloadingStatusDownloaded"
/// The newest state that is known is here.
public let NSMetadataUbiquitousItemDownloadingStatusCurrent =
    "NSMetadataUbiquitousItemDownloadingStatusCurrent"
/// Whether its contents are on their way here: `Bool`.
public let NSMetadataUbiquitousItemIsDownloadingKey = "NSMetadataUbiquitousItemIsDownloadingKey"
/// Whether somebody has asked for its contents, which are not here yet: `Bool`.
public let NSMetadataUbiquitousItemDownloadRequestedKey = "NSMetadataUbiquitousItemDownloadRequestedKey"
/// How much of its contents is here, 0 to 100: `Double`.
public let NSMetadataUbiquitousItemPercentDownloadedKey = "NSMetadataUbiquitousItemPercentDownloadedKey"
/// Why its contents do not come: `NSError`.
public let NSMetadataUbiquitousItemDownloadingErrorKey = "NSMetadataUbiquitousItemDownloadingErrorKey"
/// Whether the hub has it as it is here: `Bool`.
public let NSMetadataUbiquitousItemIsUploadedKey = "NSMetadataUbiquitousItemIsUploadedKey"
/// Whether it is on its way to the hub: `Bool`.
public let NSMetadataUbiquitousItemIsUploadingKey = "NSMetadataUbiquitousItemIsUploadingKey"
/// How much of it the hub has, 0 to 100: `Double`.
public let NSMetadataUbiquitousItemPercentUploadedKey = "NSMetadataUbiquitousItemPercentUploadedKey"
/// Why it does not get to the hub: `NSError`.
public let NSMetadataUbiquitousItemUploadingErrorKey = "NSMetadataUbiquitousItemUploadingErrorKey"
/// Whether there are versions of it that lost a conflict which nobody has settled: `Bool`.
public let NSMetadataUbiquitousItemHasUnresolvedConflictsKey =
    "NSMetadataUbiquitousItemHasUnresolvedConflictsKey"
/// What people call its container: `String`.
public let NSMetadataUbiquitousItemContainerDisplayNameKey =
    "NSMetadataUbiquitousItemContainerDisplayNameKey"
/// Whether it is shared with other people: `Bool`; nothing is.
public let NSMetadataUbiquitousItemIsSharedKey = "NSMetadataUbiquitousItemIsSharedKey"
/// Whether it is a document from outside of the app's containers: `Bool`; what is found in these never is.
public let NSMetadataUbiquitousItemIsExternalDocumentKey = "NSMetadataUbiquitousItemIsExternalDocumentKey"
/// Where a document from outside is in the app's container: `URL`; of what is found in containers nil.
public let NSMetadataUbiquitousItemURLInLocalContainerKey = "NSMetadataUbiquitousItemURLInLocalContainerKey"

// MARK: Shared with other people
// Nothing is, so what these ask of is nil, as it is at Apple's of an item that nobody has shared.

/// What the user is to a shared item, one of the two roles: `String`.
public let NSMetadataUbiquitousSharedItemCurrentUserRoleKey =
    "NSMetadataUbiquitousSharedItemCurrentUserRoleKey"
/// What the user may do with a shared item, one of the two permissions: `String`.
public let NSMetadataUbiquitousSharedItemCurrentUserPermissionsKey =
    "NSMetadataUbiquitousSharedItemCurrentUserPermissionsKey"
/// The name of who has shared it: `PersonNameComponents`; nil for the user.
public let NSMetadataUbiquitousSharedItemOwnerNameComponentsKey =
    "NSMetadataUbiquitousSharedItemOwnerNameComponentsKey"
/// The name of who has edited it last: `PersonNameComponents`; nil for the user.
public let NSMetadataUbiquitousSharedItemMostRecentEditorNameComponentsKey =
    "NSMetadataUbiquitousSharedItemMostRecentEditorNameComponentsKey"
/// A role: the user has shared it.
public let NSMetadataUbiquitousSharedItemRoleOwner = "NSMetadataUbiquitousSharedItemRoleOwner"
/// A role: somebody else has shared it with the user.
public let NSMetadataUbiquitousSharedItemRoleParticipant = "NSMetadataUbiquitousSharedItemRoleParticipant"
/// A permission: to read.
public let NSMetadataUbiquitousSharedItemPermissionsReadOnly =
    "NSMetadataUbiquitousSharedItemPermissionsReadOnly"
/// A permission: to read and to write.
public let NSMetadataUbiquitousSharedItemPermissionsReadWrite =
    "NSMetadataUbiquitousSharedItemPermissionsReadWrite"
