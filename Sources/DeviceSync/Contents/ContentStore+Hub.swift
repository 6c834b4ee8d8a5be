internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import LocalSockets
internal import Locks
internal import Sealing
internal import Sync
internal import SyncMessages
internal import Vault

// Contents on their way to the hub and back. What is worked on here and what is on the way are not waited for in turns:
//
//     read, sealed ──▶ sent, sent          asked for ──▶ opened, stored
//
extension ContentStore {
    /// So many bytes of sealed objects are in a request, or are to be in an answer, over a line that does not break.
    private static let requestByteCount = LinePace.byteCounts.upperBound
    static let answerByteCount = LinePace.byteCounts.upperBound
    /// How much room a request takes: it ends with the object that makes it as large as is wanted.
    private static func room(forRequestOf byteCount: Int) -> Int { byteCount + byteCount / 8 }
    /// Contents of so many bytes together are sent without asking whether the hub has any of them: to ask takes as long.
    private static let unaskedByteCountMax: UInt64 = 64 << 10

    /// Contents to be sent.
    struct Upload: Sendable {
        let name: ContentName
        /// Contents that the hub has, and that probably share much with these: what both have is not asked for.
        let base: ContentName?

        init(_ name: ContentName, on base: ContentName? = nil) { (self.name, self.base) = (name, base) }
    }

    /// Sends what the hub does not have of contents, and returns when the hub has all of it durably. In smaller requests where
    /// something on the way takes none that are as large.
    ///
    /// - Parameters:
    ///   - sealer: Asked for each request: who is shut out while much is sent does not have the key of what comes then.
    ///   - told: Told how far contents have come that take several requests; from several threads.
    func upload(
        _ uploads: [Upload],
        to hub: any ContainerHub,
        _ sealer: @autoclosure () throws -> BlobSealer,
        told: @escaping @Sendable (ContentName, ItemSyncState.ObjectCount) -> Void = { _, _ in }
    ) throws {
        while true {
            do { return try uploadAtOnce(uploads, to: hub, { try sealer() }, told: told) } catch let error
                as TooLarge
            {
                guard line.withLock({ $0.noteTooLarge(byteCount: error.byteCount) }) else {
                    throw error.failure
                }
            } catch let failure as LineFailure {
                if !failure.isOfRequest { line.withLock { $0.noteBreak() } }
                throw failure
            }
        }
    }

    /// A request was too large for what stands before the hub.
    private struct TooLarge: Error {
        let byteCount: Int
        let failure: LineFailure
    }

    private func uploadAtOnce(
        _ uploads: [Upload],
        to hub: any ContainerHub,
        _ sealer: () throws -> BlobSealer,
        told: @escaping @Sendable (ContentName, ItemSyncState.ObjectCount) -> Void
    ) throws {
        // What it is called there does not depend on who shares the container.
        let naming = try sealer()
        var progress = UploadProgress()
        var objects: [BlobName: VaultObject] = [:]
        /// - Returns: What belongs to them, in order, and what of it has not been met before.
        func add(_ uploads: [Upload]) throws -> (all: Set<BlobName>, new: [BlobName]) {
            var (blobs, new): (Set<BlobName>, [BlobName]) = ([], [])
            let bases = try uploads.compactMap { try $0.base.map(Self.contents) }
            for object in try vault.objects(of: try uploads.map { try Self.contents($0.name) }, beyond: bases)
            {
                let blob = try naming.address(of: object.name.bytes)
                blobs.insert(blob)
                if objects.updateValue(object, forKey: blob) == nil { new.append(blob) }
            }
            return (blobs, new)
        }
        let byteCounts = try uploads.map { try Self.contents($0.name).byteCount }
        if Self.isMuch(byteCounts) { ProcessMemory.keepLargePieces() }
        let isLarge = byteCounts.map { $0 > Self.requestByteCount }
        // Pieces of a large file one behind the other, so that they are read so, here and at the hub. Many small ones by their
        // names: those of one request are together in the hub's tables.
        var all: [BlobName] = []
        for (upload, isLarge) in zip(uploads, isLarge) where isLarge {
            let (blobs, new) = try add([upload])
            progress.add(upload.name, blobs)
            all += new
        }
        let small = zip(uploads, isLarge).filter { !$1 }.map(\.0)
        // Each beyond what its own item has: only that is sure to be there until it is committed.
        var new = try add(small.filter { $0.base == nil }).new
        for upload in small where upload.base != nil { new += try add([upload]).new }
        all += new.sorted()
        let sending = Locked(progress)
        let note: @Sendable (Set<BlobName>) -> Void = { blobs in
            for news in sending.withLock({ $0.noteStored(blobs) }) { told(news.name, news.objects) }
        }
        try InFlight.run(line.withLock(\.sendingCount)) { requests in
            let most = Self.unaskedByteCountMax
            if all.count <= HubLimits.blobNameCountMax,
                byteCounts.reduce(0, { $0 + min($1, most + 1) }) <= most
            {
                return try store(all.compactMap { objects[$0] }, at: hub, sealer, requests, then: note)
            }
            for start in stride(from: 0, to: all.count, by: HubLimits.blobNameCountMax) {
                let some = Array(all[start..<min(start + HubLimits.blobNameCountMax, all.count)])
                let missing = try hub.missing(some)
                note(Set(some).subtracting(missing))
                try store(missing.compactMap { objects[$0] }, at: hub, sealer, requests, then: note)
            }
        }
    }

