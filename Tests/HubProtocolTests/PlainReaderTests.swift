import Foundation
import SeededNumbers
import Testing

@testable import HubProtocol

/// What is read without a decoder is what the decoder reads, or is left to it.
@Suite("Reading plain messages")
struct PlainReaderTests {
    private static func name<Name: FixedBytes>(_ first: Int) -> Name {
        Name(unchecked: (0..<Name.byteCount).map { UInt8(truncatingIfNeeded: first + 37 * $0) })
    }

    private static func page(_ count: Int) throws -> LogPage {
        let id = try #require(CommitName("0f.1-2"))
        let numbers: [UInt64] = [0, 18, .max]
        let entries = (0..<count).map { number in
            LogRecord(
                position: numbers[number % 3],
                item: name(number),
                base: numbers[(number + 1) % 3],
                id: id,
                record: Data((0..<number * 5).map { UInt8(truncatingIfNeeded: $0 * 251) }),
                device: name(200 + number),
                hash: name(100 + number)
            )
        }
        return LogPage(entries, head: LogHead(position: .max, hash: name(9)))
    }

    private static func offer(_ count: Int) throws -> CommitOffer {
        CommitOffer(
            try page(count).entries.map {
                OfferedCommit(item: $0.item, base: $0.base, id: $0.id, record: $0.record)
            }
        )
    }

    private static let answers = CommitAnswers(
        [.accepted(18), .refused(0), .accepted(.max)],
        head: LogHead(position: 18, hash: name(3))
    )

    @Test("What a hub and a device write is read without the decoder", arguments: [0, 1, 5])
    func plain(count: Int) throws {
        func check<Message: PlainMessage & Equatable>(_ message: Message) throws {
            let read: Message? = PlainReader.read(try HubMessage.encoded(message))
            #expect(read == message)
        }
        try check(try Self.page(count))
        try check(try Self.offer(count))
        try check(BlobNames((0..<count).map(Self.name)))
        try check(MissingBlobs((0..<count).map(Self.name)))
        try check(CommitAnswers(Array(Self.answers.answers.prefix(count)), head: Self.answers.head))
    }

    @Test("What another client writes, with spaces, escapes, and members in another order, is read as well")
    func others() throws {
        let page = try Self.page(3)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let pretty = try encoder.encode(page)
        let plain: LogPage? = PlainReader.read(pretty)
        #expect(plain == nil)
        #expect(try HubMessage.decoded(LogPage.self, from: pretty) == page)
        let names = #"{ "names": ["\u0030\u0030\#(String(repeating: "00", count: 31))"] }"#
        let read = try HubMessage.decoded(BlobNames.self, from: Data(names.utf8))
        #expect(read.names == [BlobName(unchecked: Array(repeating: 0, count: 32))])
    }

    @Test("Numbers are those of JSON, and as large as they may be")
    func numbers() {
        func read(_ text: String) -> CommitAnswers? {
            let head = #""head":{"position":1,"hash":"\#(String(repeating: "00", count: 32))"}"#
            return PlainReader.read(Data(#"{"answers":[{"accepted":\#(text)}],\#(head)}"#.utf8))
        }
        #expect(read("18446744073709551615")?.answers == [.accepted(.max)])
        #expect(read("0")?.answers == [.accepted(0)])
        for wrong in [
            "18446744073709551616", "99999999999999999999", "00", "01", "-1", "1.0", "1e2", "", " 1",
        ] {
            #expect(read(wrong) == nil, "\(wrong)")
        }
    }

    @Test("Of changed bytes it reads nothing that the decoder does not", arguments: [1, 2, 3])
    func changed(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var readCount = 0
        func check<Message: PlainMessage & Equatable>(_ message: Message) throws {
            let whole = try HubMessage.encoded(message)
            let marks = Array(#"{}[],:"\0f9-. e"#.utf8)
            for _ in 0..<1500 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...2, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes[place] = marks[Int.random(in: marks.indices, using: &random)]
                    case 2: bytes.remove(at: place)
                    default: bytes.insert(bytes[Int.random(in: bytes.indices, using: &random)], at: place)
                    }
                }
                guard let read = PlainReader.read(bytes) as Message? else { continue }
                readCount += 1
                let decoded = try? JSONDecoder().decode(Message.self, from: bytes)
                #expect(read == decoded, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
            }
        }
        try check(try Self.page(2))
        try check(try Self.offer(2))
        try check(BlobNames([Self.name(1), Self.name(2)]))
        try check(Self.answers)
        // A digit that has become another one is as good as it was.
        #expect(readCount > 100)
    }
}
