/// Where an object is: a row of the index.
struct ObjectPlace: Hashable, Sendable {
    /// The pack, by its number in this index.
    var pack: Int
    var offset: Int
    var header: PackFormat.RecordHeader
}

/// A pack as the index knows it.
struct PackRow: Hashable, Sendable {
    var number: Int
    var id: PackID
    /// Up to where its records are in the index.
    var byteCount: Int
    /// Whether it is written to no more, as something in it is damaged.
    var isSealed: Bool
    /// Whether nothing in it is needed any more; it is only still to be removed.
    var isDead: Bool
    /// Of a lent file: which.
    var lentInode: UInt64?

    var isLent: Bool { lentInode != nil }
    var fileName: String { isLent ? id.lentFileName : id.fileName }
}
