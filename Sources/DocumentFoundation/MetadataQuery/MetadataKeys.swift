public import Foundation

// The keys, scopes and notifications that there is something behind. Raw values are Apple's. The attributes that only an
// importer of contents could tell, such as a song's album, are not here.

/// The name in its folder, with its extension: `String`.
public let NSMetadataItemFSNameKey = "kMDItemFSName"
/// The name that people see; here the whole name: `String`.
public let NSMetadataItemDisplayNameKey = "kMDItemDisplayName"
/// Where it is: `URL`.
public let NSMetadataItemURLKey = "kMDItemURL"
/// Where it is, as text: `String`.
public let NSMetadataItemPathKey = "kMDItemPath"
/// Bytes; of a package all its members together: a number. Folders have none.
public let NSMetadataItemFSSizeKey = "kMDItemFSSize"
/// When it was made: `Date`; none where the volume does not keep it.
public let NSMetadataItemFSCreationDateKey = "kMDItemFSCreationDate"
/// When its contents changed last: `Date`; of a package when one of its members did.
public let NSMetadataItemFSContentChangeDateKey = "kMDItemFSContentChangeDate"
/// The same as `NSMetadataItemFSCreationDateKey`: nothing is read from contents.
public let NSMetadataItemContentCreationDateKey = "kMDItemContentCreationDate"
/// The same as `NSMetadataItemFSContentChangeDateKey`: nothing is read from contents.
public let NSMetadataItemContentModificationDateKey = "kMDItemContentModificationDate"
/// The identifier of its type: `String`.
public let NSMetadataItemContentTypeKey = "kMDItemContentType"
/// The identifiers of its type and of all that this conforms to: `[String]`.
public let NSMetadataItemContentTypeTreeKey = "kMDItemContentTypeTree"
/// What people call its type: `String`; none for a type that nobody describes.
public let NSMetadataItemKindKey = "kMDItemKind"

/// A search scope: the user's home folder.
public let NSMetadataQueryUserHomeScope = "kMDQueryScopeHome"

/// In an update's `userInfo`: the items that are new among the results, `[NSMetadataItem]`, or what the delegate puts in their
/// places; so in the other two.
public let NSMetadataQueryUpdateAddedItemsKey = "kMDQueryUpdateAddedItems"
/// In an update's `userInfo`: the items that are others than they were, `[NSMetadataItem]`.
public let NSMetadataQueryUpdateChangedItemsKey = "kMDQueryUpdateChangedItems"
/// In an update's `userInfo`: the items that are no results any more, `[NSMetadataItem]`.
public let NSMetadataQueryUpdateRemovedItemsKey = "kMDQueryUpdateRemovedItems"

extension NSNotification.Name {
    /// A query has begun to gather.
    public static let NSMetadataQueryDidStartGathering = Self("NSMetadataQueryDidStartGatheringNotification")
    /// A query that gathers has more results.
    public static let NSMetadataQueryGatheringProgress = Self("NSMetadataQueryGatheringProgressNotification")
    /// A query has gathered all there is, and tells of updates from now on.
    public static let NSMetadataQueryDidFinishGathering = Self(
        "NSMetadataQueryDidFinishGatheringNotification"
    )
    /// Results have come, gone, or are others; `userInfo` says which.
    public static let NSMetadataQueryDidUpdate = Self("NSMetadataQueryDidUpdateNotification")
}
