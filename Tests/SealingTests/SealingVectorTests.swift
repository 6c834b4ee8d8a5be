import Cryptography
import Foundation
import HubProtocol
import Sync
import Testing

@testable import Sealing

/// What another program made by Docs/formats/sealing.md alone (Tests/Fixtures/sealing/vectors.py): we open it, and make the
/// same bytes.
@Suite("Sealing: test vectors")
struct SealingVectorTests {
    private struct Vectors: Decodable {
        struct Device: Decodable {
            var encoded, id: String
        }
        struct Blob: Decodable {
            var kind, encoding: UInt8
            var plainByteCount: Int
            var stored, name, address, sealed: String
        }
        struct Entry: Decodable {
            var position, base: UInt64
            var item, id, body, record, hash: String
        }
        struct Wrapping: Decodable {
            var ephemeral, wrapped: String
        }
        struct Recovery: Decodable {
            var key, salt, kit, identity: String
            var groups: [String]
        }
        struct Pairing: Decodable {
            var code, secret: String
            var first, second, phrase, messages: [String]
        }
        var container, founding, adding, revoking, anchor, keys: String
        var phone, pad: Device
        var checks, recordSalts: [String]
        var blobs: [Blob]
        var log: [Entry]
        var wrapping: Wrapping
        var recovery: Recovery
        var pairing: Pairing
    }

    private let vectors: Vectors
    private let phone, pad: DeviceIdentity
    private let keys: ContainerKeys

