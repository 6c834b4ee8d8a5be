import Foundation
import Testing

@testable import DocumentFoundation

@Suite("TrashInfo")
struct TrashInfoTests {
    @Test("What is written is read again, whatever the path")
    func roundTrip() {
        for path in ["/a", "b/c d", "/ä\n[x]=\u{1F600}%41", "/~x!*'()"] {
            let info = TrashInfo(path: path, deletionDate: "2026-11-21T01:02:03")
            #expect(TrashInfo(text: info.text) == info, "\(path)")
            #expect(!info.text.contains { !$0.isASCII })
        }
    }

    @Test("Notes of other programs are read: comments, other groups, repeated keys, spaces")
    func others() {
        let text = "# note\r\n[Other]\nPath=/no\n[Trash Info]\nPath =/yes%20it\nPath=/no\nDeletionDate=x\n"
        #expect(TrashInfo(text: text) == TrashInfo(path: "/yes it", deletionDate: "x"))
    }

    @Test(
        "What names no path is no note",
        arguments: [
            "", "[Trash Info]", "Path=/a", "[Trash Info]\nPath=", "[Trash Info]\nPath=%",
            "[Trash Info]\nPath=%0",
            "[Trash Info]\nPath=%G0", "[Trash Info]\nPath=%00", "[Trash Info]\nPath=%FF",
        ]
    )
    func malformed(text: String) {
        #expect(TrashInfo(text: text) == nil)
    }
}
