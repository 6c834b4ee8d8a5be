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
    /// Up to where its records are in the index; 0 of a lent file, which has none.
    var byteCount: Int
    /// Whether it is written to no more: something in it is damaged, or a lent file is somebody else's, too.
    var isSealed: Bool
    /// Whether nothing in it is needed any more; it is only still to be removed.
    var isDead: Bool
    /// Of a lent file: which.
    var lentInode: UInt64?
    /// Whether something was looked for in a lent file and was not there any more.
    var isChanged: Bool
    /// Of a file that was made for what comes from elsewhere: what it is filled with, and with nothing else.
    var content: ObjectName?

    var isLent: Bool { lentInode != nil }
    /// Whether somebody else has, or has had, a lent file, who may change it.
    var isShared: Bool { isLent && isSealed }
    /// Whether there are bytes in a pack that are no record. The index has no objects for them, and they may be all that is
    /// left of some: whole, too, where only what stands before them is damaged.
    var hasGaps: Bool { !isLent && isSealed }
    var fileName: String { isLent ? id.lentFileName : id.fileName }
}
