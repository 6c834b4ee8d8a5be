import CLinux
import Foundation
import TestThreads
import Testing

@testable import FileSystem

/// What a fanotify queue tells, as events; the records are as Linux 6.18 gives them.
@Suite("FanotifyTranslation", .onOwnThreads)
struct FanotifyTranslationTests {
    static func inode(_ number: UInt8) -> WatchedInode {
        WatchedInode(volume: 1, handle: InodeHandle(type: 1, bytes: Data([number, 0, 0, 0])))
    }

    static let (first, second) = (inode(1), inode(2))

    static func record(
        _ bits: [Int32],
        _ name: String,
        item: UInt8 = 9,
        in folder: WatchedInode = first,
        by process: Int32 = 7
    ) -> FanotifyRecord {
        FanotifyRecord(
            mask: bits.reduce(0) { $0 | UInt64(UInt32(bitPattern: $1)) },
            processID: process,
            place: .init(folder: folder, name: name),
            item: inode(item)
        )
    }

    static func rename(
        _ source: String?,
        _ target: String?,
        item: UInt8 = 9,
        to folder: WatchedInode = first
    ) -> FanotifyRecord {
        FanotifyRecord(
            mask: UInt64(FAN_RENAME),
            processID: 7,
            source: source.map { .init(folder: first, name: $0) },
            target: target.map { .init(folder: folder, name: $0) },
            item: inode(item)
        )
    }

    static func told(
        _ records: FanotifyRecord...,
        writer: (Int32) -> WriterProcess? = { _ in nil }
    ) -> [FanotifyTranslation.Told] {
        var translation = FanotifyTranslation()
        return translation.events(of: records, isWatched: { [first, second].contains($0) }, writer: writer)
    }

    @Test("What the kernel put together comes apart in the order in which it can have happened")
    func together() {
        let told = Self.told(
            Self.record([FAN_DELETE, FAN_CLOSE_WRITE, FAN_CREATE, FAN_MODIFY, FAN_ATTRIB], "a"),
            Self.record([FAN_CREATE, FAN_ONDIR], "d", in: Self.second)
        )
        #expect(
            told.map(\.event.kind) == [.created, .modified, .changed, .attributesChanged, .deleted, .created]
        )
        #expect(told.map(\.event.name) == ["a", "a", "a", "a", "a", "d"])
        #expect(told.map(\.event.isDirectory) == [false, false, false, false, false, true])
        #expect(
            told.map(\.folder) == [Self.first, Self.first, Self.first, Self.first, Self.first, Self.second]
        )
    }

    @Test("Who did it goes along")
    func writer() {
        let told = Self.told(Self.record([FAN_CLOSE_WRITE], "a", by: 7), Self.rename("a", "b")) {
            WriterProcess(processID: $0, name: "sed")
        }
        #expect(told.allSatisfy { $0.event.writer?.processID == 7 && $0.event.writer?.name == "sed" })
        #expect(told.count == 3)
    }

    @Test("The halves of a move bear one cookie, other moves other ones, of which none is next to it")
    func move() {
        let told = Self.told(Self.rename("a", "b"), Self.rename("c", "d", item: 8, to: Self.second))
        let cookies = told.map { told -> UInt32? in
            switch told.event.kind {
            case .movedFrom(let cookie), .movedTo(let cookie): cookie
            default: nil
            }
        }
        #expect(cookies[0] == cookies[1] && cookies[2] == cookies[3])
        #expect(told.map(\.event.name) == ["a", "b", "c", "d"])
        #expect(told[3].folder == Self.second)
        #expect((cookies[2] ?? 0) &- (cookies[0] ?? 0) > 1)
    }

    @Test("A move to or from where nothing is watched has one half")
    func halves() {
        #expect(Self.told(Self.rename("a", nil)).count == 1)
        #expect(Self.told(Self.rename(nil, "a")).count == 1)
    }

    @Test("Two files exchanged are both written; of one there and back both names are looked at")
    func exchange() {
        func folded(_ records: FanotifyRecord...) -> [EventFolding.Change] {
            var (translation, folding) = (FanotifyTranslation(), EventFolding())
            for told in translation.events(of: records, isWatched: { _ in true }, writer: { _ in nil }) {
                folding.take(told.event, in: 1, at: 0)
            }
            return folding.flush(at: 1).changes.map(\.change)
        }
        let (first, second) = (
            EventFolding.Place(folder: 1, name: "a"), EventFolding.Place(folder: 1, name: "b")
        )
        let exchanged = folded(Self.rename("a", "b", item: 1), Self.rename("b", "a", item: 2))
        #expect(Set(exchanged) == [.written(first), .written(second)])
        // So it looks, too, when it was moved there a second time: the kernel counts that as the first time.
        let back = folded(Self.rename("a", "b", item: 1), Self.rename("b", "a", item: 1))
        #expect(Set(back) == [.written(first), .replacedAndMoved(second, to: first)])
    }

    @Test("What happens to the watched folder itself has no name")
    func itself() {
        let told = Self.told(
            Self.record([FAN_MOVE_SELF, FAN_ONDIR], "."),
            Self.record([FAN_DELETE_SELF, FAN_ONDIR], ".")
        )
        #expect(told.map(\.event) == [WatchEvent(kind: .selfMoved), WatchEvent(kind: .selfDeleted)])
    }

    @Test("A watched folder in a watched folder hears of its own attributes")
    func inner() {
        let told = Self.told(Self.record([FAN_ATTRIB, FAN_ONDIR], "inner", item: 2))
        #expect(told.map(\.folder) == [Self.first, Self.second])
        #expect(told.map(\.event.name) == ["inner", nil])
    }

    @Test("Lost events are about no folder")
    func overflow() {
        let told = Self.told(.overflow)
        #expect(told.map(\.event) == [WatchEvent(kind: .overflowed)])
        #expect(told.map(\.folder) == [nil])
    }
}

