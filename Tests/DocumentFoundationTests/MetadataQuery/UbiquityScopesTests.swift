import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DocumentFoundation

/// The search scopes of containers.
@Suite("Ubiquitous search scopes", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct UbiquityScopesTests {
    /// A query on a queue of its own, and the paths that it has found, below a folder.
    private final class Search: @unchecked Sendable {
        // Sendable because the query is used on its queue alone, and what is found is locked.
        private let query = NSMetadataQuery()
        private let queue = OperationQueue()
        private let root: String
        private let found = Locked<Set<String>?>(nil)
        private let isFound = DispatchSemaphore(value: 0)
        private var observers: [any NSObjectProtocol] = []

        init(_ scopes: [Any], of items: [URL]? = nil, below root: URL) {
            self.root = root.path + "/"
            queue.maxConcurrentOperationCount = 1
            query.operationQueue = queue
            (query.searchScopes, query.searchItems) = (scopes, items)
            query.predicate = NSPredicate(format: "%K LIKE '*'", NSMetadataItemFSNameKey)
            query.notificationBatchingInterval = 0
            for name in [Notification.Name.NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate] {
                observers.append(
                    NotificationCenter.default.addObserver(forName: name, object: query, queue: nil) {
                        [weak self] _ in self?.look()
                    }
                )
            }
            query.start()
        }

        deinit {
            query.stop()
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }

        private func look() {
            let paths = query.results.compactMap {
                ($0 as? NSMetadataItem)?.value(forAttribute: NSMetadataItemPathKey) as? String
            }
            found.withLock { $0 = Set(paths.map { String($0.dropFirst(root.count)) }) }
            isFound.signal()
        }

        /// Whether it comes to find these and nothing else.
        func finds(_ expected: Set<String>) -> Bool {
            let deadline = DispatchTime.now() + 60
            while found.withLock({ $0 }) != expected {
                guard isFound.wait(timeout: deadline) == .success else { return false }
            }
            return true
        }
    }

    private let place: AccountPlace
    private let root: URL

    init() throws {
        place = try AccountPlace()
        root = try place.join("cloud", at: 1).appendingPathComponent("iCloud~x", isDirectory: true)
    }

    private func write(_ path: String) throws {
        let url = root.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(path.utf8).write(to: url)
    }

    private func within(_ body: () throws -> Void) throws {
        let account = place.account([:], ["SHEAF_UBIQUITY_CONTAINER": "iCloud.x"])
        try UbiquityAccount.$shared.withValue(account) { try body() }
    }

    @Test(
        "The data of a container is all but its documents: beside its folders, in them, and in what comes later"
    )
    func data() throws {
        try within {
            for path in ["Documents/a.txt", "Documents/in/b.txt", "Library/c.txt", "d.txt"] {
                try write(path)
            }
            let search = Search([NSMetadataQueryUbiquitousDataScope], below: root)
            #expect(search.finds(["Library", "Library/c.txt", "d.txt"]))
            try write("Caches/deep/e.txt")
            try write("Documents/f.txt")
            try write("g.txt")
            #expect(
                search.finds([
                    "Library", "Library/c.txt", "d.txt", "Caches", "Caches/deep", "Caches/deep/e.txt",
                    "g.txt",
                ])
            )
            // What leaves the documents is data then, and the other way round.
            let files = FileManager.default
            try files.moveItem(
                at: root.appendingPathComponent("Documents/a.txt"),
                to: root.appendingPathComponent("Library/a.txt")
            )
            try files.moveItem(
                at: root.appendingPathComponent("g.txt"),
                to: root.appendingPathComponent("Documents/g.txt")
            )
            #expect(
                search.finds([
                    "Library", "Library/a.txt", "Library/c.txt", "d.txt", "Caches", "Caches/deep",
                    "Caches/deep/e.txt",
                ])
            )
        }
    }

    @Test(
        "Documents and data together are the whole container, each item once; the folder of the documents is none"
    )
    func both() throws {
        try within {
            for path in ["Documents/a.txt", "Library/c.txt"] { try write(path) }
            let scopes = [NSMetadataQueryUbiquitousDocumentsScope, NSMetadataQueryUbiquitousDataScope]
            #expect(Search(scopes, below: root).finds(["Documents/a.txt", "Library", "Library/c.txt"]))
            let documents = Search([NSMetadataQueryUbiquitousDocumentsScope], below: root)
            #expect(documents.finds(["Documents/a.txt"]))
        }
    }

    @Test("No document comes from outside, alone or beside the documents")
    func external() throws {
        try within {
            try write("Documents/a.txt")
            let external = NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope
            #expect(Search([external], below: root).finds([]))
            let both = Search([NSMetadataQueryUbiquitousDocumentsScope, external], below: root)
            #expect(both.finds(["Documents/a.txt"]))
        }
    }

    @Test("A placeholder in the data is found under its item's name")
    func placeholder() throws {
        try within {
            try write("Library/c.txt")
            let evicted = Placeholder(name: "e.txt", byteCount: 8, isDirectory: false, typeIdentifier: nil)
            try evicted.encoded().write(to: root.appendingPathComponent("Library/.e.txt.icloud"))
            let search = Search([NSMetadataQueryUbiquitousDataScope], below: root)
            #expect(search.finds(["Library", "Library/c.txt", "Library/e.txt"]))
        }
    }

    @Test("What is not here came to be when its placeholder says, as its resource values have it")
    func creationDate() throws {
        try within {
            let born = Date(timeIntervalSince1970: 1_234_567_890)
            let evicted = Placeholder(
                name: "e.txt",
                byteCount: 8,
                isDirectory: false,
                typeIdentifier: nil,
                creationDate: born
            )
            try write("Documents/a.txt")
            let documents = root.appendingPathComponent("Documents", isDirectory: true)
            try evicted.encoded().write(to: documents.appendingPathComponent(".e.txt.icloud"))
            let roots = QueryScopes([root]).roots()
            let states = try #require(QueryScopes([root]).states(below: roots, nil))
            for name in ["a.txt", "e.txt"] {
                let url = documents.appendingPathComponent(name)
                let attributes = ItemAttributes(
                    folder: FilePath(documents.path),
                    name: name,
                    form: .file,
                    types: ItemTypes(),
                    ubiquity: states
                )
                let values = try url.resourceValues(forKeys: [.creationDateKey])
                let expected = values.creationDate.map(PredicateValue.date)
                #expect(expected != nil || name == "a.txt")
                for key in [NSMetadataItemFSCreationDateKey, NSMetadataItemContentCreationDateKey] {
                    #expect(attributes.value(of: key) == expected ?? .null)
                }
            }
        }
    }

    @Test("A container that is searched by its folder, or one in it, shows what is not here as its scopes do")
    func folders() throws {
        try within {
            for path in ["Documents/a.txt", "Documents/e.txt"] { try write(path) }
            let documents = root.appendingPathComponent("Documents", isDirectory: true)
            let item = documents.appendingPathComponent("e.txt")
            let searches = [
                Search([root], below: root), Search([documents], below: root),
                Search([documents.path], below: root), Search([], of: [item], below: root),
            ]
            let expected: [Set<String>] = [
                ["Documents", "Documents/a.txt", "Documents/e.txt"], ["Documents/a.txt", "Documents/e.txt"],
                ["Documents/a.txt", "Documents/e.txt"], ["Documents/e.txt"],
            ]
            for (search, expected) in zip(searches, expected) { #expect(search.finds(expected)) }
            let evicted = Placeholder(name: "e.txt", byteCount: 8, isDirectory: false, typeIdentifier: nil)
            try evicted.encoded().write(to: documents.appendingPathComponent(".e.txt.icloud"))
            try FileManager.default.removeItem(at: item)
            try write("Documents/later.txt")
            for (search, expected) in zip(searches.dropLast(), expected) {
                #expect(search.finds(expected.union(["Documents/later.txt"])))
            }
            // Of one that is searched by itself nothing has changed: a new search finds it too.
            #expect(Search([], of: [item], below: root).finds(["Documents/e.txt"]))
        }
    }

    @Test("Of several folders those in no container are in none, and have nothing that says how it stands")
    func mixed() throws {
        try within {
            try write("Documents/a.txt")
            let other = place.base.appendingPathComponent("other", isDirectory: true)
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            try Data().write(to: other.appendingPathComponent("b.txt"))
            let roots = QueryScopes([root, other]).roots()
            let states = try #require(QueryScopes([root, other]).states(below: roots, nil))
            func value(_ key: String, _ url: URL) -> PredicateValue? {
                states.value(of: key, at: FilePath(url.path))
            }
            let inside = root.appendingPathComponent("Documents/a.txt")
            let outside = other.appendingPathComponent("b.txt")
            let status = NSMetadataUbiquitousItemDownloadingStatusKey
            #expect(value(NSMetadataItemIsUbiquitousKey, inside) == .integer(1))
            #expect(value(status, inside) == .string(NSMetadataUbiquitousItemDownloadingStatusCurrent))
            #expect(value(NSMetadataItemIsUbiquitousKey, outside) == .integer(0))
            #expect(value(status, outside) == .null)
            #expect(QueryScopes([other]).states(below: QueryScopes([other]).roots(), nil) == nil)
        }
    }

    /// A folder with a container in it, and another folder beside that.
    private func outer() throws -> (account: UbiquityAccount, place: AccountPlace, outer: URL) {
        let place = try AccountPlace()
        let cloud = try place.join("outer/cloud", at: 1)
        let documents = cloud.appendingPathComponent("iCloud~x/Documents", isDirectory: true)
        let beside = place.base.appendingPathComponent("outer/beside", isDirectory: true)
        for folder in [documents, beside] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("1".utf8).write(to: folder.appendingPathComponent("a.txt"))
            let evicted = Placeholder(name: "e.txt", byteCount: 8, isDirectory: false, typeIdentifier: nil)
            try evicted.encoded().write(to: folder.appendingPathComponent(".e.txt.icloud"))
        }
        let account = place.account([:], ["SHEAF_UBIQUITY_CONTAINER": "iCloud.x"])
        return (account, place, place.base.appendingPathComponent("outer", isDirectory: true))
    }

    @Test("Items of containers are found by a folder above these as by their own, and stand as they do")
    func foldersAbove() throws {
        let (account, place, outer) = try outer()
        let documents = outer.appendingPathComponent("cloud/iCloud~x/Documents")
        var state = ItemSyncState(path: documents.appendingPathComponent("a.txt").path)
        state.isUploaded = true
        let stub = try StatesStub(place) { [state] question in
            switch question {
            case .follow(outer.appendingPathComponent("cloud").path, true): .changed([], isSettled: true)
            case .items: .items([state])
            default: .refused(SyncRefusal(.notInContainer, "It is in none."))
            }
        }
        let kinds: [[Any]] = [
            [outer], [NSMetadataQueryUbiquitousDocumentsScope, outer],
            [outer, NSMetadataQueryUbiquitousDataScope],
        ]
        try UbiquityAccount.$shared.withValue(account) {
            for scopes in kinds {
                let inside = ["cloud/iCloud~x", "cloud/iCloud~x/Documents"]
                let files = ["a.txt", "e.txt"].map { "cloud/iCloud~x/Documents/" + $0 }
                // What is hidden in no container stands for nothing.
                let all = Set(["cloud", "beside", "beside/a.txt"] + inside + files)
                #expect(Search(scopes, below: outer).finds(all), "\(scopes)")
                let roots = QueryScopes(scopes).roots()
                #expect(roots == [FilePath(outer.path)])
                let states = try #require(QueryScopes(scopes).states(below: roots, nil))
                states.follow(isAwaited: true) { _ in }
                states.awaitFirst(seconds: 600)
                defer { states.end() }
                func value(_ key: String, _ path: String) -> PredicateValue? {
                    states.value(of: key, at: FilePath(outer.path).appending(path))
                }
                for path in inside + files {
                    #expect(value(NSMetadataItemIsUbiquitousKey, path) == .integer(1))
                }
                for path in ["cloud", "beside", "beside/a.txt"] {
                    #expect(value(NSMetadataItemIsUbiquitousKey, path) == .integer(0))
                }
                let status = NSMetadataUbiquitousItemDownloadingStatusKey
                let (current, missing) = (
                    NSMetadataUbiquitousItemDownloadingStatusCurrent,
                    NSMetadataUbiquitousItemDownloadingStatusNotDownloaded
                )
                #expect(value(status, files[0]) == .string(current))
                #expect(value(status, files[1]) == .string(missing))
                #expect(value(NSMetadataUbiquitousItemIsUploadedKey, files[0]) == .integer(1))
            }
        }
        withExtendedLifetime(stub) {}
    }

    @Test("A container whose folder is not there is awaited")
    func awaited() throws {
        try within {
            try FileManager.default.removeItem(at: root.deletingLastPathComponent())
            let documents = Search([NSMetadataQueryUbiquitousDocumentsScope], below: root)
            let data = Search([NSMetadataQueryUbiquitousDataScope], below: root)
            #expect(documents.finds([]) && data.finds([]))
            for path in ["Documents/a.txt", "Library/b.txt"] { try write(path) }
            #expect(documents.finds(["Documents/a.txt"]))
            #expect(data.finds(["Library", "Library/b.txt"]))
        }
    }

    @Test("Where nothing is joined the scopes are empty")
    func nothing() throws {
        let account = try AccountPlace().account([:], ["SHEAF_UBIQUITY_CONTAINER": "iCloud.x"])
        UbiquityAccount.$shared.withValue(account) {
            #expect(Search([NSMetadataQueryUbiquitousDataScope], below: root).finds([]))
        }
    }

    @Test("All containers that the app declares are searched, each with its own name")
    func severalContainers() throws {
        let own = try place.join("notes", identifier: "iCloud.notes", at: 2)
        let declared: [String: Any] = [
            "NSUbiquitousContainers": [
                "iCloud.x": ["NSUbiquitousContainerName": "Account"],
                "iCloud.notes": ["NSUbiquitousContainerName": "Notes"],
            ]
        ]
        let account = place.account(declared)
        for container in [root, own] {
            let documents = container.appendingPathComponent("Documents", isDirectory: true)
            try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
            try Data().write(to: documents.appendingPathComponent("a.txt"))
            try Data().write(to: container.appendingPathComponent("data"))
        }
        UbiquityAccount.$shared.withValue(account) {
            let documents = Search([NSMetadataQueryUbiquitousDocumentsScope], below: place.base)
            #expect(documents.finds(["cloud/iCloud~x/Documents/a.txt", "notes/Documents/a.txt"]))
            let data = Search([NSMetadataQueryUbiquitousDataScope], below: place.base)
            #expect(data.finds(["cloud/iCloud~x/data", "notes/data"]))
            let roots = QueryScopes([NSMetadataQueryUbiquitousDocumentsScope]).roots()
            let states = UbiquityStates(account, below: roots)
            let key = NSMetadataUbiquitousItemContainerDisplayNameKey
            let paths = [root, own].map { FilePath($0.appendingPathComponent("Documents/a.txt").path) }
            #expect(states.value(of: key, at: paths[0]) == .string("Account"))
            #expect(states.value(of: key, at: paths[1]) == .string("Notes"))
        }
    }
}
