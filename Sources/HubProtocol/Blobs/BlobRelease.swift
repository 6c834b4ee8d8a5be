/// The body of `POST .../blobs/release`: blobs that nothing needs any more, as of an end of the log.
package struct BlobRelease: Codable, Hashable, Sendable {
    /// At most `HubLimits.blobNameCountMax`.
    package var names: [BlobName]
    /// How far the log was read by who says so. The hub refuses where it has another end.
    package var head: LogHead

    package init(_ names: [BlobName], asOf head: LogHead) { (self.names, self.head) = (names, head) }
}

/// The answer to `.../blobs/release`.
package struct ReleasedBlobs: Codable, Hashable, Sendable {
    /// How many of the names there were, less those that are spared.
    package var released: Int
    /// How long they are kept after this, in seconds.
    package var keptSeconds: Int
    /// Those that were sent or asked for a short while ago: somebody may be about to commit what needs them.
    package var spared: [BlobName]

    package init(released: Int, keptSeconds: Int, spared: [BlobName] = []) {
        (self.released, self.keptSeconds, self.spared) = (released, keptSeconds, spared)
    }
}
