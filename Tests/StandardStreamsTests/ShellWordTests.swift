import Foundation
import StandardStreams
import Testing

@Suite("A word of a command")
struct ShellWordTests {
    @Test("A plain path is left as it is; any other is put in quotes")
    func words() {
        #expect("/srv/Documents/a-1_b.txt".shellWord == "/srv/Documents/a-1_b.txt")
        #expect("/Büro/手紙.txt".shellWord == "/Büro/手紙.txt")
        #expect("".shellWord == "''")
        #expect("/My Documents".shellWord == "'/My Documents'")
        #expect("it's".shellWord == "'it'\\''s'")
        #expect("a\nb".shellWord == "$'a\\012b'")
    }

    @Test("A shell makes of it the text again, and runs nothing of it")
    func shell() throws {
        for text in [
            "a b", "$(exit 3)", "`exit 3`", "a;exit 3", "it's", "\"", "\\", "*", "~", "#a", "!a", "a=b",
            "é 😀", "a\n\t'b\\\u{1B}[31m\u{85}", "-n", " ", "{a,b}", "a&b|c>d",
        ] {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = ["-c", "printf %s " + text.shellWord]
            process.standardOutput = output
            try process.run()
            let said = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let isSo = process.terminationStatus == 0 && String(decoding: said, as: UTF8.self) == text
            #expect(isSo, "\(text)")
        }
    }
}
