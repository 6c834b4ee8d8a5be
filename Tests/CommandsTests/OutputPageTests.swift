import Commands
import Foundation
import Testing

/// Docs/formats/commands.md names all that commands print with `--json`.
@Suite("What commands print with --json")
struct OutputPageTests {
    @Test("The page has every key, of what is there always and of what may be left out")
    func keys() throws {
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Docs/formats/commands.md").standardizedFileURL,
            encoding: .utf8
        )
        for value in Self.values {
            for case let key? in Mirror(reflecting: value).children.map({ $0.label }) {
                #expect(page.contains("`\(key)`"), "\(type(of: value)): \(key)")
            }
        }
    }

    /// One of each.
    private static var values: [Any] {
        let item = SyncRole.Item(path: "", isSettled: true, change: "none", causes: [], next: "")
        let folder = SyncRole.Folder(
            folder: "",
            hub: "",
            line: "up",
            lineFailure: nil,
            itemCount: 0,
            unsettledCount: 0,
            isSettled: true,
            stuck: [:]
        )
        return [
            folder, SyncRole.Folder.Note(path: "", text: "", isLeftOut: false),
            SyncRole.Folder.Brake(isLeaving: false, waitingCount: 0, itemCount: 0),
            SyncRole.Folder.BrakeLimits.standard, SyncRole.Folder.LargeChange(itemCount: 0, restorePoint: 0),
            SyncRole.HubDeed(kind: "", since: "", text: "", next: ""), item, SyncRole.Item.Cause("", ""),
            SyncRole.Item.Transfer(0, of: 0, objects: nil),
            SyncRole.Item.Device(name: "", isThis: true, standing: "", asked: nil),
            SyncRole.Event(date: "", folder: "", text: "", isWrong: false),
            SharingRole.Device(id: "", name: "", since: nil),
            VersionsRole.Version(
                id: "",
                date: "",
                device: nil,
                reason: nil,
                byteCount: nil,
                isConflict: false
            ),
            VaultRole.Condition(checkedByteCount: 0, versionCount: 0, faults: [], brokenVersions: []),
        ]
    }
}
