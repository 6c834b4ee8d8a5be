import HubProtocol
import Testing
import Vault

@testable import DeviceSync

/// How many objects are asked for at a time.
@Suite("The pace of answers")
struct AnswerPaceTests {
    private var pace = AnswerPace(answerByteCount: 3200)

    private func objects(_ kind: ObjectKind, _ count: Int) throws -> [VaultObject] {
        let name = try #require(ObjectName([UInt8](repeating: 0, count: ObjectName.byteCount)))
        return Array(repeating: VaultObject(name, kind), count: count)
    }

    private func count(of kind: ObjectKind) throws -> Int { try pace.first(of: objects(kind, 20_000)).count }

    private mutating func note(_ kind: ObjectKind, _ byteCounts: Int...) {
        pace.note(byteCounts.map { (kind, $0) })
    }

    @Test("Lists that are short make no request for pieces longer, which may be large")
    mutating func kinds() throws {
        #expect(try count(of: .list) == 32 && count(of: .chunk) == 32)
        for _ in 0..<4 { note(.list, 1, 2) }
        #expect(try count(of: .list) > 32 && count(of: .chunk) == 32)
        #expect(try pace.first(of: objects(.list, 16) + objects(.chunk, 100)).count == 16 + 32)
    }

    @Test("Of small ones twice as many are asked for each time, and no more than a hub is asked for")
    mutating func small() throws {
        note(.chunk, 10, 10)
        #expect(try count(of: .chunk) == 64)
        note(.chunk, 10)
        #expect(try count(of: .chunk) == 128)
        for _ in 0..<20 { note(.chunk, 0) }
        #expect(try count(of: .chunk) == 3200)
        pace = AnswerPace(answerByteCount: 1 << 20)
        for _ in 0..<20 { note(.chunk, 0) }
        #expect(try count(of: .chunk) == HubLimits.blobNameCountMax)
    }

    @Test("Of documents that are small as many are asked for at once as fill an answer")
    mutating func ofDocuments() throws {
        pace = AnswerPace(answerByteCount: 3200, ofDocuments: [4, 6])
        #expect(try count(of: .chunk) == 640 && count(of: .list) == 32)
        // Large ones have several pieces, of which nobody knows how long they are.
        pace = AnswerPace(answerByteCount: 3200, ofDocuments: [1_000_000, 100, 100])
        #expect(try count(of: .chunk) == 32)
        // Most pieces are theirs, however many small documents there are beside them.
        pace = AnswerPace(answerByteCount: 3200, ofDocuments: Array(repeating: 1, count: 400) + [100_000])
        #expect(try count(of: .chunk) < 64)
        pace = AnswerPace(answerByteCount: 3200, ofDocuments: [.max, .max])
        #expect(try count(of: .chunk) == 32)
        pace = AnswerPace(answerByteCount: 3200, ofDocuments: [0, 0])
        #expect(try count(of: .chunk) == 3200)
        pace = AnswerPace(answerByteCount: 3200)
        #expect(try count(of: .chunk) == 32)
    }

    @Test("Of large ones fewer are asked for at once, and one always")
    mutating func large() throws {
        note(.chunk, 300, 500)
        #expect(try count(of: .chunk) == 8)
        note(.chunk, 1_000_000)
        #expect(try count(of: .chunk) == 1)
        #expect(pace.first(of: []).isEmpty)
    }
}
