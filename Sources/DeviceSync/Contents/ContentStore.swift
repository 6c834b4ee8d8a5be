internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Locks
internal import Sealing
internal import Sync
internal import Vault

/// The contents of a container's documents, in a vault of its own whose key all of its devices have.
///
/// Any thread. A content is called by what the vault says of it, in hexadecimal digits: who has the name has all that is
/// needed to look for the objects below it.
struct ContentStore: Sendable {
    let vault: Vault
    let device: UUID
    let deviceName: String
    /// How long the line to the hub is, as far as that has shown.
    let line = Locked(LinePace())

    /// What a vault calls a device.
    static func uuid(of device: DeviceID) -> UUID {
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { $0.storeBytes(of: device.number.bigEndian, as: UInt64.self) }
        return UUID(uuid: bytes)
    }

    static func name(of contents: DocumentContents) -> ContentName {
        ContentName(digitsOf: contents.bytes)
    }

    static func contents(_ name: ContentName) throws -> DocumentContents {
        guard let bytes = name.bytes, let contents = DocumentContents(bytes: Array(bytes)) else {
            throw MalformedMemory(what: "contents that no vault has written down")
        }
        return contents
    }

    /// Whether contents have the same bytes in them, whatever their document bears beside these.
    static func areAlike(_ one: ContentName, _ other: ContentName) -> Bool {
        // What no vault has written down is like nothing.
        guard let one = try? contents(one), let other = try? contents(other) else { return false }
        return one.isAlike(to: other)
    }

    /// What this device's clock says.
    var now: Date { vault.now() }

    /// When a document counts as modified last that is put in place: when its own device says, or now where nobody knows.
    ///
    /// - Parameter modified: Nanoseconds since 1970.
    func date(_ modified: Int64?) -> FileTime {
        modified.map(FileTime.init(nanosecondsSince1970:)) ?? FileTime(now)
    }

    func origin(_ name: String) -> VersionOrigin {
        VersionOrigin(
            device: device,
            deviceName: deviceName,
            reason: .explicit,
            date: now,
            displayName: name
        )
    }

    /// What a document holds, and how a file was that was read to say so.
    struct Read: Sendable {
        let name: ContentName
        /// Nil for what is no file, and for what is as it was and so was not read.
        let trace: ItemTrace?
    }

    /// Keeps what documents hold now.
    func keep(_ documents: [Vault.Keepable]) throws -> [Result<Read, any Error>] {
        try vault.keepContents(of: documents) { origin($0.path.name) }.map { result in
            result.map {
                Read(name: Self.name(of: $0.contents), trace: $0.readStatus.map(ItemTrace.init))
            }
        }
    }

    /// Keeps what a document holds that nobody else touches.
    func keep(_ document: Vault.Keepable) throws -> ContentName? {
        try keep([document]).first?.get().name
    }

    func has(_ name: ContentName) throws -> Bool { try vault.has(try Self.contents(name)) }

    /// How much room this device has for contents, in bytes, others' left out.
    func roomByteCount() throws -> Int { try vault.roomByteCount() }

    /// Whether it is certain that two versions of a package are in conflict, by what is written down of their members.
    func areInConflict(
        base: ContentName?,
        mine: ContentName,
        theirs: ContentName,
        by merger: any DocumentMerger
    ) throws -> Bool {
        try vault.hasContest(
            base: try base.map(Self.contents),
            mine: try Self.contents(mine),
            theirs: try Self.contents(theirs),
            where: { merger.areInConflict($0) }
        )
    }

    /// What documents bear that are merged of others; nil where something of it would be lost.
    func mergedDress(
        base: ContentName?,
        mine: ContentName,
        theirs: ContentName
    ) throws -> DressNotes? {
        try vault.mergedDress(
            base: try base.map(Self.contents),
            mine: try Self.contents(mine),
            theirs: try Self.contents(theirs)
        )
    }

    /// By what files a package comes from one content to another; nil when it has to be made anew.
    func difference(
        from former: ContentName,
        to next: ContentName,
        countMax: Int
    ) throws -> PackageDifference? {
        try vault.difference(
            from: try Self.contents(former),
            to: try Self.contents(next),
            countMax: countMax
        )
    }

    /// - Parameters:
    ///   - modified: As of `date`.
    ///   - item: The item that it becomes, whose mark it is to bear; nil for what is only to be looked at.
    /// - Returns: What the volume does not let it bear.
    @discardableResult
    func restore(
        _ name: ContentName,
        to place: FilePath,
        modified: Int64? = nil,
        as item: ItemID? = nil
    ) throws -> DressNotes {
        try vault.restore(
            try Self.contents(name),
            to: place,
            modified: date(modified),
            mark: item?.mark,
            lends: item != nil
        )
    }

    /// Restores one of many documents, with its item's mark.
    func restore(
        _ document: Placer.NewDocument,
        _ contents: DocumentContents,
        as member: String,
        in folder: StorageFolder,
        _ restorer: ContentRestorer
    ) throws -> DressNotes {
        try restorer.restore(
            contents,
            as: member,
            in: folder,
            modified: date(document.modified),
            mark: document.item.mark,
            lends: true
        )
    }

    /// A version that the vault has.
    struct Kept: Sendable {
        let version: VersionID
        let item: ItemID
        let content: ContentName
    }

    /// All versions that the vault has of some items.
    func versions(of items: Set<ItemID>) throws -> [Kept] {
        try vault.items().flatMap { mark -> [Kept] in
            let item = ItemID(mark)
            guard items.contains(item) else { return [] }
            return try vault.versions(of: mark).map {
                Kept(version: $0.id, item: item, content: Self.name(of: try $0.contents()))
            }
        }
    }

    /// All versions that the vault has beside the only one of an item that is here.
    func formerVersions(of here: Set<ItemID>) throws -> [Kept] {
        try vault.items().flatMap { mark -> [Kept] in
            let item = ItemID(mark)
            let versions = try vault.versions(of: mark)
            guard versions.count > 1 || !here.contains(item) else { return [] }
            return try versions.map {
                Kept(version: $0.id, item: item, content: Self.name(of: try $0.contents()))
            }
        }
    }

    /// Lets go of versions. What no other needs is gone when this has returned, as far as it is worth its while: a pack is made
    /// anew when a third of it is not needed.
    ///
    /// - Throws: `VaultError` with code `busy` when somebody else collects.
    func forget(_ versions: [VersionID]) throws {
        try vault.remove(versions)
        try vault.collect()
    }
}
