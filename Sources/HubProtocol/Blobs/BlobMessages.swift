/// Names of blobs: the body of `POST .../blobs/missing` and `.../blobs/read`.
package struct BlobNames: Codable, Hashable, Sendable {
    /// At most `HubLimits.blobNameCountMax`.
    package var names: [BlobName]

    package init(_ names: [BlobName]) { self.names = names }
}

extension BlobNames: PlainMessage {
    package func write(to writer: inout PlainWriter) {
        writer.object { writer in
            writer.key("names")
            writer.array(names) { $0.name($1) }
        }
    }

    package init(from reader: inout PlainReader) throws(NotPlain) {
        self = try reader.object { (reader) throws(NotPlain) in
            try reader.key("names")
            return BlobNames(try reader.array { (reader) throws(NotPlain) in try reader.name() })
        }
    }
}

/// The answer to `.../blobs/missing`: those of the names that the hub has no blob of, in the order asked.
package struct MissingBlobs: Codable, Hashable, Sendable {
    package var missing: [BlobName]

    package init(_ missing: [BlobName]) { self.missing = missing }
}

extension MissingBlobs: PlainMessage {
    package func write(to writer: inout PlainWriter) {
        writer.object { writer in
            writer.key("missing")
            writer.array(missing) { $0.name($1) }
        }
    }

    package init(from reader: inout PlainReader) throws(NotPlain) {
        self = try reader.object { (reader) throws(NotPlain) in
            try reader.key("missing")
            return MissingBlobs(try reader.array { (reader) throws(NotPlain) in try reader.name() })
        }
    }
}

/// The answer to `POST .../blobs`: all frames are durable.
package struct StoredBlobs: Codable, Hashable, Sendable {
    /// How many were new; the others were there already.
    package var stored: Int

    package init(stored: Int) { self.stored = stored }
}
