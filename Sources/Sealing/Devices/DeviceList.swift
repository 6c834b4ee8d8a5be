internal import Cryptography
package import HubProtocol
package import Sync

/// Who shares a container, and since when: all statements, in the order in which the container's log has them.
///
/// 1. The first statement is the one that the container's keys were made for, in which a device adds itself.
/// 2. Each other one names the one before it, and is signed by a device that shares the container then.
/// 3. A device that was revoked stays so: its identifier, and its keys, do not come back.
package struct DeviceList: Hashable, Sendable {
    /// The most devices that a container has ever had.
    package static let deviceCountMax = 1000
    /// How much newer an announced key may be than the one before. Mostly it is the next one; nobody has more keys than these.
    package static let generationStepMax = UInt32(ContainerKeys.generationCountMax)

    /// How many keys that nobody has announced a device holds at most for another one's word.
    static let strangeKeyCountMax = ContainerKeys.generationCountMax / 2

    /// What is known of one device.
    package struct Member: Hashable, Sendable {
        package let identity: PublicIdentity
        /// Who said so; itself of the first.
        package let addedBy: DeviceID
        /// Where in the container's log that stands.
        package let addedAt: LogPosition
        package fileprivate(set) var revokedBy: DeviceID?
        package fileprivate(set) var revokedAt: LogPosition?

        package var isRevoked: Bool { revokedAt != nil }
    }

    /// A statement, and where in the container's log it stands.
    package struct Entry: Hashable, Sendable {
        package let statement: DeviceStatement
        package let position: LogPosition
    }

    package let container: ContainerName
    package let anchor: DeviceListHash
    /// What the list has to come by; nil for any.
    private let expected: DeviceListMark?
    /// All that was said, in order.
    package private(set) var entries: [Entry] = []
    package private(set) var members: [DeviceID: Member] = [:]
    /// The last statement: 0 and zeros before the first.
    package private(set) var number: UInt32 = 0
    package private(set) var hash = DeviceListHash.none
    /// Of the key that seals at least; nothing new is sealed under one before it.
    package private(set) var generation: UInt32 = 1
    /// What tells that a key is the one of that generation; nil for the first.
    package private(set) var keyCheck: [UInt8]?

    /// A list before its first statement.
    ///
    /// - Parameter expected: What has been read of it by the device that has let this one in. Another list does not get that far,
    ///   and until this one has, no keys are taken by its word.
    package init(
        of container: ContainerName,
        anchor: DeviceListHash,
        expecting expected: DeviceListMark? = nil
    ) {
        (self.container, self.anchor, self.expected) = (container, anchor, expected)
    }

    /// A list before its first statement.
    package init(for keys: ContainerKeys, expecting expected: DeviceListMark? = nil) {
        self.init(of: keys.container, anchor: keys.anchor, expecting: expected)
    }

    /// How far it has been read.
    package var mark: DeviceListMark { DeviceListMark(number: number, hash: hash) }

    /// Whether it has come as far as it has to.
    package var isAsExpected: Bool { expected.map { number >= $0.number } ?? true }

    /// The devices that share the container now, by identifier.
    package var present: [PublicIdentity] {
        members.values.filter { !$0.isRevoked }.map(\.identity).sorted { $0.id < $1.id }
    }

    /// Takes the next statement.
    ///
    /// - Parameter position: Where in the container's log it stands.
    /// - Throws: `listBroken`, `signerUnknown`, `signerRevoked`, `signatureWrong`, `beyondLimit`. The list is as it was.
    package mutating func apply(
        _ statement: DeviceStatement,
        at position: LogPosition
    ) throws(SealingError) {
        guard statement.container == container else { throw broken("is about another container", statement) }
        guard statement.number == number + 1, statement.previous == hash else {
            throw broken("does not follow statement \(number)", statement)
        }
        let statementHash = try statement.hash()
        guard number > 0 || statementHash == anchor else {
            throw broken("is not the one that the container's keys were made for", statement)
        }
        if let expected, expected.number == statement.number, expected.hash != statementHash {
            throw broken("is another than the device has read that let this one in", statement)
        }
        let key = try signingKey(ofAuthorOf: statement)
        guard try statement.isSigned(by: key) else {
            throw SealingError(.signatureWrong, "Statement \(statement.number) about devices is forged.")
        }
        try apply(statement.change, by: statement.author, at: position, statement)
        (number, hash) = (statement.number, statementHash)
        entries.append(Entry(statement: statement, position: position))
    }

    /// The list as it was when the log had been read up to a position.
    package func asOf(_ position: LogPosition) throws(SealingError) -> DeviceList {
        var list = DeviceList(of: container, anchor: anchor)
        for entry in entries where entry.position <= position {
            try list.apply(entry.statement, at: entry.position)
        }
        return list
    }

    private func signingKey(ofAuthorOf statement: DeviceStatement) throws(SealingError) -> [UInt8] {
        if number == 0 {
            guard case .added(let founder) = statement.change, founder.id == statement.author else {
                throw broken("does not add its own author", statement)
            }
            return founder.signingKey
        }
        return try signingKey(of: statement.author, at: .max, "Statement \(statement.number) about devices")
    }

    private mutating func apply(
        _ change: DeviceStatement.Change,
        by author: DeviceID,
        at position: LogPosition,
        _ statement: DeviceStatement
    ) throws(SealingError) {
        switch change {
        case .added(let device):
            guard members[device.id] == nil else { throw broken("adds a device again", statement) }
            try checkCount()
            members[device.id] = Member(identity: device, addedBy: author, addedAt: position)
        case .revoked(let device, let generation, let keyCheck):
            guard let member = members[device], !member.isRevoked else {
                throw broken("revokes a device that is not there", statement)
            }
            guard generation > self.generation else { throw broken("goes back to an old key", statement) }
            // Who could announce the last that there is would have nobody be shut out any more.
            guard generation - self.generation <= Self.generationStepMax else {
                throw broken("skips more keys than a container has", statement)
            }
            guard present.count > 1 else { throw broken("revokes the last device", statement) }
            members[device]?.revokedBy = author
            members[device]?.revokedAt = position
            (self.generation, self.keyCheck) = (generation, keyCheck)
        }
    }

    /// The key that a device signs with.
    ///
    /// - Parameters:
    ///   - position: Where in the log what it signed stands: a device that was revoked before signs nothing.
    ///   - subject: What it signed, for errors.
    /// - Throws: `signerUnknown`, `signerRevoked`.
    func signingKey(
        of device: DeviceID,
        at position: LogPosition,
        _ subject: String
    ) throws(SealingError) -> [UInt8] {
        let name = HexadecimalText.text(of: device.bytes)
        guard let member = members[device] else {
            throw SealingError(
                .signerUnknown,
                "\(subject) is of device \(name), which shares no container here."
            )
        }
        if let revokedAt = member.revokedAt, position > revokedAt {
            throw SealingError(
                .signerRevoked,
                "\(subject) is of “\(member.identity.name)”, which was shut out. Pair it again to take it back."
            )
        }
        return member.identity.signingKey
    }

    private func broken(_ what: String, _ statement: DeviceStatement) -> SealingError {
        SealingError(.listBroken, "Statement \(statement.number) about devices \(what).")
    }
}

