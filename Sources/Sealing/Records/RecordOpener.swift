internal import Cryptography
package import HubProtocol
internal import Sync

/// Opens the records of a container's log, and checks who made them. For one thread at a time.
package final class RecordOpener {
    private let container: ContainerName
    private var records: [UInt32: KeyedHasher] = [:]
    private let hasher: SHA256Hasher
    private let cipher: OneTimeCipher
    private var signed = SignedNodes()

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
        var reader = ByteReader(try unsealed([UInt8](entry.record), bound, list, subject), subject)
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
        _ list: DeviceList,
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
        // Nobody seals under a key before it has been announced.
        guard generation <= list.generation else { throw .damagedOrExchanged(subject) }
        guard let hasher = records[generation] else { throw .generationUnknown(generation, subject) }
        let key = try SealingError.calling { () throws(CryptographyError) in
            try RecordFormat.key(Array(head[5...]), hasher)
        }
        let sealed = Array(record[RecordFormat.headByteCount...])
        return try OneTimeSeal.open(sealed, key, head + bound, subject, cipher)
    }

    private func path(_ reader: inout ByteReader) throws(SealingError) -> HashTree.Path {
        let count = Int(try reader.integer(UInt8.self))
        guard let path = HashTree.Path(try reader.raw(count * HashTree.Path.stepByteCount)) else {
            throw reader.malformed("its way to a signature is none")
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
        _ path: HashTree.Path,
        _ bound: [UInt8],
        _ body: [UInt8],
        _ key: [UInt8]
    ) throws(SealingError) -> Bool {
        try SealingError.calling { () throws(CryptographyError) in
            let leaf = try RecordFormat.leaf(bound, body, hasher)
            return try signed.contains(leaf, path, by: key, hasher) { (root) throws(CryptographyError) in
                try VerifyingKey(publicBytes: key)
                    .isSignature(signature, of: RecordFormat.signed(root))
            }
        }
    }
}
