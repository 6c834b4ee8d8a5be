import Foundation
import HubProtocol
import Testing

@Suite("Hub protocol")
struct HubProtocolTests {
    private let container = ContainerName(unchecked: Array(0..<16))
    private let device = DeviceName(unchecked: Array(1...8))
    private let blob = BlobName(unchecked: Array(repeating: 0xab, count: 32))

    @Test("Every route is read from the path that it writes")
    func routes() {
        let routes: [HubRoute] = [
            .health, .devices, .device(device), .invitations, .containers, .container(container),
            .keys(container, device), .commits(container), .log(container), .blobs(container),
            .missingBlobs(container), .readBlobs(container), .releasedBlobs(container),
            .blob(container, blob),
            .pairings, .pairingMessages("ABCD2345"),
        ]
        for route in routes {
            let components = route.path.split(separator: "/").map(String.init)
            #expect(HubRoute(components: components) == route)
            #expect(HubRoute(components: components + ["more"]) != route)
        }
        for path in ["", "v2/health", "v1", "v1/containers/zz", "v1/containers/\(container)/blobs/zz"] {
            #expect(HubRoute(components: path.split(separator: "/").map(String.init)) == nil)
        }
    }

    @Test("A hash of a log is its bytes, and those of another length are another's")
    func logHashes() {
        let bytes = (0..<32).map { UInt8($0 * 8) }
        let hash = LogHash(unchecked: bytes)
        #expect(hash.bytes == bytes && LogHash(bytes: bytes) == hash)
        #expect(hash.hashValue == LogHash(unchecked: bytes).hashValue)
        for index in bytes.indices {
            var others = bytes
            others[index] += 1
            #expect(LogHash(unchecked: others) != hash && hash < LogHash(unchecked: others))
        }
        #expect(LogHash(bytes: bytes.dropLast()) == nil)
        #expect(LogHash(unchecked: bytes.dropLast()) != hash)
    }

    @Test("Names are hexadecimal digits in one spelling")
    func names() {
        #expect(ItemName(hexadecimal: "000102030405060708090a0b0c0d0e0f")?.bytes == Array(0..<16))
        #expect(container.description == "000102030405060708090a0b0c0d0e0f")
        for wrong in ["", "00", "000102030405060708090A0B0C0D0E0F", "000102030405060708090a0b0c0d0e0f00"] {
            #expect(ItemName(hexadecimal: wrong) == nil)
        }
        #expect(CommitName("1f.2-3") != nil)
        for wrong in ["", "G", "a b", String(repeating: "a", count: 65)] { #expect(CommitName(wrong) == nil) }
    }

    @Test("What is written without an encoder is what the encoder writes", arguments: [0, 1, 3])
    func plainMessages(count: Int) throws {
        func name<Name: FixedBytes>(_ first: Int) -> Name {
            Name(unchecked: (0..<Name.byteCount).map { UInt8(truncatingIfNeeded: first + 37 * $0) })
        }
        func record(_ number: Int) -> Data {
            Data((0..<number * 7).map { UInt8(truncatingIfNeeded: $0 * 251) })
        }
        let numbers: [UInt64] = [0, 18, .max]
        let id = try #require(CommitName("0f.1-2"))
        let entries = (0..<count).map {
            LogRecord(
                position: numbers[$0],
                item: name($0),
                base: numbers[2 - $0],
                id: id,
                record: record($0),
                device: name(200 + $0),
                hash: name(100 + $0)
            )
        }
        let commits = entries.map {
            OfferedCommit(item: $0.item, base: $0.base, id: $0.id, record: $0.record)
        }
        func check<Message: PlainMessage & Equatable>(_ message: Message) throws {
            let written = try HubMessage.encoded(message)
            #expect(try JSONDecoder().decode(Message.self, from: written) == message)
            // The same members, none more and none less.
            let (own, encoders) = (
                try JSONSerialization.jsonObject(with: written),
                try JSONSerialization.jsonObject(with: JSONEncoder().encode(message))
            )
            #expect(own as? NSDictionary == encoders as? NSDictionary)
            #expect(written.count == (try HubMessage.encoded(message, isSteady: true)).count)
        }
        try check(LogPage(entries, head: LogHead(position: .max, hash: name(9))))
        try check(CommitOffer(commits))
        try check(BlobNames((0..<count).map { name($0) }))
        try check(MissingBlobs((0..<count).map { name($0) }))
        let answers = numbers.prefix(count).map(CommitAnswer.accepted) + [.refused(7)]
        try check(CommitAnswers(answers, head: LogHead(position: 3, hash: name(9))))
    }

    @Test("Messages are the JSON of the protocol's description")
    func messages() throws {
        let text = """
            {"answers":[{"accepted":18},{"refused":12}],\
            "head":{"hash":"\(String(repeating: "ab", count: 32))","position":18}}
            """
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let answers = try JSONDecoder().decode(CommitAnswers.self, from: Data(text.utf8))
        #expect(answers.answers == [.accepted(18), .refused(12)])
        #expect(String(decoding: try encoder.encode(answers), as: UTF8.self) == text)
        let failure = try encoder.encode(HubFailure(.tooMany, "Wait."))
        #expect(
            String(decoding: failure, as: UTF8.self) == #"{"error":{"code":"too-many","message":"Wait."}}"#
        )
    }