extension DeviceList {
    private var last: (number: UInt32, hash: DeviceListHash)? { number == 0 ? nil : (number, hash) }

    /// The statement that adds a device, to be committed to the log. It counts once it stands there.
    ///
    /// - Throws: `beyondLimit` where nobody could read it.
    package func adding(
        _ device: PublicIdentity,
        by author: DeviceIdentity
    ) throws(SealingError) -> DeviceStatement {
        try checkCount()
        return try DeviceStatement(.added(device), in: container, after: last, by: author)
    }

    private func checkCount() throws(SealingError) {
        guard members.count < Self.deviceCountMax else {
            throw .beyondLimit("devices of a container", Self.deviceCountMax)
        }
    }

    /// The statement that shuts a device out, to be committed to the log.
    ///
    /// Once it stands there, the new key is sealed for all that remain (`WrappedKeys`), and nothing more is sealed under an
    /// older one.
    ///
    /// - Parameter next: The key that is to seal from then on, as `ContainerKeys.nextKey` makes it.
    package func revoking(
        _ device: DeviceID,
        next: ContainerKey,
        _ keys: ContainerKeys,
        by author: DeviceIdentity
    ) throws(SealingError) -> DeviceStatement {
        let change = DeviceStatement.Change.revoked(
            device,
            generation: next.generation,
            keyCheck: try keys.check(of: next)
        )
        return try DeviceStatement(change, in: container, after: last, by: author)
    }