    /// Sends objects, some of them while others are read and sealed.
    ///
    /// - Parameter objects: `HubLimits.blobNameCountMax` at most, so that no request has more.
    private func store(
        _ objects: [VaultObject],
        at hub: any ContainerHub,
        _ sealer: () throws -> BlobSealer,
        _ requests: InFlight,
        then note: @escaping @Sendable (Set<BlobName>) -> Void
    ) throws {
        let frames = BlobFrameWriter()
        var gathered: Set<BlobName> = []
        // Of each request anew: what becomes of those before tells.
        var byteCount = line.withLock(\.requestByteCount)
        func send() throws {
            let (body, blobs) = (frames.take(), gathered)
            gathered = []
            try requests.begin { [line] in
                let begun = ContinuousClock.now
                do { try hub.store(body) } catch let failure as LineFailure where failure.status == 413 {
                    throw TooLarge(byteCount: body.count, failure: failure)
                }
                line.withLock { $0.noteSent(after: .now - begun) }
                note(blobs)
            }
            byteCount = line.withLock(\.requestByteCount)
        }
        var current = try sealer()
        try vault.withStored(objects) { object, piece in
            if frames.isEmpty { current = try sealer() }
            let blob = try current.address(of: object.name.bytes)
            // Room for a whole request at once, if there is more to come than this.
            if frames.isEmpty, objects.count > 1 { frames.reserve(Self.room(forRequestOf: byteCount)) }
            try current.appendFrame(blob, of: piece, object, to: frames)
            gathered.insert(blob)
            if frames.byteCount >= byteCount { try send() }
        }
        if !frames.isEmpty { try send() }
    }

    /// How many bytes each of some contents have that the hub does not. It is asked about as many at once as it takes.
    ///
    /// - Returns: Nothing of those that the vault does not have whole: to send them tells what is to be done about that.
    func lackingByteCounts(
        of uploads: [Upload],
        at hub: any ContainerHub,
        _ sealer: BlobSealer
    ) throws -> [ContentName: Int] {
        var lacking: [ContentName: Int] = [:]
        var asked: [(upload: Int, address: BlobName, object: VaultObject)] = []
        var damaged: Set<Int> = []
        func unlessDamaged(_ upload: Int, _ body: () throws -> Void) throws {
            do { try body() } catch let error as VaultError where error.code == .damaged {
                damaged.insert(upload)
            }
        }
        func ask() throws {
            let missing = asked.isEmpty ? [] : Set(try hub.missing(Array(Set(asked.map(\.address)))))
            for (upload, some) in Dictionary(grouping: asked, by: \.upload) {
                let objects = some.filter { missing.contains($0.address) }.map(\.object)
                try unlessDamaged(upload) {
                    lacking[uploads[upload].name, default: 0] += try vault.storedByteCount(of: objects)
                }
            }
            asked = []
        }
        for (index, upload) in uploads.enumerated() {
            try unlessDamaged(index) {
                let base = try upload.base.map(Self.contents)
                let objects = try vault.objects(
                    of: [try Self.contents(upload.name)],
                    beyond: [base].compactMap { $0 }
                )
                lacking[upload.name] = 0
                for object in objects {
                    asked.append((index, try sealer.address(of: object.name.bytes), object))
                    if asked.count == HubLimits.blobNameCountMax { try ask() }
                }
            }
        }
        try ask()
        for index in damaged { lacking[uploads[index].name] = nil }
        return lacking
    }

