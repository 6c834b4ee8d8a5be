internal import Cryptography
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync

extension OutsideBytes {
    /// One for what is written in one way only: what is read is written again as it was.
    private static func exact<Value>(
        _ name: String,
        _ samples: [[UInt8]],
        _ read: @escaping ([UInt8]) throws(SealingError) -> Value,
        _ written: @escaping (Value) throws -> [UInt8]
    ) -> Parser {
        Parser(name: name, samples: samples) { bytes in
            let value: Value
            do throws(SealingError) { value = try read(bytes) } catch {
                try expect(error.code != .outOfMemory, "\(error)")
                return false
            }
            try expect(try written(value) == bytes, "what was read is written otherwise: \(value)")
            return true
        }
    }

    /// What devices seal, and keep.
    static func sealing() throws -> [Parser] {
        let made = try SealedSamples()
        let identity = made.pad.publicIdentity(named: "pad")
        let mark = made.list.mark
        let plans = [
            PlannedRevocation(of: identity, next: made.next),
            PlannedRevocation(of: made.pad.id, next: made.next),
        ]
        let gift = PairingGift(made.keys, invitation: "INVITATION", list: mark)
        let both = try made.keys.adding(made.next)
        let statements = [
            try made.list.adding(made.phone.publicIdentity(named: "another"), by: made.phone),
            try made.list.revoking(made.pad.id, next: made.next, made.keys, by: made.phone),
        ]
        return [
            exact("planned revocation", plans.map(\.encoded), PlannedRevocation.init(encoded:), \.encoded),
            exact("pairing gift", [try gift.encoded()], PairingGift.init(encoded:)) { try $0.encoded() },
            exact(
                "container keys",
                [made.keys.encoded, both.encoded],
                ContainerKeys.init(encoded:),
                \.encoded
            ),
            exact("device identity", [made.pad.encoded], DeviceIdentity.init(encoded:), \.encoded),
            exact("public identity", [identity.encoded], PublicIdentity.init(encoded:), \.encoded),
            exact("statement", statements.map(\.encoded), DeviceStatement.init(encoded:), \.encoded),
            exact(
                "record body",
                try made.bodies.map { try RecordCoding.encode($0) },
                RecordCoding.decode,
                RecordCoding.encode
            ),
            Parser(name: "record extra", samples: made.bodies.map(\.extra)) { bytes in
                let extra = RecordExtra(encoded: bytes)
                try expect(RecordExtra(encoded: extra.encoded) == extra, "\(extra)")
                return extra != RecordExtra()
            },
            try wrappedKeys(made), try recoveryKit(made), try blob(made),
            typed("pairing code", try pairingCode(made)), try recoveryKey(made), try logPage(made),
        ]
    }

    private static func wrappedKeys(_ made: SealedSamples) throws -> Parser {
        let box = try Sealing.WrappedKeys(
            try made.keys.adding(made.next),
            for: made.pad.publicIdentity(named: "pad"),
            by: made.phone,
            random: made.random
        ).encoded
        return Parser(name: "wrapped keys", samples: [box]) { bytes in
            do {
                let wrapped = try Sealing.WrappedKeys(encoded: bytes)
                try expect(wrapped.encoded == bytes, "what was read is written otherwise")
                _ = try wrapped.open(as: made.pad, made.list)
            } catch is SealingError { return false }
            try expect(bytes == box, "others' keys were opened")
            return true
        }
    }

    private static func recoveryKit(_ made: SealedSamples) throws -> Parser {
        let kit = try RecoveryKit(made.keys, under: made.recovery, random: made.random).encoded
        return Parser(name: "recovery kit", samples: [kit]) { bytes in
            let keys: ContainerKeys
            do { keys = try RecoveryKit(encoded: bytes).open(with: made.recovery) } catch is SealingError {
                return false
            }
            try expect(bytes == kit && keys == made.keys, "another kit was opened")
            return true
        }
    }

    private static func blob(_ made: SealedSamples) throws -> Parser {
        let sealer = try BlobSealer(made.keys, sealingUnder: 1)
        let name = [UInt8](repeating: 5, count: BlobFormat.nameByteCount)
        let sealed = try sealer.seal(Array("stored".utf8), kind: 1, name: name)
        return Parser(name: "blob", samples: [sealed]) { bytes in
            do { _ = try sealer.open(bytes, kind: 1, name: name) } catch is SealingError { return false }
            try expect(bytes == sealed, "another blob was opened")
            return true
        }
    }

    // MARK: What is typed

    private static func typed(
        _ name: String,
        _ samples: (texts: [String], parse: (String) throws -> Bool)
    ) -> Parser {
        Parser(name: name, samples: samples.texts.map { Array($0.utf8) }) { bytes in
            try samples.parse(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func pairingCode(
        _ made: SealedSamples
    ) throws -> (texts: [String], parse: (String) throws -> Bool) {
        let code = try PairingCode(pairing: "ABCDEFGH", random: made.random)
        let texts = ["\(code)", "\(code)".lowercased(), code.text(hub: "https://hub.example:7433")]
        return (
            texts,
            { text in
                _ = PairingCode.hubAddress(in: text)
                let read: PairingCode
                do { read = try PairingCode(typed: text) } catch is SealingError { return false }
                try expect(try PairingCode(typed: "\(read)") == read, "\(read) is read otherwise")
                return true
            }
        )
    }

    private static func recoveryKey(_ made: SealedSamples) throws -> Parser {
        let text = try made.recovery.groups().joined(separator: "-")
        return typed(
            "recovery key",
            (
                [text, text.lowercased()],
                { text in
                    let key: RecoveryKey
                    do { key = try RecoveryKey(typed: text) } catch is RecoveryKeyMistyped { return false }
                    let groups = try key.groups()
                    let again = try RecoveryKey(typed: groups.joined(separator: " ")).groups()
                    try expect(again == groups, "\(groups) are read otherwise")
                    return true
                }
            )
        )
    }

    // MARK: The log

    /// A page as it comes over the line. What is read of it is what devices have committed, in its place, also where the hub has made
    /// the chain of hashes anew.
    private static func logPage(_ made: SealedSamples) throws -> Parser {
        let samples = [
            LogPage(made.entries, head: made.head), LogPage(Array(made.entries.prefix(3)), head: made.head),
        ]
        return Parser(
            name: "log page",
            samples: try samples.map { [UInt8](try HubMessage.encoded($0)) }
        ) { bytes in
            let page: LogPage
            do { page = try HubMessage.decoded(LogPage.self, from: Data(bytes)) } catch is DecodingError {
                return false
            }
            let (chained, head) = try SealedSamples.chained(page.entries, of: made.container)
            for page in [page, LogPage(chained, head: head)] {
                let reading = try LogReader(made.keys).read(page) { _ in 0 }
                for entry in reading.entries {
                    let number = Int(entry.position) - 1
                    try expect(
                        made.records.indices.contains(number) && made.records[number] == entry.record,
                        "entry \(entry.position) was taken: \(entry.record)"
                    )
                }
            }
            return true
        }
    }
}
