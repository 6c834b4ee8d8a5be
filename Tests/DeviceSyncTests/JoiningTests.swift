import FileSystem
import Foundation
import TestFolders
import Testing

@testable import DeviceSync

/// What is left of a joining that comes to nothing. Nobody answers where its hub is to be.
@Suite("Joining")
struct JoiningTests {
    private let own: TestFolder
    private let home: DeviceHome
    private let joining: Joining
    private var root: FilePath { FilePath(own.path) }

    init() throws {
        own = try TestFolder("joining")
        home = try DeviceHome(at: FilePath(own.path).appending("home"))
        joining = Joining(home, at: try #require(URL(string: "http://127.0.0.1:1")), named: "desk")
    }

    @Test("Folders that were made for it go again")
    func madeFolders() throws {
        let folder = root.appending("a").appending("b")
        #expect(throws: (any Error).self) { try joining.begin(folder, invitation: "ANY") }
        #expect(try FileStamp.ifPresent(at: folder.parent) == nil)
    }

    @Test("A folder that was there stays, with what is in it")
    func presentFolder() throws {
        let folder = root.appending("a")
        try ItemMoves.createFolder(folder)
        try ItemMoves.createFile(folder.appending("b.txt"), contents: Data("b".utf8))
        #expect(throws: (any Error).self) { try joining.begin(folder, invitation: "ANY") }
        #expect(try FolderScan.names(in: folder) == ["b.txt"])
    }

    @Test("A folder that cannot be looked into is refused before the hub is asked")
    func closedFolder() throws {
        let folder = root.appending("a")
        try ItemMoves.createFolder(folder)
        let closed = ClosedFolder(place: folder)
        let error = #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(closed) { try joining.begin(folder, invitation: "ANY") }
        }
        #expect(error?.isForbidden == true && error?.path == folder)
    }

    /// Nobody opens a folder, as where it is another user's.
    private struct ClosedFolder: SystemCallObserver {
        let place: FilePath
        func willMake(_ call: SystemCall) -> CInt {
            call.name == "openat" && call.path == place ? EACCES : 0
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test("Settings and keys that are damaged are named, with what helps")
    func damaged() throws {
        let name = String(repeating: "0a", count: 16)
        let folder = root.appending("home").appending("containers").appending(name)
        try ItemMoves.createFolders(folder, permissions: 0o700)
        for name in ["settings", "keys", "device"] {
            try ItemMoves.createFile(folder.appending(name), contents: Data("{".utf8))
        }
        let error = #expect(throws: DeviceHomeError.self) { try home.containers() }
        #expect(error == .damaged(folder.appending("settings")))
        #expect(error?.description.contains(folder.appending("settings").string) == true)
    }
}
