import FileSystem
import Foundation
import TestFolders
import TestThreads
import Testing

@testable import Vault

/// What comes to a vault on a small volume, and what is kept there.
@Suite(
    "A vault on a small volume",
    .onOwnThreads,
    .enabled(if: MountedVolume.isPossible),
    .timeLimit(.minutes(2))
)
struct VaultRoomTests {
    private static let key = [UInt8](repeating: 7, count: 32)

    private let folder: TestFolder
    private let volume: MountedVolume
    /// Has all that comes.
    private let source: Vault
    private let vault: Vault
    private let item = FileMark(UUID())

    init() throws {
        folder = try TestFolder("room")
        volume = try MountedVolume(
            over: folder.url.appendingPathComponent("small"),
            keptAt: folder.url.appendingPathComponent("volume"),
            byteCount: 32 << 20
        )
        let path = FilePath(folder.url.path)
        source = try Vault(at: path.appending("source"), key: Self.key)
        vault = try Vault(at: path.appending("small/vault"), key: Self.key)
    }

    private struct CutOff: Error {}

    private static let origin = VersionOrigin(
        device: UUID(),
        deviceName: "Desk",
        reason: .explicit,
        date: Date(),
        displayName: "document"
    )

    /// What nothing can press together.
    private func noise(_ byteCount: Int) throws -> Data {
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/urandom"))
        defer { try? source.close() }
        return try #require(try source.read(upToCount: byteCount))
    }

    /// Keeps a document of those bytes.
    private func keep(_ bytes: Data, in vault: Vault) throws -> DocumentContents {
        try bytes.write(to: folder.url.appendingPathComponent("document"))
        let document = Vault.Keepable(FilePath(folder.url.path).appending("document"), as: item)
        let kept = try vault.keepContents(of: [document]) { _ in Self.origin }
        return try #require(kept.first).get().contents
    }

    /// Has contents come, or so many objects of them.
    ///
    /// - Returns: How many objects came, and how much room there was where that was too little.
    private func receive(
        _ contents: DocumentContents,
        in vault: Vault? = nil,
        countMax: Int = .max
    ) -> (result: Result<Void, any Error>, count: Int, room: Int?) {
        var (count, room): (Int, Int?) = (0, nil)
        let result = Result {
            try (vault ?? self.vault).receive(
                [(contents, item)],
                origin: { _ in Self.origin },
                noRoom: { room = $0 }
            ) { wanted, _, show in
                try source.withStored(Array(wanted)) { object, shown in
                    guard count < countMax else { throw CutOff() }
                    count += 1
                    try show(object, shown)
                }
            }
        }
        return (result, count, room)
    }

    private func isFull(_ result: Result<Void, any Error>) -> Bool {
        guard case .failure(let error as SystemError) = result else { return false }
        return error.isFull
    }

    @Test("Of contents for which there is no room nothing stays, and how much there was is told")
    func nothingStays() throws {
        let byteCount = 28 << 20
        let contents = try keep(try noise(byteCount), in: source)
        let free = try vault.store.packs.freeByteCount()
        for _ in 0..<5 {
            let (result, _, room) = receive(contents)
            #expect(isFull(result))
            let had = try #require(room)
            #expect(had > 16 << 20 && had < byteCount, "\(had)")
        }
        #expect(try free - vault.store.packs.freeByteCount() < 1 << 20)
        #expect(try vault.verify().isClean)
    }

    @Test("A large document that would take what is left to others does not come")
    func leftToOthers() throws {
        let lending = try Vault(
            at: FilePath(folder.url.path).appending("small/vault"),
            lentByteCountMin: 1 << 20
        )
        let free = try lending.store.packs.freeByteCount()
        let contents = try keep(try noise(free - 4 << 20), in: source)
        #expect(isFull(receive(contents, in: lending).result))
        #expect(try free - lending.store.packs.freeByteCount() < 1 << 20)
        let less = try keep(try noise(free / 2), in: source)
        try receive(less, in: lending).result.get()
    }

    @Test("Where hardly anything is free nothing more is taken, however small")
    func last() throws {
        let free = try vault.store.packs.freeByteCount()
        try noise(free - 3 << 19).write(to: folder.url.appendingPathComponent("small/filler"))
        #expect(try vault.roomByteCount() == 0)
        let contents = try keep(Data("small".utf8), in: source)
        #expect(isFull(receive(contents).result))
    }

    @Test("What can be pressed together needs no more room than it takes then")
    func pressed() throws {
        let lines = (0..<1_000_000).map { "\($0): a line of a log that says nothing\n" }
        let log = Data(lines.joined().utf8)
        #expect(log.count > 32 << 20)
        #expect(try vault.has(try keep(log, in: vault)))
    }

    @Test("A file that was edited at its beginning needs room for what is new of it alone")
    func editedFirst() throws {
        let first = try noise(15 << 20)
        _ = try keep(first, in: vault)
        #expect(try vault.roomByteCount() < 14 << 20)
        _ = try keep(try noise(6 << 20) + first.dropFirst(6 << 20), in: vault)
        // As much of the rest would be new, of a file that nothing is known of.
        let next = try noise(4 << 20) + first.dropFirst(4 << 20)
        try next.write(to: folder.url.appendingPathComponent("next"))
        let source = try SourceFolder(at: FilePath(folder.url.path))
        func keeper(hasFormer: Bool) throws -> FileKeeper {
            FileKeeper(
                session: try KeepSession(store: vault.store),
                hasFormer: hasFormer,
                sampleByteCount: 1 << 20
            )
        }
        #expect(throws: SystemError.self) { _ = try keeper(hasFormer: false).keep("next", in: source) }
        _ = try keeper(hasFormer: true).keep("next", in: source)
    }

    @Test("What has come of contents before the line was cut off does not come again")
    func goesOn() throws {
        let contents = try keep(try noise(8 << 20), in: source)
        #expect(throws: CutOff.self) { try receive(contents, countMax: 40).result.get() }
        let all = try source.objects(of: [contents]).count
        let (result, count, _) = receive(contents)
        try result.get()
        #expect(count <= all - 30)
        #expect(try vault.has(contents))
        #expect(try vault.verify().isClean)
    }
}
