import FileSystem
import Foundation
import TestThreads
import Testing

@Suite("UUIDs of version 8", .onOwnThreads)
struct UUIDVersion8Tests {
    @Test("They count up, bear version and variant, and no two are the same")
    func form() {
        let marks = (0..<10_000).map { _ in FileMark(.version8()) }
        #expect(Set(marks).count == marks.count)
        #expect(Set(marks.map(\.low)).count == marks.count)
        for mark in marks {
            #expect(mark.high >> 12 & 0xf == 8)
            #expect(mark.low >> 62 == 2)
        }
        // Others of this process count, too, and what counts may begin anew.
        let descents = zip(marks, marks.dropFirst()).filter { $0.high >= $1.high }
        #expect(descents.count <= 1)
    }

    @Test("A mark has the bytes of its UUID, in their order, and is made of them again")
    func bytes() throws {
        let uuid = UUID.version8()
        let mark = FileMark(uuid)
        #expect(mark.bytes == withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })
        #expect(FileMark(bytes: mark.bytes) == mark)
        #expect(FileMark(mark.high, mark.low) == mark)
        #expect(mark.description == mark.bytes.map { String(format: "%02x", $0) }.joined())
        #expect(FileMark(bytes: mark.bytes.dropLast()) == nil)
        #expect(FileMark(bytes: mark.bytes + [0]) == nil)
    }
}
