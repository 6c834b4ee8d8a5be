internal import FileSystem
internal import Foundation
internal import HubProtocol
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

    /// How many bytes of sealed objects go in one request.
    private static let batchByteCount = 8 << 20

    /// What a vault calls a device.
    static func uuid(of device: DeviceID) -> UUID {
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { $0.storeBytes(of: device.number.bigEndian, as: UInt64.self) }
        return UUID(uuid: bytes)
    }

    static func name(of contents: DocumentContents) -> ContentName {
        ContentName(HexadecimalText.text(of: contents.bytes))
    }

    static func contents(_ name: ContentName) throws -> DocumentContents {
        guard let bytes = HexadecimalText.bytes(of: name.value), let contents = DocumentContents(bytes: bytes)
        else {
            throw MalformedMemory(what: "contents that no vault has written down")
        }
        return contents
    }

    /// What this device's clock says.
    var now: Date { vault.now() }

    private func origin(_ name: String) -> VersionOrigin {
        VersionOrigin(
            device: device,
            deviceName: deviceName,
            reason: .explicit,
            date: now,
            displayName: name
        )
    }

    // MARK: The disk

    /// Keeps what documents hold now.
    func keep(_ documents: [Vault.Keepable]) throws -> [Result<ContentName, any Error>] {
        try vault.keepContents(of: documents) { origin($0.path.name) }.map { $0.map(Self.name) }
    }

    func has(_ name: ContentName) throws -> Bool { try vault.has(try Self.contents(name)) }

    func restore(_ name: ContentName, to place: FilePath) throws {
        try vault.restore(try Self.contents(name), to: place)
    }

    /// Restores one of many.
    func restore(
        _ name: ContentName,
        as member: String,
        in folder: StorageFolder,
        _ restorer: ContentRestorer
    ) throws {
        try restorer.restore(try Self.contents(name), as: member, in: folder)
    }

    /// Lets go of all contents of items that are at the hub, and are not to be here any more. What no other item needs is
    /// gone when this has returned, as far as it is worth its while: a pack is made anew when a third of it is not needed.
    ///
    /// - Throws: `VaultError` with code `busy` when somebody else collects.
    func forget(_ items: Set<ItemID>) throws {
        try vault.remove(try items.sorted().flatMap { try vault.versions(of: $0.mark).map(\.id) })
        try vault.collect()
    }

    // MARK: The hub

    /// Sends what the hub does not have of contents, and returns when the hub has all of it durably.
    ///
    /// - Parameter told: Told how far contents have come that take several requests, 0 to 1.
    func upload(
        _ names: [ContentName],
        to hub: any ContainerHub,
        _ sealer: BlobSealer,
        told: (ContentName, Double) -> Void = { _, _ in }
    ) throws {
        var progress = UploadProgress()
        for name in names where try Self.contents(name).byteCount > Self.batchByteCount {
            let large = try vault.objects(of: [try Self.contents(name)])
            progress.add(name, Set(try large.map { try sealer.address(of: $0.name.bytes) }))
        }
        var objects: [BlobName: VaultObject] = [:]
        for object in try vault.objects(of: try names.map(Self.contents)) {
            objects[try sealer.address(of: object.name.bytes)] = object
        }
        let all = objects.keys.sorted()
        for start in stride(from: 0, to: all.count, by: HubLimits.blobNameCountMax) {
            let some = Array(all[start..<min(start + HubLimits.blobNameCountMax, all.count)])
            let missing = try hub.missing(some)
            for news in progress.noteStored(Set(some).subtracting(missing)) { told(news.name, news.share) }
            var frames = Data()
            var gathered: Set<BlobName> = []
            func send() throws {
                try hub.store(frames)
                for news in progress.noteStored(gathered) { told(news.name, news.share) }
                (frames, gathered) = (Data(), [])
            }
            try vault.withStored(missing.compactMap { objects[$0] }) { object, piece in
                let sealed = try sealer.seal(
                    piece.bytes,
                    piece.isPressed ? .zstd : .plain,
                    plainByteCount: piece.plainByteCount,
                    kind: object.kind.rawValue,
                    name: object.name.bytes
                )
                let blob = try sealer.address(of: object.name.bytes)
                BlobFrames.append(blob, sealed, to: &frames)
                gathered.insert(blob)
                if frames.count >= Self.batchByteCount { try send() }
            }
            if !frames.isEmpty { try send() }
        }
    }

    /// So many objects are asked for at first when somebody waits, and so many bytes are to come with one answer then.
    private static let firstPace = 32
    private static let awaitedByteCount = 4 << 20

    private static func pace(after pace: Int, _ byteCount: Int) -> Int {
        if byteCount > awaitedByteCount { return max(1, pace / 2) }
        return byteCount < awaitedByteCount / 2 ? min(2 * pace, HubLimits.blobNameCountMax) : pace
    }

    /// Gets contents that are not here, and returns when all of them are here durably.
    ///
    /// - Parameter progress: Told how many sealed bytes have come, again and again; nil for: nobody waits, and much is asked
    ///   for at a time.
    func fetch(
        _ wanted: [(name: ContentName, item: ItemID)],
        from hub: any ContainerHub,
        _ opener: BlobSealer,
        progress: ((Int) -> Void)? = nil
    ) throws {
        var byteCount = 0
        var pace = progress == nil ? HubLimits.blobNameCountMax : Self.firstPace
        var documents: [(contents: DocumentContents, item: FileMark)] = []
        for (name, item) in wanted {
            let contents = try Self.contents(name)
            if try !vault.has(contents) { documents.append((contents, item.mark)) }
        }
        guard !documents.isEmpty else { return }
        try vault.receive(documents, origin: { _ in origin("") }) { objects in
            var wanted: [BlobName: VaultObject] = [:]
            for object in objects.prefix(pace) {
                wanted[try opener.address(of: object.name.bytes)] = object
            }
            let blobs = try hub.read(Array(wanted.keys))
            let come = blobs.reduce(0) { $0 + $1.blob.count }
            byteCount += come
            progress?(byteCount)
            if progress != nil { pace = Self.pace(after: pace, come) }
            return try blobs.compactMap { name, blob in
                guard let object = wanted[name] else { return nil }
                let opened = try opener.open(
                    [UInt8](blob),
                    kind: object.kind.rawValue,
                    name: object.name.bytes
                )
                let piece = StoredObject(
                    isPressed: opened.contents.encoding == .zstd,
                    plainByteCount: opened.contents.plainByteCount,
                    bytes: opened.stored
                )
                return (object, piece)
            }
        }
    }
}