    init() throws {
        let url = try #require(Bundle.module.url(forResource: "vectors", withExtension: "json"))
        vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url))
        phone = try DeviceIdentity(encoded: bytes(vectors.phone.encoded))
        pad = try DeviceIdentity(encoded: bytes(vectors.pad.encoded))
        keys = try ContainerKeys(encoded: bytes(vectors.keys))
    }

    @Test("Devices and their statements")
    func devices() throws {
        #expect(phone.id.bytes == bytes(vectors.phone.id) && pad.id.bytes == bytes(vectors.pad.id))
        let founding = try DeviceStatement.founding(keys.container, by: phone, named: "phone")
        #expect(founding.encoded == bytes(vectors.founding))
        #expect(try founding.hash().bytes == bytes(vectors.anchor))
        var list = DeviceList(for: keys)
        try list.apply(founding, at: 1)
        let adding = try list.adding(pad.publicIdentity(named: "Pad 📒"), by: phone)
        #expect(adding.encoded == bytes(vectors.adding))
        try list.apply(adding, at: 2)
        let revoking = try list.revoking(pad.id, next: keys.newest, keys, by: phone)
        #expect(revoking.encoded == bytes(vectors.revoking))
        try list.apply(DeviceStatement(encoded: bytes(vectors.revoking)), at: 3)
    }

    @Test("Keys, and what tells them apart")
    func schedule() throws {
        #expect(keys.encoded == bytes(vectors.keys))
        #expect(keys.container.bytes == bytes(vectors.container))
        #expect(try keys.check(of: keys.keys[0]) == bytes(vectors.checks[0]))
        #expect(try keys.check(of: keys.keys[1]) == bytes(vectors.checks[1]))
    }

    @Test("Blobs")
    func blobs() throws {
        let sealer = try BlobSealer(keys, sealingUnder: keys.newest.generation)
        for blob in vectors.blobs {
            let (stored, name) = (bytes(blob.stored), bytes(blob.name))
            let encoding = try #require(BlobContents.Encoding(rawValue: blob.encoding))
            let sealed = try sealer.seal(
                stored,
                encoding,
                plainByteCount: blob.plainByteCount,
                kind: blob.kind,
                name: name
            )
            #expect(sealed == bytes(blob.sealed))
            let opened = try sealer.open(bytes(blob.sealed), kind: blob.kind, name: name)
            #expect(opened.stored == stored)
            #expect(opened.contents.encoding == encoding)
            #expect(opened.contents.plainByteCount == blob.plainByteCount)
            #expect(try sealer.address(of: name).bytes == bytes(blob.address))
        }
    }

    @Test("Records, and the log's chain")
    func records() throws {
        let page = try LogPage(
            vectors.log.map(entry),
            head: LogHead(
                position: 5,
                hash: LogHash(unchecked: bytes(vectors.log[4].hash))
            )
        )
        let reader = try LogReader(keys)
        let reading = try reader.read(page) { _ in 0 }
        #expect(reading.finding == nil)
        try #require(reading.entries.count == 5)
        let records = reading.entries.map(\.record)
        for (record, vector) in zip(records, vectors.log) {
            #expect(try RecordCoding.encode(record.body) == bytes(vector.body))
        }
        let letter = try #require(records[2].commit.state)
        #expect(letter.place.name == "Brief.txt" && letter.place.parent == records[1].item)
        #expect(letter.conflicts == [ContentName("bb22"), ContentName("cc33")])
        #expect(records[2].body.extra == Array("later".utf8))
        #expect(records[4].commit.state?.content == ContentName(String(repeating: "ab", count: 4200)))
        var salts = vectors.recordSalts.map(bytes)
        let sealer = try RecordSealer(keys, DeviceList(for: keys), by: phone) { _ in salts.removeFirst() }
        let sealed =
            try sealer.seal(Array(records[..<3])) + sealer.seal([records[3]]) + sealer.seal([records[4]])
        #expect(sealed.map(\.record) == vectors.log.map { bytes($0.record) })
    }

    private func entry(_ vector: Vectors.Entry) throws -> LogRecord {
        LogRecord(
            position: vector.position,
            item: ItemName(unchecked: bytes(vector.item)),
            base: vector.base,
            id: try #require(CommitName(vector.id)),
            record: Data(bytes(vector.record)),
            device: DeviceName(unchecked: [UInt8](repeating: 0, count: 8)),
            hash: LogHash(unchecked: bytes(vector.hash))
        )
    }

    @Test("Keys sealed for a device")
    func wrapping() throws {
        var list = DeviceList(for: keys)
        try list.apply(DeviceStatement(encoded: bytes(vectors.founding)), at: 1)
        let wrapped = try WrappedKeys(keys, for: pad.publicIdentity(named: ""), by: phone) { _ in
            bytes(vectors.wrapping.ephemeral)
        }
        #expect(wrapped.encoded == bytes(vectors.wrapping.wrapped))
        #expect(try WrappedKeys(encoded: bytes(vectors.wrapping.wrapped)).open(as: pad, list) == keys)
    }

    @Test("The recovery key, and its kit")
    func recovery() throws {
        let key = RecoveryKey(bytes: bytes(vectors.recovery.key))
        #expect(try key.groups() == vectors.recovery.groups)
        #expect(try RecoveryKey(typed: vectors.recovery.groups.joined(separator: "-")) == key)
        #expect(try key.identity().id.bytes == bytes(vectors.recovery.identity))
        let kit = try RecoveryKit(keys, under: key) { _ in bytes(vectors.recovery.salt) }
        #expect(kit.encoded == bytes(vectors.recovery.kit))
        #expect(try RecoveryKit(encoded: bytes(vectors.recovery.kit)).open(with: key) == keys)
    }

    @Test("A pairing, from both sides")
    func pairing() throws {
        let vector = vectors.pairing
        let code = try PairingCode(pairing: "7K3M9QXD") { _ in bytes(vector.secret) }
        #expect(code.description == vector.code)
        var parts = [vector.first, vector.second].map { $0.map(bytes) }
        var first = try FirstPairing(code) { _ in parts[0].removeFirst() }
        var second = try SecondPairing(
            PairingCode(typed: vector.code),
            as: pad.publicIdentity(named: "Pad 📒")
        ) { _ in parts[1].removeFirst() }
        let messages = vector.messages.map(bytes)
        #expect(try second.begin() == [.send(messages[0])])
        #expect(try first.handle(.message(messages[0])) == [.send(messages[1])])
        #expect(
            try second.handle(.message(messages[1])) == [.send(messages[2]), .show(phrase: vector.phrase)]
        )
        #expect(try first.handle(.message(messages[2])) == [.show(phrase: vector.phrase)])
        #expect(try second.handle(.same) == [.send(messages[3])])
        #expect(try first.handle(.same).isEmpty)
        #expect(try first.handle(.message(messages[3])) == [.add(pad.publicIdentity(named: "Pad 📒"))])
        let adding = try DeviceStatement(encoded: bytes(vectors.adding))
        let list = DeviceListMark(number: adding.number, hash: try adding.hash())
        let gift = PairingGift(keys, invitation: "come in", list: list)
        #expect(try first.give(gift) == [.send(messages[4])])
        #expect(try second.handle(.message(messages[4])) == [.keep(gift)])
        #expect(try second.received() == [.send(messages[5])])
        #expect(try first.handle(.message(messages[5])) == [.finished])
    }

    @Test("A phrase's words are 256, and no two are alike")
    func words() {
        #expect(PhraseWords.all.count == 256)
        #expect(Set(PhraseWords.all.map { $0.prefix(4) }).count == 256)
    }
}

private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal.utf8)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
}
