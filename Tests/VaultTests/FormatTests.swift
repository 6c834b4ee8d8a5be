import CrashHarness
import Cryptography
import FileSystem
import Foundation
import SeededNumbers
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("VaultFormat", .onOwnThreads)
struct FormatTests {
    private static let key = [UInt8](0..<32)
    private static let pack = PackID(bytes: [UInt8](0..<16))

    /// What Docs/formats/vault.md says, without white space.
    private func page() throws -> String {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Docs/formats/vault.md").standardizedFileURL
        return try String(contentsOf: page, encoding: .utf8).filter { !$0.isWhitespace }
    }

    private func record(
        _ kind: ObjectKind,
        _ plain: [UInt8],
        at offset: Int,
        _ hasher: VaultHasher
    ) throws -> [UInt8] {
        let name = try plain.withUnsafeBytes { try hasher.name(kind, $0) }
        let header = PackFormat.RecordHeader(
            kind: kind,
            encoding: .plain,
            storedByteCount: plain.count,
            plainByteCount: plain.count,
            name: name
        )
        let pack = try #require(Self.pack)
        let bytes = try plain.withUnsafeBytes {
            try hasher.recordHeader(header, stored: $0, pack: pack, offset: offset)
        }
        return bytes + plain
    }

    static func version() throws -> KeptVersion {
        let entry = ManifestEntry(
            name: "",
            kind: .file,
            dress: MemberDress(
                permissions: 0o644,
                modificationSeconds: 1_790_000_000,
                modificationNanoseconds: 5,
                attributes: [:]
            ),
            byteCount: 3,
            content: ContentReference(
                name: try Array("sea".utf8).withUnsafeBytes { try VaultHasher(key: key).name(.chunk, $0) },
                level: 0
            )
        )
        let id = try #require(VersionID(bytes: [UInt8](32..<48)))
        let item = try #require(FileMark(bytes: Data(48..<64)))
        let origin = VaultBench.origin(Date(timeIntervalSince1970: 1_790_000_001))
        return try KeptVersion(id: id, item: item, origin: origin, root: entry)
    }

    @Test("The bytes are those of Docs/formats/vault.md")
    func vectors() throws {
        let page = try page()
        let hasher = try VaultHasher(key: Self.key)
        let gear = try hasher.gear()
        for number in [gear[0], gear[255]] {
            let text = withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }.hexadecimal
            #expect(page.contains(text), "gear \(text)")
        }
        var pack = try hasher.packHeader(try #require(Self.pack))
        pack += try record(.chunk, Array("sea".utf8), at: pack.count, hasher)
        pack += try record(.version, [UInt8](Self.version().record), at: pack.count, hasher)
        let removed = VersionNote(
            change: .removed,
            date: Date(timeIntervalSince1970: 1_790_000_002),
            versions: [try Self.version().id]
        )
        pack += try record(.note, removed.encoded, at: pack.count, hasher)
        #expect(page.contains(pack.hexadecimal), "pack \(pack.hexadecimal)")
        let (folder, cuts) = (try folderNode(hasher), cuts(Chunker(gear: gear)))
        #expect(page.contains(folder.hexadecimal), "folder \(folder.hexadecimal)")
        #expect(page.contains(cuts), "cuts \(cuts)")
    }

    @Test("A member with more attributes than an entry can say that it has is not kept")
    func attributeCount() {
        func entry(_ count: Int) -> ManifestEntry {
            let attributes = (0..<count).map { (String($0, radix: 36), Data()) }
            let dress = MemberDress(
                permissions: 0o600,
                modificationSeconds: 0,
                modificationNanoseconds: 0,
                attributes: Dictionary(uniqueKeysWithValues: attributes)
            )
            return ManifestEntry(name: "a", kind: .file, dress: dress, byteCount: 0, content: nil)
        }
        #expect(entry(ManifestEntry.attributeCountMax).isKeepable)
        #expect(!entry(ManifestEntry.attributeCountMax + 1).isKeepable)
    }

    private func folderNode(_ hasher: VaultHasher) throws -> [UInt8] {
        let dress = MemberDress(
            permissions: 0o600,
            modificationSeconds: 1_790_000_000,
            modificationNanoseconds: 0,
            attributes: ["user.note": Data("x".utf8)]
        )
        let link = ManifestEntry(
            name: "go",
            kind: .link,
            dress: dress,
            byteCount: 0,
            content: nil,
            linkText: "Sea.txt"
        )
        let file = ManifestEntry(name: "Sea.txt", kind: .file, dress: dress, byteCount: 0, content: nil)
        var node: [UInt8] = []
        let entries = [file, link].map {
            (bytes: $0.encoded[...], isBoundary: ContentTree.isBoundary($0.name))
        }
        _ = try ContentTree.folder(of: entries) { kind, bytes in
            node = bytes
            return try bytes.withUnsafeBytes { try hasher.name(kind, $0) }
        }
        return node
    }

