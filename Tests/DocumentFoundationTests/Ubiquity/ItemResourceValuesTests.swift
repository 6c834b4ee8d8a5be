import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing
import UniformTypeIdentifiers

@testable import DocumentFoundation

/// Written as apps write it, with Foundation and our module imported side by side.
@Suite("Resource values of items in containers", .onOwnThreads)
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

    @Test("A package is what a type says it is, and has the size of all that is in it")
    func packages() throws {
        let place = try AccountPlace()
        func make(_ name: String, _ members: [String]) throws -> URL {
            let url = place.base.appendingPathComponent(name, isDirectory: true)
            for member in members {
                let file = url.appendingPathComponent(member)
                let folder = file.deletingLastPathComponent()
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data(repeating: 7, count: 5000).write(to: file)
            }
            return url
        }
        let keys: Set<URLResourceKey> = [
            .isPackageKey, .fileSizeKey, .totalFileSizeKey, .totalFileAllocatedSizeKey, .typeIdentifierKey,
        ]
        let package = try make("pack.rtfd", ["TXT.rtf", "deep/er/a.png"]).resourceValues(forKeys: keys)
        #expect(package.isPackage == true && package.typeIdentifier == "com.apple.rtfd")
        #expect(package.fileSize == 10_000 && package.totalFileSize == 10_000)
        #expect(try #require(package.totalFileAllocatedSize) >= 10_000)
        #expect(package.allValues[.isPackageKey] as? Bool == true)
        #expect(package.allValues[.totalFileSizeKey] as? Int == 10_000)
        // No type says that such a directory is one item.
        let folder = try make("x.zzz", ["a"]).resourceValues(forKeys: keys)
        #expect(folder.isPackage == false && folder.totalFileSize == nil && folder.fileSize == nil)
        let file = place.base.appendingPathComponent("x.zzz/a")
        let values = try file.resourceValues(forKeys: keys)
        #expect(values.isPackage == false && values.fileSize == 5000 && values.totalFileSize == 5000)
        var status = stat()
        #expect(stat(file.path, &status) == 0)
        #expect(values.totalFileAllocatedSize == Int(status.st_blocks) * 512)
        #expect(try place.base.resourceValues(forKeys: [.nameKey]).isPackage == nil)
    }

    @Test("A document has a number that stays with it, and a generation that does not survive an edit")
    func identifiers() throws {
        let place = try AccountPlace()
        let settings = BookmarkSettings(environment: ["HOME": place.base.path], userID: geteuid())
        try BookmarkKeeper.$shared.withValue(BookmarkKeeper(settings)) {
            let files = FileManager.default
            let (url, moved) = (
                place.base.appendingPathComponent("a"), place.base.appendingPathComponent("b")
            )
            func values(_ url: URL) throws -> (Int, any NSObjectProtocol) {
                let keys: Set<URLResourceKey> = [.documentIdentifierKey, .generationIdentifierKey]
                let values = try url.resourceValues(forKeys: keys)
                #expect(values.allValues[.documentIdentifierKey] as? Int == values.documentIdentifier)
                return (try #require(values.documentIdentifier), try #require(values.generationIdentifier))
            }
            try Data("one".utf8).write(to: url)
            let (number, first) = try values(url)
            #expect(try values(url).0 == number && values(url).1.isEqual(first))
            try files.moveItem(at: url, to: moved)
            #expect(try values(moved).0 == number)
            let copy = place.base.appendingPathComponent("copy")
            try files.copyItem(at: moved, to: copy)
            #expect(try values(copy).0 != number && values(moved).0 == number)
            let (_, before) = try values(moved)
            let handle = try FileHandle(forWritingTo: moved)
            try handle.write(contentsOf: Data("two".utf8))
            try handle.close()
            #expect(try !values(moved).1.isEqual(before) && values(moved).0 == number)
            // As long and as old as it was: the kernel's own time of the change tells.
            let (_, known) = try values(moved)
            let date = try moved.resourceValues(forKeys: [.contentModificationDateKey])
                .contentModificationDate
            try Data("six".utf8).write(to: moved)
            try files.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: moved.path)
            #expect(try !values(moved).1.isEqual(known))
            let package = place.base.appendingPathComponent("p.rtfd/deep", isDirectory: true)
            try files.createDirectory(at: package, withIntermediateDirectories: true)
            let (_, empty) = try values(package.deletingLastPathComponent())
            try Data("in".utf8).write(to: package.appendingPathComponent("TXT.rtf"))
            #expect(try !values(package.deletingLastPathComponent()).1.isEqual(empty))
        }
    }

    @Test("An item's volume is named, and so are the tags that a desktop has given it")
    func volumesAndTags() throws {
        let place = try AccountPlace()
        let url = place.base.appendingPathComponent("a.txt")
        try Data("text".utf8).write(to: url)
        try AttributeWriting.set("user.xdg.tags", Data("red,to do".utf8), of: FilePath(url.path))
        let values = try url.resourceValues(forKeys: [
            .volumeNameKey, .volumeLocalizedNameKey, .volumeTypeNameKey, .volumeURLKey, .tagNamesKey,
            .volumeSupportsFileProtectionKey, .creationDateKey,
        ])
        let mount = try #require(Mount(of: place.base.path, in: Mount.all))
        #expect(values.volume?.path == mount.place && values.volumeTypeName == mount.type)
        #expect(values.volumeName == (mount.place == "/" ? "/" : FilePath(mount.place).name))
        #expect(values.volumeLocalizedName == values.volumeName)
        #expect(values.volumeSupportsFileProtection == false)
        #expect(values.tagNames == ["red", "to do"])
        let proc = try URL(fileURLWithPath: "/proc/version").resourceValues(forKeys: [
            .volumeTypeNameKey, .volumeNameKey,
        ])
        #expect(proc.volumeTypeName == "proc" && proc.volumeName == "proc")
        // The inode's birth, not the last change of what is known of it.
        let born = try #require(values.creationDate)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        #expect(try url.resourceValues(forKeys: [.creationDateKey]).creationDate == born)
        #expect(try ItemStatus(of: FilePath(url.path)).creationDate == born)
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
            typeIdentifier: "public.plain-text",
            creationDate: Date(timeIntervalSince1970: 500)
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
            let more = try url.resourceValues(forKeys: [
                .isReadableKey, .isWritableKey, .localizedNameKey, .creationDateKey, .parentDirectoryURLKey,
                .typeIdentifierKey, .isPackageKey, .totalFileSizeKey, .volumeNameKey, .isHiddenKey,
                .fileAllocatedSizeKey, .volumeIsReadOnlyKey, .generationIdentifierKey,
                .ubiquitousItemIsDownloadedKey, .ubiquitousItemPercentDownloadedKey,
                .ubiquitousItemPercentUploadedKey, .mayShareFileContentKey, .fileContentIdentifierKey,
                .isExcludedFromBackupKey,
            ])
            #expect(more.isReadable == true && more.isWritable == true && more.isPackage == false)
            #expect(more.localizedName == "a.txt" && more.typeIdentifier == "public.plain-text")
            #expect(more.creationDate == Date(timeIntervalSince1970: 500))
            #expect(more.parentDirectory?.path == folder.path && more.isHidden == false)
            #expect(more.totalFileSize == 1234 && more.fileAllocatedSize == 0)
            #expect(more.volumeName != nil && more.volumeIsReadOnly == false)
            #expect(more.generationIdentifier == nil)
            #expect(more.mayShareFileContent == nil && more.fileContentIdentifier == nil)
            #expect(more.isExcludedFromBackup == nil)
            #expect(more.allValues[.parentDirectoryURLKey] as? URL == more.parentDirectory)
            #expect(more.allValues[.ubiquitousItemIsDownloadedKey] as? Bool == false)
            #expect(more.allValues[.ubiquitousItemPercentDownloadedKey] as? Double == 0)
            // Nobody is there who could tell.
            #expect(more.allValues[.ubiquitousItemPercentUploadedKey] == nil)
            #expect(try url.promisedItemResourceValues(forKeys: [.fileSizeKey]).fileSize == 1234)
            #expect(try url.resourceValues(forKeys: [.fileSizeKey]).contentModificationDate == nil)
            #expect(throws: (any Error).self) {
                try folder.appendingPathComponent("b.txt").resourceValues(forKeys: [.isUbiquitousItemKey])
            }
        }
    }

    @Test("Whoever asks about a placeholder is told of its item; what is only called so is a file")
    func namedByPlaceholder() throws {
        let place = try AccountPlace()
        let folder = try place.join("cloud", at: 1)
        let standIn = folder.appendingPathComponent(".a.txt.icloud")
        let other = folder.appendingPathComponent(".b.txt.icloud")
        let elsewhere = place.base.appendingPathComponent(".a.txt.icloud")
        let placeholder = Placeholder(
            name: "a.txt",
            byteCount: 1234,
            isDirectory: false,
            typeIdentifier: "public.plain-text"
        )
        for url in [standIn, elsewhere] { try placeholder.encoded().write(to: url) }
        try Data("text".utf8).write(to: other)
        try UbiquityAccount.$shared.withValue(place.account()) {
            #expect(FileManager.default.isUbiquitousItem(at: standIn))
            let keys: Set<URLResourceKey> = [.ubiquitousItemDownloadingStatusKey, .nameKey, .fileSizeKey]
            let values = try standIn.resourceValues(forKeys: keys)
            #expect(values.ubiquitousItemDownloadingStatus == .notDownloaded)
            #expect(values.name == "a.txt" && values.fileSize == 1234)
            // Whichever else is asked for.
            #expect(try standIn.resourceValues(forKeys: [.nameKey]).name == "a.txt")
            let others = try other.resourceValues(forKeys: keys)
            #expect(others.ubiquitousItemDownloadingStatus == .current)
            #expect(others.name == ".b.txt.icloud" && others.fileSize == 4)
            #expect(try elsewhere.resourceValues(forKeys: keys).name == ".a.txt.icloud")
            let account = UbiquityAccount.shared
            #expect(account.itemURL(of: standIn) == folder.appendingPathComponent("a.txt"))
            #expect(account.itemURL(of: other) == other && account.itemURL(of: elsewhere) == elsewhere)
        }
    }

    @Test("Of an item that has become older as much is downloaded as has come of the newest state")
    func percentDownloaded() {
        func percent(_ state: ItemSyncState, isDownloaded: Bool) -> Double {
            ItemResourceValues.ItemState(
                isDownloaded: isDownloaded,
                state: state,
                hasConflicts: false,
                containerName: ""
            )
            .percentDownloaded
        }
        var state = ItemSyncState(path: "/a.txt")
        #expect(percent(state, isDownloaded: true) == 100 && percent(state, isDownloaded: false) == 0)
        state.contents = .stale
        #expect(percent(state, isDownloaded: true) == 100)
        state.download = ItemSyncState.Share(25, of: 100)
        #expect(percent(state, isDownloaded: true) == 25 && percent(state, isDownloaded: false) == 25)
    }

    @Test("An item is excluded from sync, and taken in again")
    func exclusion() throws {
        let place = try AccountPlace()
        var url = try place.join("cloud", at: 1).appendingPathComponent("cache", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let inner = url.appendingPathComponent("a.txt")
        try Data("text".utf8).write(to: inner)
        try UbiquityAccount.$shared.withValue(place.account()) {
            var excluded = URLResourceValues()
            excluded.ubiquitousItemIsExcludedFromSync = true
            excluded.contentModificationDate = Date(timeIntervalSince1970: 1000)
            try url.setResourceValues(excluded)
            let keys: Set<URLResourceKey> = [
                .ubiquitousItemIsExcludedFromSyncKey, .contentModificationDateKey,
            ]
            var read = try url.resourceValues(forKeys: keys)
            #expect(read.ubiquitousItemIsExcludedFromSync == true)
            #expect(read.contentModificationDate == Date(timeIntervalSince1970: 1000))
            #expect(!FileManager.default.isUbiquitousItem(at: url))
            #expect(!FileManager.default.isUbiquitousItem(at: inner))
            // Nor is what only a placeholder is here of, which is there all the same.
            let evicted = Placeholder(name: "e.txt", byteCount: 8, isDirectory: false, typeIdentifier: nil)
            try evicted.encoded().write(to: url.appendingPathComponent(".e.txt.icloud"))
            let absent = url.appendingPathComponent("e.txt")
            #expect(!FileManager.default.isUbiquitousItem(at: absent))
            #expect(try absent.checkPromisedItemIsReachable())
            let values = try absent.resourceValues(forKeys: [.isUbiquitousItemKey, .fileSizeKey])
            #expect(values.isUbiquitousItem == false && values.fileSize == 8)
            read.ubiquitousItemIsExcludedFromSync = false
            try url.setResourceValues(read)
            #expect(FileManager.default.isUbiquitousItem(at: inner))
        }
    }
}
