import FileSystem
import Foundation
import Testing

@Suite("The kernel's files")
struct ProcessFilesTests {
    @Test("A file that the kernel makes up as it is read is read whole, however long it is")
    func whole() throws {
        let place = "/proc/self/smaps"
        let text = try #require(ProcessFiles.text(at: FilePath(place)))
        // It is longer than a page, and ends with the last mapping's last line.
        #expect(text.utf8.count > 10_000 && text.split(separator: "\n").last?.hasPrefix("VmFlags") == true)
    }

    @Test("A number that is given to one read alone is read with all its digits")
    func number() throws {
        let name = "/proc/sys/kernel/pid_max"
        let text = try #require(ProcessFiles.text(at: FilePath(name)))
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: name))
        #expect(text == String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self))
        #expect(text.count > 2)
    }
}
