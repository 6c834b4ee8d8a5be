import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

/// A package of which only the text is read.
private final class Album: UIDocument {
    private(set) var package = FileWrapper(directoryWithFileWrappers: [:])
    private(set) var loadCount = 0
    private(set) var onLoad: (() -> Void)?

    override func contents(forType typeName: String) throws -> Any { package }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let tree = contents as? FileWrapper else { return }
        package = tree
        _ = bytes("TXT.rtf")
        loadCount += 1
        onLoad?()
    }

    func bytes(_ name: String) -> String? {
        package.fileWrappers?[name]?.regularFileContents.map { String(decoding: $0, as: UTF8.self) }
    }

    func set(_ text: String, _ name: String) {
        package.fileWrappers?[name].map(package.removeFileWrapper)
        package.addRegularFile(withContents: Data(text.utf8), preferredFilename: name)
        updateChangeCount(.done)
    }

    /// Waits until it has been loaded so often.
    func loaded(count: Int) async {
        await withCheckedContinuation { continuation in
            let resume = { [unowned self] in
                guard loadCount >= count else { return }
                onLoad = nil
                continuation.resume()
            }
            onLoad = resume
            resume()
        }
    }
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
        "A document hears of a member that was written in place elsewhere before it was opened, and that it has not read"
    )
    func writtenInPlace() async throws {
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
            let album = Album(fileURL: url)
            #expect(await album.open())
            pad.goOnline()
            try await world.settle()
            await album.loaded(count: 2)
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
