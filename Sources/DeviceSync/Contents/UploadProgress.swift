internal import HubProtocol
internal import Sync
internal import SyncMessages

/// How far large contents have come that are sent with others: by how many of their objects the hub has.
struct UploadProgress {
    private struct Sending {
        let name: ContentName
        var missing: Set<BlobName>
        let count: Int
    }

    private var sending: [Sending] = []

    mutating func add(_ name: ContentName, _ blobs: Set<BlobName>) {
        sending.append(Sending(name: name, missing: blobs, count: blobs.count))
    }

    /// Takes in that the hub has some objects.
    ///
    /// - Returns: What has come farther, and how far.
    mutating func noteStored(
        _ blobs: Set<BlobName>
    ) -> [(name: ContentName, objects: ItemSyncState.ObjectCount)] {
        var news: [(ContentName, ItemSyncState.ObjectCount)] = []
        for index in sending.indices {
            let before = sending[index].missing.count
            sending[index].missing.subtract(blobs)
            let (left, count) = (sending[index].missing.count, sending[index].count)
            if left < before { news.append((sending[index].name, .init(count - left, of: count))) }
        }
        return news
    }
}
