import DocumentTesting
import Foundation
import LocalSockets
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// Where the process is asked that keeps folders in step.
@Suite("The name of a service", .onOwnThreads, .timeLimit(.minutes(2)))
struct ServiceNameTests {
    @Test(
        "Where the folder goes in which it is asked, or its name in that, it is asked there again",
        arguments: ["", "/sync"]
    )
    func renewed(name: String) throws {
        let pair = try DevicePair.holding("text", as: "a.txt")
        let (_, end) = try pair.serve()
        let path = pair.base.path + "/run"
        #expect(FileManager.default.fileExists(atPath: "\(path)/\(SyncQuery.socketName)"))
        if name.isEmpty {
            // In one step: while all in it went, its name would be there again.
            try FileManager.default.moveItem(atPath: path, toPath: path + "-gone")
            try FileManager.default.removeItem(atPath: path + "-gone")
        } else {
            try FileManager.default.removeItem(atPath: "\(path)/\(SyncQuery.socketName)")
        }
        let isAnswered = pair.two.wait {
            (try? SyncQuery.status(in: RuntimeFolder(path: path)).map(\.folder)) == [pair.two.folder.path]
        }
        #expect(isAnswered)
        end()
        pair.end()
    }
}
