import FileSystem
import Testing

/// Moments as the kernel notes them.
@Suite("File times")
struct FileTimeTests {
    @Test(
        "What came of a count of nanoseconds is that count again",
        arguments: [Int64.min, -1_000_000_001, -1_000_000_000, -1, 0, 1, 999_999_999, 1_000_000_000, .max]
    )
    func counted(count: Int64) {
        let time = FileTime(nanosecondsSince1970: count)
        #expect(0..<1_000_000_000 ~= time.nanoseconds)
        #expect(time.nanosecondsSince1970 == count)
    }

    @Test("What is too far away has no count", arguments: [Int64.min, -9_223_372_038, 9_223_372_037, .max])
    func beyond(seconds: Int64) {
        #expect(FileTime(seconds: seconds, nanoseconds: 0).nanosecondsSince1970 == nil)
    }

    @Test("A nanosecond more than the most, and one less than the least, have none")
    func edges() {
        let (most, least) = (FileTime(nanosecondsSince1970: .max), FileTime(nanosecondsSince1970: .min))
        #expect(
            FileTime(seconds: most.seconds, nanoseconds: most.nanoseconds + 1).nanosecondsSince1970 == nil
        )
        #expect(
            FileTime(seconds: least.seconds, nanoseconds: least.nanoseconds - 1).nanosecondsSince1970 == nil
        )
    }
}
