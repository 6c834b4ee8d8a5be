import CrashHarness
import Foundation
import Testing

@testable import FileSystem

@Suite("FolderWalk")
struct FolderWalkTests {
    private let scratch: ScratchFolder
    private var root: FilePath { scratch.path.appending("root") }

    init() throws { scratch = try ScratchFolder() }

    private func make(_ places: String...) throws {
        for place in places {
            let url = URL(fileURLWithPath: root.string + "/" + place)
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if !place.hasSuffix("/") { try Data("1".utf8).write(to: url) }
        }
    }

    private func visits(
        of walk: inout FolderWalk,
        from start: FilePath? = nil,
        isDeep: Bool = true,
        until last: String? = nil
    ) -> [String] {
        var names: [String] = []
        walk.walk(start ?? root, isDeep: isDeep) { place, _, _ in
            names.append(String(place.string.dropFirst(root.string.count + 1)))
            return place.name != last
        }
        return names
    }

    private func usual(_ memberCountMax: Int = 1000) -> FolderWalk {
        FolderWalk(within: .init(memberCountMax: memberCountMax, millisecondsMax: 60_000))
    }

    @Test("What is near comes before what is far, hidden folders are not entered, and links are not followed")
    func order() throws {
        try make("far/far/c", "far/b", ".hidden/x", "a")
        try FileManager.default.createSymbolicLink(
            atPath: root.string + "/link",
            withDestinationPath: scratch.path.string
        )
        var walk = usual()
        let names = visits(of: &walk)
        #expect(names.sorted() == [".hidden", "a", "far", "far/b", "far/far", "far/far/c", "link"])
        #expect(Array(names.suffix(1)) == ["far/far/c"])
        #expect(!walk.isExhausted)
    }

    @Test("A walk that is not deep looks at a folder's own members, which may be walked once all the same")
    func shallow() throws {
        try make("far/b", "a")
        var walk = usual()
        #expect(visits(of: &walk, isDeep: false).sorted() == ["a", "far"])
        #expect(visits(of: &walk).sorted() == ["a", "far", "far/b"])
        #expect(visits(of: &walk) == [])
        #expect(visits(of: &walk, from: root.appending("far")) == [])
    }

    @Test("The visitor ends a walk, and its bounds end it for good, over all roots")
    func ends() throws {
        try make("far/b", "other/c")
        var walk = usual(3)
        #expect(visits(of: &walk, from: root.appending("far"), until: "b") == ["far/b"])
        #expect(!walk.isExhausted)
        #expect(visits(of: &walk).count == 2)
        #expect(walk.isExhausted)
        #expect(visits(of: &walk, from: root.appending("other")) == [])
    }

    @Test("A root that is not there is left out")
    func missing() {
        var walk = usual()
        #expect(visits(of: &walk) == [])
        #expect(!walk.isExhausted)
    }

    @Test(
        "A walk stays on its root's volume",
        .enabled(if: (try? FileStamp(of: ScratchFolder.memoryDisk)) != nil, "needs /dev/shm")
    )
    func volume() throws {
        let memory = try FileStamp(of: ScratchFolder.memoryDisk).device
        let devices = try FileStamp(of: FilePath("/dev")).device
        guard memory != devices else { return }
        let own = try ScratchFolder(in: ScratchFolder.memoryDisk)
        var walk = FolderWalk(within: .init(memberCountMax: 100_000, millisecondsMax: 60_000))
        var places: Set<FilePath> = []
        walk.walk(FilePath("/dev")) { place, _, _ in
            places.insert(place)
            return true
        }
        let (seesVolume, seesInside) = (
            places.contains(ScratchFolder.memoryDisk), places.contains(own.path)
        )
        #expect(seesVolume)
        #expect(!seesInside)
    }
}