@Suite("FanotifyRecord", .onOwnThreads)
struct FanotifyRecordTests {
    /// One event as it lies in the kernel's answer, with what follows its head.
    private func bytes(_ pieces: [UInt8], version: UInt8 = 3, length: UInt32? = nil) -> [UInt8] {
        var head = fanotify_event_metadata()
        head.event_len = length ?? UInt32(MemoryLayout<fanotify_event_metadata>.size + pieces.count)
        head.vers = version
        head.metadata_len = UInt16(MemoryLayout<fanotify_event_metadata>.size)
        head.mask = UInt64(FAN_CREATE)
        head.fd = -1
        head.pid = 42
        return withUnsafeBytes(of: head) { Array($0) } + pieces
    }

    /// A folder's handle of eight bytes and a name, padded as the kernel does.
    private func piece(_ kind: Int32, name: String) -> [UInt8] {
        var piece: [UInt8] = [UInt8(kind), 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0]
        piece += [1, 2, 3, 4, 5, 6, 7, 8] + Array(name.utf8) + [0]
        while piece.count % 4 != 0 { piece.append(0) }
        piece[2] = UInt8(piece.count)
        return piece
    }

    private func records(_ bytes: [UInt8]) -> [FanotifyRecord] {
        bytes.withUnsafeBytes { FanotifyRecord.records(in: $0) }
    }

    @Test("Names, folders and processes are taken apart")
    func wellFormed() throws {
        let plain = bytes(piece(FAN_EVENT_INFO_TYPE_DFID_NAME, name: "ä"))
        let renamed = bytes(
            piece(FAN_EVENT_INFO_TYPE_OLD_DFID_NAME, name: "from")
                + piece(FAN_EVENT_INFO_TYPE_NEW_DFID_NAME, name: "to")
        )
        let found = records(plain + renamed)
        try #require(found.count == 2)
        #expect(found[0].processID == 42)
        #expect(found[0].has(FAN_CREATE))
        #expect(found[0].place?.name == "ä")
        #expect(found[0].place?.folder.handle == InodeHandle(type: 1, bytes: Data(1...8)))
        #expect(found[0].place?.folder.volume == 0x2_0000_0001)
        #expect(found[1].source?.name == "from")
        #expect(found[1].target?.name == "to")
    }

    @Test("What is not in the known form counts as lost events, and does no harm")
    func malformed() {
        #expect(records(bytes([], version: 9)) == [.overflow])
        #expect(records(bytes([], length: 2000)) == [.overflow])
        #expect(records(bytes([], length: 3)) == [.overflow])
        let good = bytes(piece(FAN_EVENT_INFO_TYPE_DFID_NAME, name: "name"))
        for cut in 0..<good.count { _ = records(Array(good[..<cut])) }
        for place in 24..<good.count {
            for value: UInt8 in [0, 1, 20, 255] {
                var broken = good
                broken[place] = value
                #expect(records(broken).count == 1)
            }
        }
    }
}

@Suite("WriterNames", .onOwnThreads)
struct WriterNamesTests {
    @Test("A process that has ended goes by its last name, for a while")
    func ended() {
        var running: [Int32: String] = [1: "sh"]
        var names = WriterNames { number in
            running[number].map { WriterProcess(processID: number, name: $0) }
        }
        #expect(names.writer(1, at: 0).name == "sh")
        running[1] = "sed"
        #expect(names.writer(1, at: 1).name == "sed")
        running = [:]
        #expect(names.writer(1, at: 1 + WriterNames.rememberedSeconds).name == "sed")
        #expect(names.writer(1, at: 2 + WriterNames.rememberedSeconds).name == nil)
        #expect(names.writer(2, at: 0) == WriterProcess(processID: 2, name: nil))
    }

    @Test("Of many processes the oldest is forgotten")
    func bounded() {
        let ended = Int32(WriterNames.rememberedMax)
        var names = WriterNames { $0 <= ended ? WriterProcess(processID: $0, name: "p\($0)") : nil }
        for number in 0...ended { _ = names.writer(number, at: Double(number) / 1000) }
        #expect(names.writer(ended + 1, at: 1).name == nil)
        #expect(names.writer(ended, at: 1).name == "p\(ended)")
    }

    @Test("This process has a name and a program")
    func own() throws {
        let own = try #require(WriterProcess(running: getpid()))
        #expect(own.name?.isEmpty == false)
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #expect(own.executable?.string == link)
        // No process has the largest number: the kernel gives less.
        #expect(WriterProcess(running: .max) == nil)
    }
}
