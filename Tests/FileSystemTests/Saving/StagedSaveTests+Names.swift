import CrashHarness
import FileSystem
import Foundation
import Testing

extension StagedSaveTests {
    @Test("A member whose name only looks like that of one that changes stays")
    func namesAlike() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try DiskTree.folder(["a": "A"]).write(to: item)
        for name in [composed, decomposed] { try DiskTree.file("old").write(to: item.appending(name)) }
        guard try FileReading.entries(in: item).count == 3 else {
            print("not tried: the volume takes the two names for one")
            return
        }
        let paths = ["a", composed].compactMap { MemberPath([$0]) }
        let placed = paths.map { ($0, MemberTree.file(.data(Data("new".utf8)))) }
        let save = try StagedSave(item: item)
        try save.write(PackageChanges(placed: Dictionary(uniqueKeysWithValues: placed)))
        try save.commit()
        try save.removeRemains()
        #expect(try DiskTree(at: item.appending(composed)) == "new")
        #expect(try DiskTree(at: item.appending(decomposed)) == "old")
        #expect(try FileReading.entries(in: item).count == 3)
    }
}