    /// Gets contents that are not here, and returns when all of them are here durably.
    ///
    /// - Parameters:
    ///   - others: What else was wanted just now: what the hub gives may be of that.
    ///   - noRoom: Told how much room there was for them, in bytes, where that was too little.
    ///   - progress: Told how much has come, again and again.
    /// - Throws: `FalseBlob` when the hub gives something else, or nothing; what the hub or the vault throws.
    func fetch(
        _ wanted: [(name: ContentName, item: ItemID)],
        beside others: [ContentName] = [],
        from hub: any ContainerHub,
        _ opener: BlobSealer,
        noRoom: (Int) -> Void = { _ in },
        progress: (Arrival) -> Void = { _ in }
    ) throws {
        guard !wanted.isEmpty else { return }
        // What is here already, in another document say, is to stay for these when it leaves that: nothing is asked for then, but
        // each gets a version of its own.
        let documents = try wanted.map { (contents: try Self.contents($0.name), item: $0.item.mark) }
        if Self.isMuch(documents.map(\.contents.byteCount)) { ProcessMemory.keepLargePieces() }
        var arrival = Arrival()
        let roots = try others.compactMap { Vault.root(of: try Self.contents($0)) }
        let pace = AnswerPace(
            answerByteCount: Self.answerByteCount,
            ofDocuments: documents.map(\.contents.byteCount)
        )
        let requests = ObjectRequests(to: hub, opener, pace: pace, line: line, others: roots) {
            formerObjects(of: wanted.map(\.item))
        }
        try vault.receive(documents, origin: { _ in origin("") }, noRoom: noRoom) { wanted, room, show in
            try requests.next(of: wanted, room: room, show) { byteCount, objectCount in
                let left = wanted.count - objectCount
                arrival.note(byteCount: byteCount, objectCount: objectCount, left: left)
                progress(arrival)
            }
        }
    }
}

extension ContentStore {
    /// Whether contents of so many bytes each fill about half a request, or an answer.
    private static func isMuch(_ byteCounts: [UInt64]) -> Bool {
        let much = UInt64(min(requestByteCount, answerByteCount)) / 2
        return byteCounts.reduce(0) { $0 + min(much, $1) } >= much
    }

    /// The objects of all that items were before, as far as that is here: to say what else something is.
    private func formerObjects(of items: [ItemID]) -> [VaultObject] {
        items.flatMap { item -> [VaultObject] in
            let versions = (try? vault.versions(of: item.mark)) ?? []
            return versions.flatMap { version -> [VaultObject] in
                // One that is not whole any more says nothing.
                guard let contents = try? version.contents() else { return [] }
                return (try? vault.objects(of: [contents])) ?? []
            }
        }
    }
}

extension BlobSealer {
    /// Seals an object as it is stored behind others that are to be sent.
    fileprivate func appendFrame(
        _ blob: BlobName,
        of piece: ShownObject,
        _ object: VaultObject,
        to frames: BlobFrameWriter
    ) throws {
        try frames.append(blob, byteCount: piece.bytes.count + BlobFormat.overheadByteCount) { sealed in
            try object.name.bytes.withUnsafeBytes { name in
                try seal(
                    piece.bytes,
                    piece.isPressed ? .zstd : .plain,
                    plainByteCount: piece.plainByteCount,
                    kind: object.kind.rawValue,
                    name: name,
                    into: sealed
                )
            }
        }
    }
}
