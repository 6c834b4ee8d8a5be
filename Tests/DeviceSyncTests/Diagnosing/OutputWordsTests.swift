import Commands
import Foundation
import SyncMessages
import Testing

@testable import DeviceSync

/// Docs/formats/commands.md names all words by which scripts tell one cause, or one finding, from another.
@Suite("Words for scripts")
struct OutputWordsTests {
    @Test("The page has the kind of every cause, and of every finding of the doctor")
    func words() throws {
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../../Docs/formats/commands.md").standardizedFileURL,
            encoding: .utf8
        )
        let causes = Explanation.Cause.Kind.allCases.map(\.rawValue)
        let findings = DoctorFinding.Kind.allCases.map(\.rawValue) + [DoctorRole.Finding.ofAccesses]
        for word in causes + findings {
            #expect(page.contains("`\(word)`"), "\(word)")
        }
    }
}