    @Test("What a hub says is shown without anything that a terminal would obey, and not at any length")
    func failureText() {
        #expect("\(HubFailure(.quota, "Kein Platz: “ä” 写真."))" == "Kein Platz: “ä” 写真.")
        let evil = "\u{1B}]0;title\u{7}a\r\nb\u{9B}2J\u{202E}c\u{2028}d\u{7F}"
        let failure = HubFailure(.fault, evil)
        #expect(failure.description == "?]0;title?a??b?2J?c?d?")
        // What was said stays as it was.
        #expect(failure.error.message == evil)
        let long = String(repeating: "e\u{301}", count: 400)
        let shown = HubFailure(.fault, long).description
        #expect(shown.unicodeScalars.count == 501 && shown.hasSuffix("…"))
        let longest = String(repeating: "a", count: 500)
        #expect(HubFailure(.fault, longest).description == longest)
    }

    @Test("Frames come back as they went, and a body that is cut off is refused")
    func frames() throws {
        var body = Data()
        BlobFrames.append(blob, Data("first".utf8), to: &body)
        BlobFrames.append(BlobName(unchecked: Array(0..<32)), Data(), to: &body)
        let frames = try BlobFrames.read(body)
        #expect(frames.map(\.blob) == [Data("first".utf8), Data()])
        #expect(frames.first?.name == blob)
        for count in 1..<body.count where count != BlobFrames.headByteCount + 5 {
            #expect(throws: BlobFrameError.cutOff) { try BlobFrames.read(body.prefix(count)) }
        }
    }

    @Test("A chain of hashes is that of the format's test vectors")
    func chain() throws {
        var chain = try LogChain(of: container)
        #expect(chain.head.position == 0)
        #expect(
            chain.head.hash.description == "174730526c416d7f23e341cc273a1405489e69b41378e3b7c1866deaadeaa92d"
        )
        let (item, id) = (ItemName(unchecked: Array(16..<32)), try #require(CommitName("1.2-3")))
        let first = try chain.append(item: item, base: 0, id: id, record: Data("sealed".utf8))
        #expect(first.position == 1)
        #expect(first.hash.description == "09975488211bb7c23b2130ad2d3db16bcdd6716533fb9b8b8cd1f8dd89e42fb0")
        let entry = LogRecord(
            position: 1,
            item: item,
            base: 0,
            id: id,
            record: Data("sealed".utf8),
            device: device,
            hash: first.hash
        )
        var follower = try LogChain(of: container)
        #expect(try follower.append(entry))
        #expect(follower == chain)
        var changed = entry
        changed.record = Data("Sealed".utf8)
        var other = try LogChain(of: container)
        #expect(try !other.append(changed))
        #expect(other.head.position == 0)
        let second = try chain.append(
            item: item,
            base: 1,
            id: try #require(CommitName("a.b-c")),
            record: Data()
        )
        #expect(second.hash.description == "937ca98a9a3c12a1408c91cdd1aeb17421452ed741189f821b44ebaac3b91c56")
    }
}
