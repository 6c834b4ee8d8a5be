import DocumentFoundation
import FileSystem
import Foundation
import TestThreads
import Testing

@Suite("Bookmarks", .onOwnThreads)
struct BookmarkTests {
    private let stage: BookmarkStage

    init() throws { stage = try BookmarkStage() }

    private func bookmark(_ url: URL, _ options: URL.BookmarkCreationOptions = []) throws -> Data {
        try stage.run { try url.bookmarkData(options: options) }
    }

    private func code(_ body: () throws -> Void) -> CocoaError.Code? {
        do { try body() } catch { return (error as? CocoaError)?.code }
        return nil
    }

    @Test("A bookmark leads to its item, before and after saves, and is not stale")
    func resolves() throws {
        let url = try stage.write("Sea.txt")
        let data = try bookmark(url)
        for text in ["2", "3"] {
            let resolved = try stage.resolve(data)
            #expect(resolved.url == url)
            #expect(!resolved.isStale)
            try stage.save(url, text)
        }
        #expect(try !stage.resolve(data).isStale)
        #expect(try String(contentsOf: stage.resolve(data).url, encoding: .utf8) == "3")
    }

    @Test("A renamed, moved and saved item is found; the bookmark is stale, a fresh one is not")
    func moved() throws {
        let url = try stage.write("Sea.txt")
        var data = try bookmark(url)
        var now = url
        for name in ["Ocean.txt", "deep/er/Ocean.txt", "Lake.txt"] {
            try stage.move(now, to: stage.place(name))
            now = stage.place(name)
            try stage.save(now, name)
            let resolved = try stage.resolve(data)
            #expect(resolved.url == now)
            #expect(resolved.isStale)
            data = try bookmark(now)
            #expect(try !stage.resolve(data).isStale)
        }
    }

    @Test("Folders and packages are bookmarked like files, and stay folders")
    func folders() throws {
        try stage.write("Trip.scrapbook/text.txt")
        let url = stage.documents.appendingPathComponent("Trip.scrapbook", isDirectory: true)
        let data = try bookmark(url)
        #expect(try stage.resolve(data).url == url)
        let target = stage.documents.appendingPathComponent("in/Journey.scrapbook", isDirectory: true)
        try stage.move(url, to: target)
        #expect(try stage.resolve(data).url == target)
        #expect(try stage.resolve(data).url.hasDirectoryPath)
    }

