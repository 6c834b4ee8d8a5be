import Cryptography
import FileSystem
import Foundation
import SeededNumbers
import TestThreads
import Testing

@testable import DocumentFoundation

@Suite("BookmarkFormat", .onOwnThreads)
struct BookmarkFormatTests {
    static let item = BookmarkRecord(
        options: 1 << 10,
        content: .item(
            BookmarkedItem(
                path: FilePath("/docs/Sea.txt"),
                taken: TakenIdentity(
                    identity: FileIdentity(
                        mark: FileMark(bytes: Data(0..<16)),
                        volume: 0x0102_0304_0506_0708,
                        inode: 42,
                        birth: .init(seconds: 1_790_000_000, nanoseconds: 5),
                        kind: .regular
                    ),
                    handle: InodeHandle(type: 1, bytes: Data([42, 0, 0, 0, 7, 0, 0, 0]))
                ),
                relativePath: "Sea.txt"
            )
        )
    )
    static let web = BookmarkRecord(options: 0, content: .url("https://example.org/sea"))
    static let key = Data(0..<32)

    private static func hexadecimal(_ data: Data) -> String {
        data.map { String(format: "%02x", $0) }.joined()
    }

    @Test("The bytes are those of Docs/formats/bookmark.md")
    func vectors() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Docs/formats/bookmark.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8).filter { !$0.isWhitespace }
        for record in [Self.item, Self.web] {
            let sealed = try BookmarkSeal.seal(BookmarkFormat.encode(record), key: Self.key)
            let bytes = Self.hexadecimal(sealed)
            #expect(text.contains(bytes), "\(bytes)")
            #expect(try BookmarkFormat.decode(BookmarkSeal.open(sealed, key: Self.key)) == record)
        }
    }

    @Test("Fields that later versions add are passed over")
    func unknownFields() throws {
        let bytes = BookmarkFormat.encode(Self.web) + Data([0xff, 0xff, 0, 0, 0, 2, 1, 2])
        #expect(try BookmarkFormat.decode(bytes) == Self.web)
    }

    @Test("A later version is said to be one")
    func laterVersion() throws {
        var data = try BookmarkSeal.seal(BookmarkFormat.encode(Self.web), key: Self.key)
        data[9] = 2
        #expect(throws: BookmarkSeal.Failure.laterVersion) { try BookmarkSeal.open(data, key: Self.key) }
    }

    @Test("Fields out of order, twice there, missing or of a wrong form are refused")
    func malformed() {
        let options = Data([0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0])
        let refused: [(Data, BookmarkFormat.Failure)] = [
            (Data(), .missing(tag: 1)),
            (options, .missing(tag: 3)),
            (options + options, .malformed(tag: 1)),
            (Data([0, 1, 0, 0, 0, 9]), .truncated),
            (Data([0]), .truncated),
            (Data([0, 1, 0, 0, 0, 1, 0]), .malformed(tag: 1)),
            (options + [0, 2, 0, 0, 0, 2, 0x61, 0], .malformed(tag: 2)),
            (options + [0, 2, 0, 0, 0, 1, 0xff], .malformed(tag: 2)),
            (options + [0, 3, 0, 0, 0, 1, 0x61], .malformed(tag: 3)),
            (options + [0, 3, 0, 0, 0, 1, 0x2f, 0, 4, 0, 0, 0, 1, 9], .malformed(tag: 4)),
            (options + [0, 2, 0xff, 0xff, 0xff, 0xff, 0x61], .truncated),
        ]
        for (bytes, failure) in refused {
            #expect(throws: failure, "\([UInt8](bytes))") { try BookmarkFormat.decode(bytes) }
        }
    }

    @Test("Any bytes are a record or refused, and a record is written as it was read")
    func fuzz() throws {
        let seed =
            ProcessInfo.processInfo.environment["BOOKMARK_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 0 ... .max)
        print("bookmark fuzz: BOOKMARK_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        let samples = [Self.item, Self.web].map(BookmarkFormat.encode)
        var recordCount = 0
        for round in 0..<20_000 {
            var bytes = samples[Int(random.next() % 2)]
            for _ in 0..<(1 + random.next() % 4) {
                guard !bytes.isEmpty else { break }
                let at = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 4 {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes = Data(bytes.prefix(at))
                case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: at)
                default: bytes.remove(at: at)
                }
                bytes = Data(bytes)
            }
            do {
                let record = try BookmarkFormat.decode(bytes)
                recordCount += 1
                #expect(try BookmarkFormat.decode(BookmarkFormat.encode(record)) == record, "round \(round)")
            } catch {
                // Refused, by a failure of the format: the throws clause says that there is no other.
            }
            let sealed = samples[0] + bytes
            #expect(throws: BookmarkSeal.Failure.self) { try BookmarkSeal.open(sealed, key: Self.key) }
        }
        // Else the mutations would be too wild to test anything but the first check.
        #expect(recordCount > 100)
    }
}
