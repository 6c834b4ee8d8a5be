import Foundation
import HubProtocol
import Testing

@Suite("Frames that are put together")
struct BlobFrameWriterTests {
    private struct Refused: Error {}

    private func name(_ number: UInt8) -> BlobName {
        BlobName(unchecked: [UInt8](repeating: number, count: BlobName.byteCount))
    }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }

    private func append(_ count: Int, _ number: UInt8, to writer: BlobFrameWriter) {
        let bytes = bytes(count)
        writer.append(name(number), byteCount: count) { $0.copyBytes(from: bytes) }
    }

    @Test("They are as they are read, whether room was made for them or not", arguments: [0, 1000, 1 << 20])
    func whole(reserved: Int) throws {
        let writer = BlobFrameWriter()
        #expect(writer.isEmpty && writer.take().isEmpty)
        for round in 0..<2 {
            writer.reserve(reserved)
            var expected = Data()
            for (number, count) in [0, 1, 4096, 100_001, 7].enumerated() {
                append(count, UInt8(number + round), to: writer)
                BlobFrames.append(name(UInt8(number + round)), bytes(count), to: &expected)
                #expect(writer.byteCount == expected.count && !writer.isEmpty)
            }
            let taken = writer.take()
            #expect(taken == expected && writer.isEmpty)
            #expect(try BlobFrames.read(taken).map(\.blob.count) == [0, 1, 4096, 100_001, 7])
        }
    }

    @Test("One that could not be filled is not there")
    func refused() throws {
        let writer = BlobFrameWriter()
        append(10, 1, to: writer)
        #expect(throws: Refused.self) {
            try writer.append(name(2), byteCount: 100_000) { _ in throw Refused() }
        }
        append(20, 3, to: writer)
        let frames = try BlobFrames.read(writer.take())
        #expect(frames.map(\.name) == [name(1), name(3)])
        #expect(frames.map { Array($0.blob) } == [bytes(10), bytes(20)])
    }
}
