import DocumentFoundation
import FileSystem
import Foundation
import Testing
import UniformTypeIdentifiers

/// Written as apps write it, with Foundation and our module imported side by side.
@Suite("Resource values of items in containers")
struct ItemResourceValuesTests {
    @Test("Values of an item that is in a container and not kept in step now")
    func values() throws {
        let place = try AccountPlace()
        let folder = try place.join("cloud", at: 1)
        let url = folder.appendingPathComponent("a.txt")
        try Data("text".utf8).write(to: url)
        try UbiquityAccount.$shared.withValue(place.account()) {
            let values = try url.resourceValues(forKeys: [
                .isUbiquitousItemKey, .ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsUploadedKey,
                .ubiquitousItemContainerDisplayNameKey, .ubiquitousItemHasUnresolvedConflictsKey,
                .ubiquitousItemIsSharedKey, .ubiquitousSharedItemCurrentUserPermissionsKey, .fileSizeKey,
                .nameKey,
            ])
            #expect(values.isUbiquitousItem == true)
            #expect(values.ubiquitousItemDownloadingStatus == .current)
            // Nobody is there who could tell.
            #expect(values.ubiquitousItemIsUploaded == nil)
            #expect(values.ubiquitousItemContainerDisplayName == "cloud")
            #expect(values.ubiquitousItemHasUnresolvedConflicts == false)
            #expect(values.ubiquitousItemIsShared == false)
            #expect(values.ubiquitousSharedItemCurrentUserPermissions == nil)
            #expect(values.fileSize == 4 && values.name == "a.txt")
            // Not asked for.
            #expect(values.isDirectory == nil && values.ubiquitousItemIsDownloading == nil)
            let keys: Set<URLResourceKey> = [.isUbiquitousItemKey, .isRegularFileKey]
            if let isUbiquitous = try? url.resourceValues(forKeys: keys).isUbiquitousItem {
                #expect(isUbiquitous)
            } else {
                Issue.record("nothing is known of \(url)")
            }
            #expect(try url.resourceValues(forKeys: keys).allValues.count == 2)
            let local = try place.base.resourceValues(forKeys: keys)
            #expect(local.isUbiquitousItem == false)
            // By its name it is Foundation's.
            let foundation: URLResourceValues = try url.resourceValues(forKeys: [.fileSizeKey])
            #expect(foundation.fileSize == 4)
        }
    }

    @Test("An item has a type by its name and its kind, and a number of its own that a rename leaves")
    func described() throws {
        let place = try AccountPlace()
        func values(_ name: String) throws -> ItemResourceValues {
            try place.base.appendingPathComponent(name).resourceValues(forKeys: [
                .contentTypeKey, .fileIdentifierKey,
            ])
        }
        for name in ["a.txt", "pack.rtfd/TXT.rtf", "folder/b", "none"] {
            let url = place.base.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data("text".utf8).write(to: url)
        }
        let link = place.base.appendingPathComponent("link.txt")
        try FileManager.default.createSymbolicLink(
            at: link,
            withDestinationURL: place.base.appendingPathComponent("a.txt")
        )
        #expect(try values("a.txt").contentType?.identifier == "public.plain-text")
        #expect(try values("pack.rtfd").contentType?.identifier == "com.apple.rtfd")
        #expect(try values("folder").contentType?.identifier == "public.folder")
        #expect(try values("none").contentType?.identifier == "public.data")
        #expect(try values("link.txt").contentType?.identifier == "public.symlink")
        let number = try #require(try values("a.txt").fileIdentifier)
        #expect(try values("none").fileIdentifier != number)
        try FileManager.default.moveItem(
            at: place.base.appendingPathComponent("a.txt"),
            to: place.base.appendingPathComponent("b.png")
        )
        let moved = try values("b.png")
        #expect(moved.contentType?.identifier == "public.png" && moved.fileIdentifier == number)
        #expect(Set(moved.allValues.keys) == [.contentTypeKey, .fileIdentifierKey])
        let others = try place.base.resourceValues(forKeys: [.nameKey])
        #expect(others.contentType == nil && others.fileIdentifier == nil)
        #expect(throws: CocoaError.self) { try values("absent") }
    }

    @Test("A placeholder's values are those of the item that it stands for")
    func placeholder() throws {
        let place = try AccountPlace()
        let folder = try place.join("cloud", at: 1)
        let url = folder.appendingPathComponent("a.txt")
        let placeholder = Placeholder(
            name: "a.txt",
            byteCount: 1234,
            isDirectory: false,
            typeIdentifier: "public.plain-text"
        )
        let standIn = folder.appendingPathComponent(".a.txt.icloud")
        try placeholder.encoded().write(to: standIn)
        let date = Date(timeIntervalSince1970: 1000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: standIn.path)
        try UbiquityAccount.$shared.withValue(place.account()) {
            #expect(FileManager.default.isUbiquitousItem(at: url))
            #expect(try url.checkPromisedItemIsReachable())
            let values = try url.resourceValues(forKeys: [
                .ubiquitousItemDownloadingStatusKey, .fileSizeKey, .nameKey, .isRegularFileKey,
                .contentModificationDateKey,
            ])
            #expect(values.ubiquitousItemDownloadingStatus == .notDownloaded)
            #expect(values.contentModificationDate == date)
            #expect(values.allValues[.contentModificationDateKey] as? Date == date)
            #expect(values.fileSize == 1234 && values.name == "a.txt" && values.isRegularFile == true)
            #expect(try url.promisedItemResourceValues(forKeys: [.fileSizeKey]).fileSize == 1234)
            #expect(try url.resourceValues(forKeys: [.fileSizeKey]).contentModificationDate == nil)
            #expect(throws: (any Error).self) {
                try folder.appendingPathComponent("b.txt").resourceValues(forKeys: [.isUbiquitousItemKey])
            }
        }
    }

    @Test("An item is excluded from sync, and taken in again")
    func exclusion() throws {
        let place = try AccountPlace()
        var url = try place.join("cloud", at: 1).appendingPathComponent("cache", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let inner = url.appendingPathComponent("a.txt")
        try Data("text".utf8).write(to: inner)
        try UbiquityAccount.$shared.withValue(place.account()) {
            var values = URLResourceValues()
            values.ubiquitousItemIsExcludedFromSync = true
            values.contentModificationDate = Date(timeIntervalSince1970: 1000)
            try url.setResourceValues(values)
            let keys: Set<URLResourceKey> = [
                .ubiquitousItemIsExcludedFromSyncKey, .contentModificationDateKey,
            ]
            var read = try url.resourceValues(forKeys: keys)
            #expect(read.ubiquitousItemIsExcludedFromSync == true)
            #expect(read.contentModificationDate == Date(timeIntervalSince1970: 1000))
            #expect(!FileManager.default.isUbiquitousItem(at: url))
            #expect(!FileManager.default.isUbiquitousItem(at: inner))
            read.ubiquitousItemIsExcludedFromSync = false
            try url.setResourceValues(read)
            #expect(FileManager.default.isUbiquitousItem(at: inner))
        }
    }
}