    @Test("The bookmark of a deleted item fails, and says which item")
    func deleted() throws {
        let url = try stage.write("Sea.txt")
        let data = try bookmark(url)
        try FileManager.default.removeItem(at: url)
        do {
            _ = try stage.resolve(data)
            Issue.record("resolved what was deleted")
        } catch let error as CocoaError {
            #expect(error.code == .fileNoSuchFile)
            #expect(error.userInfo[NSURLErrorKey] as? URL == url)
            #expect(
                (error.userInfo[NSLocalizedFailureReasonErrorKey] as? String)?.contains("Sea.txt") == true
            )
        }
        try stage.write("Sea.txt", "of another kind now")
        #expect(try stage.resolve(data).isStale)
        try FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        #expect(code { _ = try stage.resolve(data) } == .fileNoSuchFile)
    }

    @Test("What is not there cannot be bookmarked")
    func absent() {
        #expect(code { _ = try bookmark(stage.place("none")) } == .fileReadNoSuchFile)
    }

    @Test("A URL that names no file is kept as it is")
    func otherURLs() throws {
        let url = try #require(URL(string: "https://example.org/sea?wave=1#2"))
        let resolved = try stage.resolve(try bookmark(url))
        #expect(resolved.url == url)
        #expect(!resolved.isStale)
    }

    @Test("A copy that bears its original's mark gets its own, and each bookmark leads to its item")
    func copies() throws {
        let url = try stage.write("Sea.txt")
        let data = try bookmark(url)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        process.arguments = ["-a", url.path, stage.place("Copy.txt").path]
        try process.run()
        process.waitUntilExit()
        let copy = stage.place("Copy.txt")
        let copyData = try bookmark(copy)
        try stage.move(url, to: stage.place("in/A.txt"))
        try stage.move(copy, to: stage.place("in/B.txt"))
        #expect(try stage.resolve(data).url == stage.place("in/A.txt"))
        #expect(try stage.resolve(copyData).url == stage.place("in/B.txt"))
    }

    @Test("Making a bookmark leaves contents and modification time alone")
    func leavesItemsAlone() throws {
        let url = try stage.write("Sea.txt", "waves")
        let path = try #require(FilePath(url))
        let before = try FileStamp(of: path)
        _ = try bookmark(url)
        #expect(try FileStamp(of: path) == before)
        #expect(try FileIdentity(of: path).mark != nil)
    }

    @Test("A bookmark altered in any byte is refused")
    func altered() throws {
        let data = try bookmark(try stage.write("Sea.txt"))
        for at in data.indices {
            var altered = data
            altered[at] ^= 1 << UInt8(at % 8)
            #expect(code { _ = try stage.resolve(altered) } == .fileReadCorruptFile, "byte \(at)")
        }
        for count in 0..<data.count {
            let cut = data.prefix(count)
            #expect(code { _ = try stage.resolve(cut) } == .fileReadCorruptFile, "\(count) bytes")
        }
        #expect(code { _ = try stage.resolve(data + [0]) } == .fileReadCorruptFile)
    }

    @Test("Another user's bookmark is refused")
    func foreign() throws {
        let other = try BookmarkStage()
        let url = try stage.write("Sea.txt")
        let data = try other.run { try url.bookmarkData() }
        #expect(code { _ = try stage.resolve(data) } == .fileReadCorruptFile)
    }

    @Test("All programs of a user resolve one another's bookmarks")
    func shared() throws {
        let url = try stage.write("Sea.txt")
        let data = try bookmark(url)
        let other = BookmarkKeeper(BookmarkStage.settings(stage.root))
        let resolved = try BookmarkKeeper.$shared.withValue(other) {
            var isStale = true
            return try URL(resolvingBookmarkData: data, bookmarkDataIsStale: &isStale)
        }
        #expect(resolved == url)
    }

    @Test("The key is made once, by whoever is first, and nobody else can read it")
    func key() async throws {
        let url = try stage.write("Sea.txt")
        let root = stage.root
        let all = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let keeper = BookmarkKeeper(BookmarkStage.settings(root))
                    return try BookmarkKeeper.$shared.withValue(keeper) { try url.bookmarkData() }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for data in all { #expect(try stage.resolve(data).url == url) }
        let folder = root.appendingPathComponent("state/sheaf")
        let key = folder.appendingPathComponent("bookmark-key")
        let attributes = try FileManager.default.attributesOfItem(atPath: key.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "bookmark-key", "identities",
            ]
        )
    }

    @Test("A key that others can read is not used")
    func exposedKey() throws {
        let url = try stage.write("Sea.txt")
        _ = try bookmark(url)
        let key = stage.root.appendingPathComponent("state/sheaf/bookmark-key")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.path)
        let other = BookmarkKeeper(BookmarkStage.settings(stage.root))
        #expect(
            code { _ = try BookmarkKeeper.$shared.withValue(other) { try url.bookmarkData() } }
                == .fileReadNoPermission
        )
    }

    @Test("A symbolic link is bookmarked itself; one above an item is resolved")
    func links() throws {
        let url = try stage.write("real/Sea.txt")
        let link = try stage.link("link", to: "real")
        let data = try bookmark(link.appendingPathComponent("Sea.txt"))
        #expect(try stage.resolve(data).url == url)
        let own = try bookmark(try stage.link("Sea link", to: "real/Sea.txt"))
        #expect(try stage.resolve(own).url == stage.place("Sea link"))
    }

    @Test("A minimal bookmark is smaller, and finds its item as well")
    func minimal() throws {
        let url = try stage.write("Sea.txt")
        let data = try bookmark(url, .minimalBookmark)
        #expect(try data.count < bookmark(url).count)
        try stage.move(url, to: stage.place("Ocean.txt"))
        #expect(try stage.resolve(data).url == stage.place("Ocean.txt"))
    }

    @Test("A bookmark keeps resource values as they were when it was made")
    func values() throws {
        let url = try stage.write("Sea.txt", "waves")
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey, .parentDirectoryURLKey]
        let data = try stage.run { try url.bookmarkData(includingResourceValuesForKeys: keys) }
        try FileManager.default.removeItem(at: url)
        let wanted: [URLResourceKey] = [
            .fileSizeKey, .contentModificationDateKey, .nameKey, .pathKey, .isDirectoryKey, .creationDateKey,
        ]
        let kept = try stage.run {
            try #require(NSURL.resourceValues(forKeys: wanted, fromBookmarkData: data))
        }
        #expect(kept[.fileSizeKey] as? Int == 5)
        #expect(kept[.nameKey] as? String == "Sea.txt")
        #expect(kept[.pathKey] as? String == url.path)
        #expect(kept[.isDirectoryKey] as? Bool == false)
        #expect(kept[.contentModificationDateKey] is Date)
        #expect(kept[.creationDateKey] == nil)
        let values = try stage.run {
            try #require(URL.resourceValues(forKeys: Set(wanted), fromBookmarkData: data))
        }
        #expect(values.name == "Sea.txt")
        #expect(values.contentModificationDate == kept[.contentModificationDateKey] as? Date)
        #expect(stage.run { URL.resourceValues(forKeys: [.nameKey], fromBookmarkData: Data([1])) } == nil)
    }

    @Test("NSURL does what URL does")
    func reference() throws {
        let url = try stage.write("Sea.txt")
        try stage.run {
            let data = try (url as NSURL).bookmarkData(includingResourceValuesForKeys: nil, relativeTo: nil)
            try stage.move(url, to: stage.place("Ocean.txt"))
            var isStale = ObjCBool(false)
            let found = try NSURL(
                resolvingBookmarkData: data,
                relativeTo: nil,
                bookmarkDataIsStale: &isStale
            )
            #expect(found as URL == stage.place("Ocean.txt"))
            #expect(isStale.boolValue)
            var problem: NSError?
            #expect(found.checkPromisedItemIsReachableAndReturnError(&problem))
            var value: AnyObject? = NSNumber(value: 7)
            try found.getPromisedItemResourceValue(&value, forKey: .isRegularFileKey)
            #expect(value as? Bool == true)
            try found.getPromisedItemResourceValue(&value, forKey: .nameKey)
            #expect(value as? String == found.lastPathComponent)
            try found.getPromisedItemResourceValue(&value, forKey: .labelNumberKey)
            #expect(value == nil)
            value = NSNumber(value: 7)
            #expect(throws: CocoaError.self) {
                try (url as NSURL).getPromisedItemResourceValue(&value, forKey: .nameKey)
            }
            #expect(value as? Int == 7)
            #expect(!(url as NSURL).checkPromisedItemIsReachableAndReturnError(&problem))
            #expect(problem != nil)
            let web = try #require(URL(string: "https://example.org/sea"))
            let webData = try (web as NSURL).bookmarkData(
                includingResourceValuesForKeys: nil,
                relativeTo: nil
            )
            let webFound = try NSURL(
                resolvingBookmarkData: webData,
                relativeTo: nil,
                bookmarkDataIsStale: nil
            )
            #expect(webFound as URL == web)
        }
    }
}
