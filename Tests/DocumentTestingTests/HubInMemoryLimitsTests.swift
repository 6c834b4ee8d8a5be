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
}
