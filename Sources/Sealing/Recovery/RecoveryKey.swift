package import Cryptography

/// What a person writes on paper, so that a container can be opened when all devices are lost.
package struct RecoveryKey: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 32
    /// How many groups of five signs it is written in.
    package static let groupCount = 13
    package static let signCount = groupCount * GroupCode.groupSignCount
    /// What the devices of a container see that it is called.
    package static let deviceName = "recovery key"

    let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "a recovery key of \(bytes.count) bytes")
        self.bytes = bytes
    }

    /// A new one.
    package init(random: RandomSource) throws(SealingError) {
        self.init(
            bytes: try SealingError.calling { () throws(CryptographyError) in try random(Self.byteCount) }
        )
    }

    /// As it is written on paper: groups with dashes between.
    package func groups() throws(SealingError) -> [String] {
        GroupCode.groups(of: GroupCode.numbers(of: bytes, filling: try check()))
    }

    /// Reads what was typed in; case, spaces and dashes do not matter, and O, I and L are read as 0, 1 and 1.
    ///
    /// - Throws: `RecoveryKeyMistyped`, with the groups that are wrong.
    package init(typed text: String) throws {
        let groups = GroupCode.cut(text)
        let found = groups.prefix(Self.groupCount).enumerated().map { GroupCode.numbers(of: $1, at: $0) }
        let wrong = (0..<Self.groupCount).filter { $0 >= found.count || found[$0] == nil }
        guard wrong.isEmpty, groups.count == Self.groupCount else {
            throw RecoveryKeyMistyped(groups: wrong.map { $0 + 1 }, typedGroupCount: groups.count)
        }
        let (bytes, filling) = GroupCode.bytes(
            of: found.compactMap { $0 }.flatMap { $0 },
            count: Self.byteCount
        )
        self.init(bytes: bytes)
        guard try check() == filling else {
            throw RecoveryKeyMistyped(groups: [], typedGroupCount: groups.count)
        }
    }

    /// Four bits that all groups together have to give.
    private func check() throws(SealingError) -> UInt8 {
        try derived("recovery check", byteCount: 1)[0] & 15
    }

    func derived(_ purpose: String, byteCount: Int = 32) throws(SealingError) -> [UInt8] {
        try SealingError.calling { () throws(CryptographyError) in
            let derivation = try KeyDerivation(secret: bytes, salt: Array("sheaf recovery 1".utf8))
            return try derivation.key(for: purpose, byteCount: byteCount)
        }
    }

    /// The device that the paper is: it is added to a container's list as any other, is sealed all later keys, and
    /// with the paper at hand it can add a new device.
    package func identity() throws(SealingError) -> DeviceIdentity {
        let (seed, secret) = (try derived("signing"), try derived("agreement"))
        let (signing, agreement) = try SealingError.calling { () throws(CryptographyError) in
            (try SigningKey(seed: seed), try AgreementKey(privateBytes: secret))
        }
        return try DeviceIdentity(signing: signing, agreement: agreement)
    }

    /// Without the key, which is to be in no log.
    package var description: String { "a recovery key" }
}

/// A recovery key was not typed as it stands on the paper.
package struct RecoveryKeyMistyped: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which groups are wrong or missing, from 1; empty when each by itself could be right.
    package let groups: [Int]
    package let typedGroupCount: Int

    package var description: String {
        // Where what was typed is right, and ends too early, no group is to be looked at.
        if let first = groups.first, first <= typedGroupCount {
            let list = groups.map(String.init).joined(separator: ", ")
            return groups.count == 1
                ? "Look at group \(list) once more: it is not as on the paper."
                : "Look at groups \(list) once more: they are not as on the paper."
        }
        return typedGroupCount == RecoveryKey.groupCount
            ? "Two or more groups are not as on the paper. Compare all of them."
            : "\(typedGroupCount) groups were typed; the paper has \(RecoveryKey.groupCount)."
    }
}
