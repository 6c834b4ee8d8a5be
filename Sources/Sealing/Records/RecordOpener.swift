internal import Cryptography
package import HubProtocol
internal import Sync

/// Opens the records of a container's log, and checks who made them. For one thread at a time.
package final class RecordOpener {
    private let container: ContainerName
    private var records: [UInt32: KeyedHasher] = [:]
    private let hasher: SHA256Hasher
    private let cipher: OneTimeCipher
    /// Roots whose signatures were found to be right, with the key; so the signature of many records is checked once.
    private var known: Set<[UInt8]> = []
    private static let knownCountMax = 256

    /// - Parameter keys: All that the device holds.
    /// - Throws: `outOfMemory`.
    package init(_ keys: ContainerKeys) throws(SealingError) {
        container = keys.container
        (hasher, cipher) = try SealingError.calling { () throws(CryptographyError) in
            (try SHA256Hasher(), try OneTimeCipher())
        }
        for key in keys.keys {
            let schedule = try KeySchedule(key, of: container)
            records[key.generation] = try SealingError.calling { () throws(CryptographyError) in
                try KeyedHasher(key: schedule.records)
            }
        }
    }

    /// Opens the record of an entry.
    ///
    /// - Parameters:
    ///   - entry: As the hub gives it; anything may be in it.
    ///   - list: The container's devices as of the entries before it.
    /// - Throws: `versionUnknown`, `generationUnknown`, `damagedOrExchanged`, `malformed`, `signerUnknown`,
    ///   `signerRevoked`, `signatureWrong`, `listBroken`.
    package func open(_ entry: LogRecord, _ list: DeviceList) throws(SealingError) -> OpenRecord {
        let subject = "Entry \(entry.position) of the log"
        guard let id = entry.id.commitID else { throw .malformed(subject, "its identifier is no device's") }
        let bound = RecordFormat.bound(container, entry.item, entry.base, entry.id)
        var reader = ByteReader(try unsealed([UInt8](entry.record), bound, subject), subject)
        let signature = try reader.raw(SigningKey.signatureByteCount)
        let path = try path(&reader)
        let bytes = try reader.raw(reader.remainingCount)
        let body = try RecordCoding.decode(bytes)
        let isAboutDevices = if case .devices = body.contents { true } else { false }
        let item = entry.item.itemID
        guard isAboutDevices == (item == .devices) else {
            throw .malformed(subject, "it says of an item what is not about one")
        }
        let key = try signingKey(id.device, body, list, at: entry.position, subject)
        guard try isSigned(signature, path, bound, bytes, key) else {
            let detail =
                "\(subject) is forged: device \(HexadecimalText.text(of: id.device.bytes)) did not sign it."
            throw SealingError(.signatureWrong, detail)
        }
        return OpenRecord(id, item, on: entry.base, body)
    }

    private func unsealed(
        _ record: [UInt8],
        _ bound: [UInt8],
        _ subject: String
    ) throws(SealingError) -> [UInt8] {
        if let version = record.first, version != RecordFormat.version {
            throw .versionUnknown(version, subject)
        }
        guard (RecordFormat.headByteCount...RecordFormat.byteCountMax).contains(record.count) else {
            throw .damagedOrExchanged(subject)
        }
        let head = Array(record[..<RecordFormat.headByteCount])
        let generation = head[1..<5].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard let hasher = records[generation] else { throw .generationUnknown(generation, subject) }
        let key = try SealingError.calling { () throws(CryptographyError) in
            try RecordFormat.key(Array(head[5...]), hasher)
        }
        let sealed = Array(record[RecordFormat.headByteCount...])
        return try OneTimeSeal.open(sealed, key, head + bound, subject, cipher)
    }

    private func path(_ reader: inout ByteReader) throws(SealingError) -> [HashTree.Step] {
        let count = Int(try reader.integer(UInt8.self))
        guard count <= HashTree.stepCountMax else { throw reader.malformed("\(count) steps to a signature") }
        var path: [HashTree.Step] = []
        for _ in 0..<count {
            let side = try reader.integer(UInt8.self)
            guard side <= 1 else { throw reader.malformed("a side that is neither 0 nor 1") }
            path.append(HashTree.Step(isLeft: side == 0, hash: try reader.raw(32)))
        }
        return path
    }

    /// The key of the device that is said to be the author. The list's first statement brings its own; whether it is the
    /// one that the container's keys were made for is checked when the list takes it.
    private func signingKey(
        _ author: DeviceID,
        _ body: RecordBody,
        _ list: DeviceList,
        at position: LogPosition,
        _ subject: String
    ) throws(SealingError) -> [UInt8] {
        if list.number == 0, case .devices(let statement) = body.contents,
            case .added(let founder) = statement.change, founder.id == author
        {
            return founder.signingKey
        }
        return try list.signingKey(of: author, at: position, subject)
    }

    private func isSigned(
        _ signature: [UInt8],
        _ path: [HashTree.Step],
        _ bound: [UInt8],
        _ body: [UInt8],
        _ key: [UInt8]
    ) throws(SealingError) -> Bool {
        try SealingError.calling { () throws(CryptographyError) in
            let leaf = try RecordFormat.leaf(bound, body, hasher)
            let root = try HashTree.root(from: leaf, path, hasher)
            if known.contains(key + root) { return true }
            let message = RecordFormat.signed(root)
            guard try VerifyingKey(publicBytes: key).isSignature(signature, of: message) else { return false }
            if known.count >= Self.knownCountMax { known.removeAll(keepingCapacity: true) }
            known.insert(key + root)
            return true
        }
    }
}