    /// The lengths of the first chunks of 1 MiB of random numbers.
    private func cuts(_ chunker: Chunker) -> String {
        let bytes = VaultBench.noise(1 << 20, seed: 1)
        return bytes.withUnsafeBytes { bytes in
            var (offset, lengths) = (0, [String]())
            while offset < bytes.count {
                let length = chunker.cut(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
                lengths.append(String(length))
                offset += length
            }
            return lengths.joined(separator: ",")
        }
    }

    @Test("What was written is read, and a record in another place is none")
    func roundTrip() throws {
        let hasher = try VaultHasher(key: Self.key)
        let pack = try #require(Self.pack)
        let bytes = try record(.chunk, Array("sea".utf8), at: 48, hasher)
        try bytes.withUnsafeBytes { bytes in
            let here = try hasher.readRecordHeader(bytes, pack: pack, offset: 48)
            let elsewhere = try hasher.readRecordHeader(bytes, pack: pack, offset: 49)
            #expect(here?.plainByteCount == 3)
            #expect(elsewhere == nil)
        }
        let version = try Self.version()
        #expect(try KeptVersion(version.record) == version)
        #expect(PackID(fileName: pack.fileName) == pack)
        #expect(PackID(fileName: "index.sqlite") == nil)
    }

    @Test("Bytes that were altered anywhere are refused or read, and nothing else happens")
    func fuzz() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        let hasher = try VaultHasher(key: Self.key)
        let node = try folderNode(hasher)
        let list: [UInt8] = [1, 0, 0, 0, 1] + [UInt8](repeating: 7, count: 40)
        let note = VersionNote(change: .removed, date: .distantPast, versions: [try Self.version().id])
            .encoded
        let samples = [node, list, note, [UInt8](try Self.version().record)]
        for round in 0..<400 {
            var bytes = samples[round % samples.count]
            for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.below(4) == 0 { bytes.removeLast(random.below(bytes.count)) }
            if random.below(8) == 0 { bytes += (0..<random.below(40)).map { _ in UInt8(random.below(256)) } }
            read(bytes, random.below(3), hasher)
        }
        print("vault format fuzz: seed \(seed)")
    }

    /// Reads bytes as everything that they could be taken for; a name that leads out of its folder must not come.
    private func read(_ bytes: [UInt8], _ level: Int, _ hasher: VaultHasher) {
        bytes.withUnsafeBytes { raw in
            if case .entries(let entries)? = try? TreeNode.folder(raw, level: UInt8(level)) {
                for entry in entries { #expect(MemberPath.isName(entry.name)) }
            }
            _ = try? TreeNode.list(raw, level: UInt8(level))
            _ = try? VersionNote(raw)
            _ = PackFormat.RecordHeader(unchecked: raw)
        }
        if let version = try? KeptVersion(bytes[...]) { _ = try? version.parts() }
        _ = try? MemberCache(bytes, hasher)
        _ = try? FolderCache(bytes, hasher)
    }

    @Test("A scan of random bytes between records finds the records and nothing else")
    func scan() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        let hasher = try VaultHasher(key: Self.key)
        let pack = try #require(Self.pack)
        for _ in 0..<10 {
            var bytes = try hasher.packHeader(pack)
            var (gaps, count) = ([Range<Int>](), 0)
            for _ in 0..<8 {
                if random.below(3) == 0, gaps.last?.upperBound != bytes.count {
                    let start = bytes.count
                    bytes += (0..<1 + random.below(200)).map { _ in UInt8(random.below(256)) }
                    if random.below(2) == 0 { bytes += PackFormat.recordMagic }
                    gaps.append(start..<bytes.count)
                } else {
                    let plain = (0..<random.below(300)).map { _ in UInt8(random.below(256)) }
                    bytes += try record(.chunk, plain, at: bytes.count, hasher)
                    count += 1
                }
            }
            let scratch = try VaultBench().scratch
            let folder = try StorageFolder(at: scratch.path)
            let file = try folder.create("pack")
            try bytes.withUnsafeBytes { bytes throws in try file.write(bytes, at: 0) }
            let scan = try PackScanner(hasher: hasher, decompressor: try Decompressor()).scan(file, pack)
            #expect(scan.records.count == count, "seed \(seed)")
            #expect(scan.gaps == gaps, "seed \(seed)")
        }
    }
}

@Suite("Chunker", .onOwnThreads)
struct ChunkerTests {
    private let chunker: Chunker

    init() throws {
        let gear = try VaultHasher(key: [UInt8](0..<32)).gear()
        chunker = Chunker(gear: gear, sizes: Chunker.Sizes(min: 256, normal: 1024, max: 4096))
    }

    private func chunks(_ bytes: Data) -> [Data] {
        var (rest, chunks) = (bytes, [Data]())
        while !rest.isEmpty {
            let length = rest.withUnsafeBytes { chunker.cut($0) }
            chunks.append(Data(rest.prefix(length)))
            rest = Data(rest.dropFirst(length))
        }
        return chunks
    }

    @Test("Chunks are as long as they may be, and are all of the bytes")
    func sizes() {
        let bytes = VaultBench.noise(200_000, seed: 1)
        let chunks = chunks(bytes)
        #expect(chunks.reduce(Data(), +) == bytes)
        for chunk in chunks.dropLast() { #expect((257...4096).contains(chunk.count)) }
        #expect((120...200).contains(chunks.count))
    }

    @Test("An insertion changes no chunks but those beside it")
    func insertion() {
        var bytes = VaultBench.noise(100_000, seed: 2)
        let before = Set(chunks(bytes))
        bytes.insert(7, at: 50_000)
        #expect(Set(chunks(bytes)).subtracting(before).count <= 3)
    }

    @Test("Bytes all alike are cut at the longest")
    func alike() {
        #expect(chunks(Data(count: 10_000)).map(\.count) == [4096, 4096, 1808])
    }

    @Test("Few bytes are one chunk")
    func few() { #expect(chunks(Data([1, 2, 3])).map(\.count) == [3]) }
}
