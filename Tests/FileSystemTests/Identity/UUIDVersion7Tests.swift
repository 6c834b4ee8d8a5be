import FileSystem
import Foundation
import Testing

@Suite("UUIDs of version 7")
struct UUIDVersion7Tests {
    @Test("They bear the time, the version and the variant, and no two are the same")
    func form() {
        let before = UInt64(Date().timeIntervalSince1970 * 1000) - 1
        let marks = (0..<10_000).map { _ in FileMark(.version7()) }
        let after = UInt64(Date().timeIntervalSince1970 * 1000) + 1
        #expect(Set(marks).count == marks.count)
        #expect(Set(marks.map { $0.high & 0xfff }).count > 1)
        for mark in marks {
            #expect((before...after).contains(mark.high >> 16))
            #expect(mark.high >> 12 & 0xf == 7)
            #expect(mark.low >> 62 == 2)
        }
    }

    @Test("A mark has the bytes of its UUID, in their order, and is made of them again")
    func bytes() throws {
        let uuid = UUID.version7()
        let mark = FileMark(uuid)
        #expect(mark.bytes == withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })
        #expect(FileMark(bytes: mark.bytes) == mark)
        #expect(FileMark(mark.high, mark.low) == mark)
        #expect(mark.description == mark.bytes.map { String(format: "%02x", $0) }.joined())
        #expect(FileMark(bytes: mark.bytes.dropLast()) == nil)
        #expect(FileMark(bytes: mark.bytes + [0]) == nil)
    }
}
