import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

/// A package of which only the text is read.
private class Album: UIDocument {
    private(set) var package = FileWrapper(directoryWithFileWrappers: [:])
    /// Tells of each loading.
    let loadings: AsyncStream<Void>
    private let loaded: AsyncStream<Void>.Continuation

    override init(fileURL url: URL) {
        (loadings, loaded) = AsyncStream.makeStream()
        super.init(fileURL: url)
    }

    override func contents(forType typeName: String) throws -> Any { package }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let tree = contents as? FileWrapper else { return }
        package = tree
        _ = package.fileWrappers?["TXT.rtf"]?.regularFileContents
        loaded.yield()
    }

    func set(_ text: String, _ name: String) {
        package.fileWrappers?[name].map(package.removeFileWrapper)
        package.addRegularFile(withContents: Data(text.utf8), preferredFilename: name)
        updateChangeCount(.done)
    }
}

/// One whose members nobody looks at who keeps its states.
private final class UnkeptAlbum: Album {
    override class var keepsVersions: Bool { false }
}

/// What comes into a package that is open elsewhere.
@Suite("Members that come", .onOwnThreads, .timeLimit(.minutes(2)))
@MainActor
struct WorldMembersTests {
    /// Writes a member where it is, dated before anybody's next look: its folder is as old as it was.
    private func write(_ text: String, into member: URL) throws {
        let file = try FileHandle(forWritingTo: member)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
        let attributes = [FileAttributeKey.modificationDate: Date.now - 600]
        try FileManager.default.setAttributes(attributes, ofItemAtPath: member.path)
    }

    @Test(
        "A document hears of a member that was written in place elsewhere before it was opened, and that it has not read",
        arguments: [true, false]
    )
    func writtenInPlace(keepsVersions: Bool) async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Album.init, "a.rtfd", on: phone) { album in
            album.set("text", "TXT.rtf")
            album.set("old image", "image.png")
        }
        try await world.settle()
        pad.goOffline()
        try write("new image", into: pad.folder.appendingPathComponent("a.rtfd/image.png"))
        let url = phone.folder.appendingPathComponent("a.rtfd")
        try await phone.run { @MainActor in
            let album = keepsVersions ? Album(fileURL: url) : UnkeptAlbum(fileURL: url)
            var loadings = album.loadings.makeAsyncIterator()
            #expect(await album.open())
            #expect(await loadings.next() != nil)
            pad.goOnline()
            try await world.settle()
            #expect(await loadings.next() != nil)
            album.set("edited", "TXT.rtf")
            #expect(await album.save(to: url, for: .forOverwriting))
            album.set("edited again", "TXT.rtf")
            #expect(await album.close())
        }
        try await world.settle()
        for device in [phone, pad] {
            let image = device.folder.appendingPathComponent("a.rtfd/image.png")
            #expect(try String(contentsOf: image, encoding: .utf8) == "new image", "\(device.name)")
        }
        guard keepsVersions else { return try world.end() }
        let kept = try await phone.run {
            try (NSFileVersion.otherVersionsOfItem(at: url) ?? []).map { version in
                try ["TXT.rtf", "image.png"].map {
                    try String(contentsOf: version.url.appendingPathComponent($0), encoding: .utf8)
                }
            }
        }
        #expect(kept.contains(["edited", "new image"]), "\(kept)")
        try world.end()
    }
}
