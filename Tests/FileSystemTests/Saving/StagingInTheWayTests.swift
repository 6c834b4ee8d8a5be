import CrashHarness
import Foundation
import TestThreads
import Testing

@testable import FileSystem

@Suite("StagingInTheWay", .onOwnThreads)
struct StagingInTheWayTests {
    @Test(
        "What another user's save has left is told with whose it is, and keeps nobody from opening",
        .enabled(if: geteuid() == 0),
        arguments: [0o777, 0o1777] as [UInt32]
    )
    func othersStaging(permissions: UInt32) async {
        await #expect(processExitsWith: .success) { [permissions = permissions as UInt32] in
            let place = try OthersPlace()
            try #require(chmod(place.scratch.path.string, permissions) == 0)
            guard let item = try place.file(named: "item.doc", permissions: 0o666) else { return }
            let staging = place.scratch.path.appending(SaveSite.stagingName(for: "item.doc"))
            try DiskTree.folder([:]).write(to: staging)
            try #require(chmod(staging.string, 0o700) == 0 && chown(staging.string, 1000, 1000) == 0)
            let error = #expect(throws: SystemError.self) { try place.save(item, asGroup: 1001) }
            let found = try #require(error?.stagingInTheWay)
            #expect(found.owner == 1000 && found.path == staging && found.item == item)
            #expect(error?.description.contains(staging.string) == true)
            #expect(error?.description.contains("user ") == true)
            try #require(seteuid(1001) == 0)
            try SaveRecovery.recover(item: item)
            try #require(seteuid(0) == 0)
            #expect(try DiskTree(at: item) == "old")
        }
    }

    @Test("What no save has made is told as that")
    func bait() throws {
        let scratch = try ScratchFolder()
        let item = scratch.path.appending("item.doc")
        let staging = scratch.path.appending(SaveSite.stagingName(for: "item.doc"))
        try DiskTree.link("elsewhere").write(to: staging)
        let save = try StagedSave(item: item)
        let error = #expect(throws: SystemError.self) { try save.write(Data("1".utf8)) }
        let found = try #require(error?.stagingInTheWay)
        #expect(found.owner == geteuid() && found.item == item)
        #expect(error?.remedy == found.remedy && found.remedy.hasPrefix("Remove it"))
    }
}