    /// What a device holds once it has taken what was sealed for it: the keys that have been announced, each as it was, and those
    /// before the last of them, which a hub may have forgotten. None after that: somebody may have meant another one and not got round
    /// to announcing it. Of keys that nobody has announced no more are taken than leave others room: who shares the
    /// container could make up as many as there can be, and nobody be shut out any more.
    ///
    /// - Parameters:
    ///   - sent: What was sealed for it.
    ///   - keys: What it holds.
    /// - Returns: Nil when nothing that it lacks is in it, or another key than the one that was announced last.
    /// - Throws: `keyExchanged` for keys of another container; `beyondLimit`, `outOfMemory`.
    package func taking(
        _ sent: ContainerKeys,
        into keys: ContainerKeys
    ) throws(SealingError) -> ContainerKeys? {
        guard isAsExpected else { return nil }
        let checks = keyChecks
        func isAnnounced(_ key: ContainerKey) -> Bool { key.generation == 1 || checks[key.generation] != nil }
        let before = sent.keys.filter { $0.generation <= generation }
        let strange = Set((keys.keys + before).filter { !isAnnounced($0) }.map(\.generation))
        let takesStrange = strange.count <= Self.strangeKeyCountMax
        var taken: [ContainerKey] = []
        for key in before {
            if let check = checks[key.generation] {
                if RandomBytes.areEqual(try keys.check(of: key), check) { taken.append(key) }
            } else if isAnnounced(key) || takesStrange {
                taken.append(key)
            }
        }
        guard !taken.isEmpty else { return nil }
        var merged = keys
        try merged.merge(
            ContainerKeys(
                container: sent.container,
                namingKey: sent.namingKey,
                anchor: sent.anchor,
                keys: taken
            )
        )
        guard merged != keys else { return nil }
        do { _ = try sealingKey(of: merged) } catch {
            guard error.code != .outOfMemory else { throw error }
            return nil
        }
        return merged
    }

    /// What tells of each key that was announced that it is the one.
    private var keyChecks: [UInt32: [UInt8]] {
        var checks: [UInt32: [UInt8]] = [:]
        for case .revoked(_, let generation, let check) in entries.map(\.statement.change) {
            checks[generation] = check
        }
        return checks
    }

    /// The key of a device's that seals what is new: the one that was announced last, whether or not the device holds
    /// another already that is to be announced.
    ///
    /// - Throws: `generationUnknown` while it has not come; `keyExchanged` when another came in its place.
    package func sealingKey(of keys: ContainerKeys) throws(SealingError) -> ContainerKey {
        guard let key = keys[generation] else {
            throw .generationUnknown(generation, "What is new in the container")
        }
        if let keyCheck, !RandomBytes.areEqual(try keys.check(of: key), keyCheck) {
            let detail = "Key \(generation) is not the one that was announced. Fetch the keys anew."
            throw SealingError(.keyExchanged, detail)
        }
        return key
    }
}
