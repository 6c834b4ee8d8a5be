import Foundation
import HubProtocol
import Testing

@testable import DocumentTesting

/// What the make-believe hub refuses for its size, as one of users' own does.
@Suite("Limits of the make-believe hub")
struct HubInMemoryLimitsTests {
    private let hub: HubInMemory
    private let line: HubInMemory.Line

    init() throws {
        hub = try HubInMemory(ContainerName(unchecked: Array(repeating: 7, count: ContainerName.byteCount)))
        line = hub.line()
    }

    private func code(_ body: () throws -> Void) throws -> HubFailureCode? {
        do { try body() } catch let failure as HubFailure { return failure.error.code }
        return nil
    }

    private func names(_ count: Int) -> [BlobName] {
        Array(repeating: BlobName(unchecked: Array(repeating: 1, count: BlobName.byteCount)), count: count)
    }

    @Test("Too many names are refused, whatever is asked of them")
    func names() throws {
        let (most, more) = (names(HubLimits.blobNameCountMax), names(HubLimits.blobNameCountMax + 1))
        let head = try line.log(after: 0, waitSeconds: 0).head
        for (names, wanted) in [(most, nil), (more, HubFailureCode.tooLarge)] {
            #expect(try code { _ = try line.missing(names) } == wanted)
            #expect(try code { _ = try line.read(names) } == wanted)
            #expect(try code { _ = try line.release(names, asOf: head) } == wanted)
        }
    }

    @Test("Too many commits, a record that is too long and too long keys are refused, and nothing is written")
    func records() throws {
        func commit(_ byteCount: Int) throws -> OfferedCommit {
            let item = ItemName(unchecked: Array(repeating: 3, count: ItemName.byteCount))
            let id = try #require(CommitName("a-1"))
            return OfferedCommit(item: item, base: 0, id: id, record: Data(count: byteCount))
        }
        let many = Array(repeating: try commit(1), count: HubLimits.commitCountMax + 1)
        #expect(try code { _ = try line.offer(many) } == .tooLarge)
        #expect(try code { _ = try line.offer([try commit(HubLimits.recordByteCountMax + 1)]) } == .tooLarge)
        #expect(hub.entryCount == 0)
        #expect(try code { _ = try line.offer([try commit(HubLimits.recordByteCountMax)]) } == nil)
        #expect(hub.entryCount == 1)
        let device = DeviceName(unchecked: Array(repeating: 5, count: DeviceName.byteCount))
        let keys = Data(count: HubLimits.wrappedKeyByteCountMax + 1)
        #expect(try code { try line.keep(WrappedKeys(generation: 1, keys: keys), for: device) } == .tooLarge)
    }

    @Test("Frames that are too long together are refused")
    func frames() throws {
        #expect(try code { try line.store(Data(count: HubLimits.framesByteCountMax + 1)) } == .tooLarge)
        #expect(hub.blobCount == 0)
    }

    @Test(
        "Records may come to a little more than the quota, contents may not; nothing of a request is written"
    )
    func quota() throws {
        func commit(_ number: UInt8, _ byteCount: Int) throws -> OfferedCommit {
            let item = ItemName(unchecked: Array(repeating: number, count: ItemName.byteCount))
            let id = try #require(CommitName("a-\(number)"))
            return OfferedCommit(item: item, base: 0, id: id, record: Data(count: byteCount))
        }
        _ = try line.offer([try commit(1, 60)])
        hub.limit(toByteCount: 100, sparing: 50)
        #expect(try code { _ = try line.offer([try commit(2, 60), try commit(3, 60)]) } == .quota)
        #expect(hub.entryCount == 1)
        #expect(try code { _ = try line.offer([try commit(2, 90)]) } == nil)
        #expect(try code { _ = try line.offer([try commit(3, 1)]) } == .quota)
        // What is there already is no more than it is.
        #expect(try code { _ = try line.offer([try commit(2, 90)]) } == nil)
        #expect(try code { try line.store(Data()) } == .quota)
        hub.limit(toByteCount: .max)
        #expect(try code { _ = try line.offer([try commit(3, 1)]) } == nil)
        #expect(hub.entryCount == 3)
    }

    @Test("A hub without room on its volume writes nothing more down, and gives what it has")
    func full() throws {
        let item = ItemName(unchecked: Array(repeating: 3, count: ItemName.byteCount))
        let id = try #require(CommitName("a-1"))
        let commit = OfferedCommit(item: item, base: 0, id: id, record: Data(count: 9))
        _ = try line.offer([commit])
        hub.fill()
        let other = OfferedCommit(
            item: ItemName(unchecked: Array(repeating: 4, count: ItemName.byteCount)),
            base: 0,
            id: id,
            record: Data(count: 9)
        )
        #expect(try code { _ = try line.offer([other]) } == .volumeFull)
        #expect(try code { _ = try line.offer([commit]) } == nil)
        let device = DeviceName(unchecked: Array(repeating: 5, count: DeviceName.byteCount))
        let keys = WrappedKeys(generation: 1, keys: Data(count: 9))
        #expect(try code { try line.keep(keys, for: device) } == .volumeFull)
        #expect(try line.log(after: 0, waitSeconds: 0).entries.count == 1)
        // Its volume is what it is, whatever is put back on it.
        hub.restore(hub.backup())
        #expect(try code { _ = try line.offer([other]) } == .volumeFull)
        hub.free()
        #expect(try code { _ = try line.offer([other]) } == nil)
    }
}
