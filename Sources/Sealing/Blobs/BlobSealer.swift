internal import Cryptography
package import HubProtocol

/// Seals what a vault keeps, for the hub, and opens it again. For one thread at a time: each has its own.
///
/// A blob's key is made of the container's key, of the blob's kind and name, and of what tells its stored bytes apart.
/// So the same piece is sealed to the same bytes on every device, no key ever seals two messages, and a blob is opened
/// only as the one that was asked for.
package final class BlobSealer {
    private let keys: BlobKeys
    private let cipher: OneTimeCipher
    private let generation: UInt32

    /// For a device that seals and opens.
    ///
    /// - Parameters:
    ///   - keys: All that the device holds; each opens.
    ///   - list: The container's devices, which says under which of the keys is sealed.
    /// - Throws: `generationUnknown`, `keyExchanged`, `outOfMemory`.
    package convenience init(_ keys: ContainerKeys, _ list: DeviceList) throws(SealingError) {
        try self.init(keys, sealingUnder: try list.sealingKey(of: keys).generation)
    }

    /// For a device that opens only, or has read the log so far that its newest key is the one that was announced last.
    ///
    /// - Throws: `outOfMemory`.
    package convenience init(_ keys: ContainerKeys) throws(SealingError) {
        try self.init(keys, sealingUnder: keys.newest.generation)
    }

    /// - Parameters:
    ///   - keys: All that the device holds; each opens.
    ///   - generation: The one that seals. Must be among them.
    /// - Throws: `outOfMemory`.
    package init(_ keys: ContainerKeys, sealingUnder generation: UInt32) throws(SealingError) {
        precondition(keys[generation] != nil, "key \(generation) seals, and is not there")
        self.keys = try BlobKeys(keys)
        cipher = try SealingError.calling { () throws(CryptographyError) in try OneTimeCipher() }
        self.generation = generation
    }

    /// What the hub calls a blob: as random to it as any other, the same on all devices and under all keys.
    ///
    /// - Parameter name: The vault's, 32 bytes.
    package func address(of name: [UInt8]) throws(SealingError) -> BlobName {
        precondition(name.count == BlobFormat.nameByteCount, "a name of \(name.count) bytes")
        var address = [UInt8](repeating: 0, count: BlobName.byteCount)
        let outcome = name.withUnsafeBytes { name in
            address.withUnsafeMutableBytes { address in
                Result { () throws(CryptographyError) in try keys.address(of: name, into: address) }
            }
        }
        do { try outcome.get() } catch { throw SealingError(error) }
        return BlobName(unchecked: address)
    }

    /// Seals a blob.
    ///
    /// - Parameters:
    ///   - stored: Its bytes, pressed together or not; 16 MiB at most. They stay as they are.
    ///   - kind: The vault's kind of object.
    ///   - name: The vault's name for kind and plain bytes, 32 bytes. Other bytes may not have the same.
    ///   - sealed: Gets `BlobFormat.overheadByteCount` more bytes than are stored: exactly as many. May not overlap them.
    /// - Throws: `beyondLimit`, `outOfMemory`.
    package func seal(
        _ stored: UnsafeRawBufferPointer,
        _ encoding: BlobContents.Encoding,
        plainByteCount: Int,
        kind: UInt8,
        name: UnsafeRawBufferPointer,
        into sealed: UnsafeMutableRawBufferPointer
    ) throws(SealingError) {
        guard max(stored.count, plainByteCount) <= BlobFormat.byteCountMax else {
            throw .beyondLimit("bytes of a blob", BlobFormat.byteCountMax)
        }
        precondition(
            encoding != .plain || stored.count == plainByteCount,
            "plain bytes are stored as they are"
        )
        precondition(name.count == BlobFormat.nameByteCount, "a name of \(name.count) bytes")
        precondition(sealed.count == stored.count + BlobFormat.overheadByteCount, "room for \(sealed.count)")
        let head = UnsafeMutableRawBufferPointer(rebasing: sealed[..<BlobFormat.headByteCount])
        head[0] = BlobFormat.version
        head.storeBytes(of: generation.bigEndian, toByteOffset: 1, as: UInt32.self)
        let salt = UnsafeMutableRawBufferPointer(rebasing: head[5...])
        var inner: (UInt8, UInt8, UInt8, UInt8, UInt8) = (encoding.rawValue, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &inner) {
            $0.storeBytes(of: UInt32(plainByteCount).bigEndian, toByteOffset: 1, as: UInt32.self)
        }
        do {
            try keys.salt(of: name, encoding, stored, into: salt)
            try Self.withKey { (key) throws(CryptographyError) in
                let isKnown = try keys.key(generation, kind, name, UnsafeRawBufferPointer(salt), into: key)
                precondition(isKnown, "the key that seals is known")
                try withUnsafeBytes(of: &inner) { (inner) throws(CryptographyError) in
                    try cipher.seal(
                        inner,
                        stored,
                        key: UnsafeRawBufferPointer(key),
                        bound: UnsafeRawBufferPointer(head),
                        into: UnsafeMutableRawBufferPointer(rebasing: sealed[BlobFormat.headByteCount...])
                    )
                }
            }
        } catch { throw SealingError(error) }
    }

    /// Opens a blob.
    ///
    /// - Parameters:
    ///   - sealed: What the hub gave; anything may be in it.
    ///   - kind: That of the blob that is wanted.
    ///   - name: The vault's name of the blob that is wanted, 32 bytes.
    ///   - stored: Gets the stored bytes: exactly as many as `storedByteCount(in:)` says. Of no
    ///     meaning after an error.
    /// - Throws: `versionUnknown`, `generationUnknown`, `damagedOrExchanged`, `outOfMemory`.
    package func open(
        _ sealed: UnsafeRawBufferPointer,
        kind: UInt8,
        name: UnsafeRawBufferPointer,
        into stored: UnsafeMutableRawBufferPointer
    ) throws(SealingError) -> BlobContents {
        precondition(name.count == BlobFormat.nameByteCount, "a name of \(name.count) bytes")
        let byteCount = try Self.storedByteCount(in: sealed)
        precondition(stored.count == byteCount, "room for \(stored.count) bytes, not \(byteCount)")
        let generation = UInt32(bigEndian: sealed.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
        let head = UnsafeRawBufferPointer(rebasing: sealed[..<BlobFormat.headByteCount])
        let rest = UnsafeRawBufferPointer(rebasing: sealed[BlobFormat.headByteCount...])
        let salt = UnsafeRawBufferPointer(rebasing: head[5...])
        var inner: (UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0)
        var (isKnown, isWhole) = (false, false)
        do {
            try Self.withKey { (key) throws(CryptographyError) in
                isKnown = try keys.key(generation, kind, name, salt, into: key)
                guard isKnown else { return }
                try withUnsafeMutableBytes(of: &inner) { (inner) throws(CryptographyError) in
                    isWhole = try cipher.open(
                        rest,
                        key: UnsafeRawBufferPointer(key),
                        bound: head,
                        into: inner,
                        stored
                    )
                }
            }
        } catch { throw SealingError(error) }
        guard isKnown else { throw .generationUnknown(generation, Self.subject(name)) }
        guard isWhole else { throw .damagedOrExchanged(Self.subject(name)) }
        return try contents(inner, byteCount, name)
    }

    /// How many bytes are stored in what should be a sealed blob.
    ///
    /// - Throws: `versionUnknown`; `damagedOrExchanged` for what cannot be one.
    package static func storedByteCount(in sealed: UnsafeRawBufferPointer) throws(SealingError) -> Int {
        let range = BlobFormat.overheadByteCount...BlobFormat.overheadByteCount + BlobFormat.byteCountMax
        if let version = sealed.first, version != BlobFormat.version {
            throw .versionUnknown(version, "A sealed blob")
        }
        guard range.contains(sealed.count) else {
            throw .damagedOrExchanged("A sealed blob of \(sealed.count) bytes")
        }
        return sealed.count - BlobFormat.overheadByteCount
    }

    private func contents(
        _ inner: (UInt8, UInt8, UInt8, UInt8, UInt8),
        _ byteCount: Int,
        _ name: UnsafeRawBufferPointer
    ) throws(SealingError) -> BlobContents {
        let plainByteCount = [inner.1, inner.2, inner.3, inner.4].reduce(0) { $0 << 8 | Int($1) }
        guard let encoding = BlobContents.Encoding(rawValue: inner.0) else {
            throw .versionUnknown(inner.0, "The encoding of \(Self.subject(name))")
        }
        let fits =
            encoding == .plain ? plainByteCount == byteCount : plainByteCount <= BlobFormat.byteCountMax
        guard fits else { throw .malformed(Self.subject(name), "\(plainByteCount) bytes in \(byteCount)") }
        return BlobContents(encoding, plainByteCount: plainByteCount, storedByteCount: byteCount)
    }

    private static func subject(_ name: UnsafeRawBufferPointer) -> String {
        "Blob \(HexadecimalText.text(of: Array(name.prefix(6))))…"
    }

    /// Room for a key, wiped afterwards.
    private static func withKey(
        _ body: (UnsafeMutableRawBufferPointer) throws(CryptographyError) -> Void
    ) throws(CryptographyError) {
        var key = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        try withUnsafeMutableBytes(of: &key) { (key) throws(CryptographyError) in
            defer { key.initializeMemory(as: UInt8.self, repeating: 0) }
            try body(key)
        }
    }
}

extension BlobSealer {
    /// Seals a blob, as bytes.
    package func seal(
        _ stored: [UInt8],
        _ encoding: BlobContents.Encoding = .plain,
        plainByteCount: Int? = nil,
        kind: UInt8,
        name: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: stored.count + BlobFormat.overheadByteCount)
        let outcome = stored.withUnsafeBytes { stored in
            name.withUnsafeBytes { name in
                sealed.withUnsafeMutableBytes { sealed in
                    Result { () throws(SealingError) in
                        try seal(
                            stored,
                            encoding,
                            plainByteCount: plainByteCount ?? stored.count,
                            kind: kind,
                            name: name,
                            into: sealed
                        )
                    }
                }
            }
        }
        try outcome.get()
        return sealed
    }

    /// Opens a blob, as bytes.
    package func open(
        _ sealed: UnsafeRawBufferPointer,
        kind: UInt8,
        name: [UInt8]
    ) throws(SealingError) -> (contents: BlobContents, stored: [UInt8]) {
        let byteCount = try Self.storedByteCount(in: sealed)
        var outcome: Result<BlobContents, SealingError>?
        let stored = [UInt8](unsafeUninitializedCapacity: byteCount) { stored, filledCount in
            outcome = name.withUnsafeBytes { name in
                Result { () throws(SealingError) in
                    try open(
                        sealed,
                        kind: kind,
                        name: name,
                        into: UnsafeMutableRawBufferPointer(
                            rebasing: UnsafeMutableRawBufferPointer(stored)[..<byteCount]
                        )
                    )
                }
            }
            if case .success = outcome { filledCount = byteCount }
        }
        guard let outcome else { preconditionFailure("an array is filled once") }
        return (try outcome.get(), stored)
    }

    /// Opens a blob, as bytes.
    package func open(
        _ sealed: [UInt8],
        kind: UInt8,
        name: [UInt8]
    ) throws(SealingError) -> (contents: BlobContents, stored: [UInt8]) {
        let outcome = sealed.withUnsafeBytes { sealed in
            Result { () throws(SealingError) in try open(sealed, kind: kind, name: name) }
        }
        return try outcome.get()
    }
}
