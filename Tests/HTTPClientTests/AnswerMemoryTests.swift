import Foundation
import Testing

@testable import HTTPClient

@Suite("Memory for long answers")
struct AnswerMemoryTests {
    private let memory = AnswerMemory()

    @Test("It is used again while somebody has some of it, and none is kept when nobody has any")
    func reuse() throws {
        let first = try #require(memory.take(700 << 10))
        let second = try #require(memory.take(900 << 10))
        #expect(first.start != second.start && first.capacity >= 700 << 10 && second.capacity >= 900 << 10)
        memory.giveBack(first)
        #expect(memory.spareCount == 1)
        // Too short for this one.
        let third = try #require(memory.take(2 << 20))
        #expect(third.start != first.start && memory.spareCount == 1)
        let fourth = try #require(memory.take(600 << 10))
        #expect(fourth.start == first.start && memory.spareCount == 0)
        for piece in [second, third, fourth] { memory.giveBack(piece) }
        #expect(memory.spareCount == 0)
    }

    @Test("However many have had some of it, a few pieces are kept at most")
    func bounded() throws {
        let pieces = try (0..<20).map { _ in try #require(memory.take(300 << 10)) }
        for piece in pieces.dropFirst() { memory.giveBack(piece) }
        #expect((1...3).contains(memory.spareCount))
        let count = memory.spareCount
        let long = try #require(memory.take(5 << 20))
        memory.giveBack(long)
        #expect(memory.spareCount == count)
        memory.giveBack(pieces[0])
        #expect(memory.spareCount == 0)
    }

    @Test("What is in it is there for as long as anybody has a part of it")
    func data() throws {
        let held = try #require(memory.take(300 << 10))
        var part: Data?
        do {
            let piece = try #require(memory.take(300 << 10))
            for index in 0..<300 << 10 {
                piece.start.storeBytes(
                    of: UInt8(truncatingIfNeeded: index),
                    toByteOffset: index,
                    as: UInt8.self
                )
            }
            part = memory.data(piece, byteCount: 300 << 10)[1000..<1010]
        }
        #expect(memory.spareCount == 0)
        #expect(part.map(Array.init) == (1000..<1010).map { UInt8(truncatingIfNeeded: $0) })
        part = nil
        #expect(memory.spareCount == 1)
        memory.giveBack(held)
        #expect(memory.spareCount == 0)
    }
}
