import FileSystem
import Foundation
import Locks
import TestFolders
import Testing

@testable import DocumentFoundation

@Suite("NSMetadataItem")
struct NSMetadataItemTests {
    /// Has something happen right after a file has been looked at, once.
    private final class Meanwhile: SystemCallObserver {
        private let body: Locked<(@Sendable () -> Void)?>

        init(_ body: @escaping @Sendable () -> Void) { self.body = Locked(body) }

        func willMake(_ call: SystemCall) -> CInt { 0 }

        func didMake(_ call: SystemCall) {
            guard call.name == "statx" else { return }
            let body = self.body.withLock { body in
                defer { body = nil }
                return body
            }
            body?()
        }
    }

    @Test("A value that was being read as the query told of a change is not kept")
    func refreshedMeanwhile() throws {
        let folder = try TestFolder("metadata-item")
        defer { withExtendedLifetime(folder) {} }
        let url = folder.url.appendingPathComponent("a.txt")
        try Data("old".utf8).write(to: url)
        let attributes = ItemAttributes(
            folder: FilePath(folder.url.path),
            name: "a.txt",
            form: .file,
            types: ItemTypes()
        )
        let item = NSMetadataItem(attributes, number: nil)
        let change = Meanwhile {
            // Not written, it has not the size that is asked for below.
            try? Data("newer".utf8).write(to: url)
            item.refresh(attributes)
        }
        let before = SystemCallObservation.withObserver(change) { item.value(of: NSMetadataItemFSSizeKey) }
        #expect(before == .integer(3))
        #expect(item.value(forAttribute: NSMetadataItemFSSizeKey) as? Int == 5)
    }

    @Test("The URL of a package is the same whether its contents are here or not")
    func evictedPackage() throws {
        let place = try AccountPlace()
        let documents = try place.join("cloud", at: 1)
        let folder = FilePath(documents.path)
        func url(_ name: String, _ form: ItemForm) -> PredicateValue {
            var attributes = ItemAttributes(folder: folder, name: name, form: form, types: ItemTypes())
            attributes.ubiquity = UbiquityStates(place.account(), below: [folder])
            return attributes.value(of: NSMetadataItemURLKey)
        }
        for (name, isDirectory) in [("A.rtfd", true), ("a.txt", false)] {
            let evicted = Placeholder(name: name, byteCount: 8, isDirectory: isDirectory, typeIdentifier: nil)
            try evicted.encoded().write(to: documents.appendingPathComponent(".\(name).icloud"))
            #expect(url(name, .file) == url(name, isDirectory ? .package : .file))
            let expected = documents.appendingPathComponent(name, isDirectory: isDirectory)
            #expect(url(name, .file) == .url(expected))
        }
    }

    @Test("Whether it is in conflict is asked each time: that one is settled nothing has to tell of")
    func settled() throws {
        let place = try AccountPlace()
        let documents = try place.join("cloud", at: 1)
        let stage = try VersionStage(root: documents)
        let url = try stage.save("won", at: "a.txt")
        let loser = try stage.write("lost", at: "elsewhere.txt")
        let mark = try #require(try FileIdentity.ifPresent(at: FilePath(url.path))?.mark)
        _ = try stage.store.keepConflict(at: FilePath(loser.path), of: url, as: mark, .conflict)
        let folder = FilePath(documents.path)
        var attributes = ItemAttributes(folder: folder, name: "a.txt", form: .file, types: ItemTypes())
        attributes.ubiquity = UbiquityStates(place.account(), below: [folder])
        let item = NSMetadataItem(attributes, number: nil)
        try stage.run {
            let key = NSMetadataUbiquitousItemHasUnresolvedConflictsKey
            #expect(item.value(forAttribute: key) as? Bool == true)
            for version in try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)) {
                version.isResolved = true
            }
            #expect(item.value(forAttribute: key) as? Bool == false)
        }
    }
}
