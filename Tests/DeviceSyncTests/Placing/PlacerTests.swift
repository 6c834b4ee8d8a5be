import CLinux
import DocumentFoundation
import FileSystem
import Foundation
import Locks
import Sync
import TestFolders
import TestThreads
import Testing
import Vault

@testable import DeviceSync

@Suite("What is put in place, and what others do meanwhile", .onOwnThreads)
struct PlacerTests {
    private let item = ItemID(1, 1)

    /// Works in a folder that is gone afterwards.
    private func withPlacer(_ body: (Placer, FilePath) throws -> Void) throws {
        let folder = try TestFolder("placer")
        defer { withExtendedLifetime(folder) {} }
        let root = FilePath(folder.path)
        let vault = try Vault(at: root.appending("vault"))
        let contents = ContentStore(vault: vault, device: UUID(), deviceName: "here")
        let coordinator = NSFileCoordinator(filePresenter: nil)
        try body(Placer(root: root, contents: contents, access: FolderAccess(coordinator)), root)
    }

    private func known(_ path: FilePath, _ content: ContentName) throws -> FolderItem {
        let status = try #require(try FolderScan.status(at: path))
        let state = ItemState(.document, at: ItemPlace(.root, path.name), content: content)
        return FolderItem(state: state, trace: ItemTrace(status))
    }

    private func text(_ path: FilePath) throws -> String {
        String(decoding: try Data(contentsOf: path.url(isDirectory: false)), as: UTF8.self)
    }

    /// What somebody does to a document at the very moment in which something has got its name.
    enum Deed: CaseIterable {
        case nothing, save, tag
    }

    private struct Saver: SystemCallObserver {
        let path: FilePath
        let deed: Deed

        func willMake(_ call: SystemCall) -> CInt { 0 }

        func didMake(_ call: SystemCall) {
            guard call.name == "renameat2", call.path.name == path.name else { return }
            switch deed {
            case .nothing: break
            case .save:
                do {
                    try Data("what is saved".utf8).write(to: path.url(isDirectory: false), options: .atomic)
                } catch { Issue.record("\(error)") }
            case .tag: #expect(CLinux.setxattr(path.string, "user.tag", "red", 3, 0) == 0, "\(errno)")
            }
        }
    }

    @Test(
        "What somebody saves or tags as his document is moved is read: it is not what was moved",
        arguments: Deed.allCases
    )
    func savedWhileMoved(deed: Deed) throws {
        try withPlacer { placer, root in
            let (former, now) = (root.appending("a.txt"), root.appending("b.txt"))
            try Data("what was read".utf8).write(to: former.url(isDirectory: false))
            let content = try #require(try placer.contents.keep(Vault.Keepable(former, as: item.mark)))
            var table = FolderTable()
            table[item] = try known(former, content)
            var moved = try #require(table[item]?.state)
            moved.place.name = "b.txt"
            var replaced: ReplacedFile?
            let outcome = try SystemCallObservation.withObserver(Saver(path: now, deed: deed)) {
                try placer.place(item, moved, modified: nil, in: table, replaced: &replaced)
            }
            guard case .done(let placed?) = outcome else {
                Issue.record("it is not done: \(outcome)")
                return
            }
            #expect(try text(now) == (deed == .save ? "what is saved" : "what was read"))
            // A trace that is not the file's has the next look read it.
            let seen = ItemTrace(try #require(try FolderScan.status(at: now)))
            #expect((placed.trace == seen) == (deed == .nothing))
        }
    }

    @Test("Contents leave that the vault has copied, and is lent as it looks whether they are still the same")
    func evictedAsLent() throws {
        let folder = try TestFolder("placer")
        defer { withExtendedLifetime(folder) {} }
        let root = FilePath(folder.path)
        let path = root.appending("a.txt")
        try Data(String(repeating: "text ", count: 4000).utf8).write(to: path.url(isDirectory: false))
        func contents(lentFrom byteCount: Int64) throws -> ContentStore {
            let vault = try Vault(at: root.appending("vault"), lentByteCountMin: byteCount)
            return ContentStore(vault: vault, device: UUID(), deviceName: "here")
        }
        let content = try #require(try contents(lentFrom: 1 << 40).keep(.init(path, as: item.mark)))
        var table = FolderTable()
        table[item] = try known(path, content)
        let access = FolderAccess(NSFileCoordinator(filePresenter: nil))
        let placer = Placer(root: root, contents: try contents(lentFrom: 1), access: access)
        let outcome = try placer.evict(item, in: table, saysWho: false)
        guard case .done(let placeholder?) = outcome else {
            Issue.record("it is not done: \(outcome)")
            return
        }
        #expect(placeholder.isDataless && !FileManager.default.fileExists(atPath: path.string))
    }

    /// How contents come to a place.
    enum Coming: CaseIterable {
        /// As those of a document that was not there.
        case new
        /// The same, among others.
        case amongOthers
        /// In the place of what the document held.
        case newer
    }

    @Test(
        "What somebody saves or tags as contents come to the place is read: it is not what has come",
        arguments: Coming.allCases,
        Deed.allCases
    )
    func savedAsItComes(_ coming: Coming, deed: Deed) throws {
        try withPlacer { placer, root in
            let (source, path) = (root.appending("source.txt"), root.appending("a.txt"))
            try Data("what comes".utf8).write(to: source.url(isDirectory: false))
            let content = try #require(try placer.contents.keep(Vault.Keepable(source, as: item.mark)))
            let state = ItemState(.document, at: ItemPlace(.root, "a.txt"), content: content)
            var table = FolderTable()
            if coming == .newer {
                try Data("what was read".utf8).write(to: path.url(isDirectory: false))
                table[item] = try known(path, ContentName("read"))
            }
            let saver = Saver(path: path, deed: deed)
            let outcome = try SystemCallObservation.withObserver(saver) { () throws -> Placer.Outcome in
                if coming == .amongOthers {
                    let new = Placer.NewDocument(item: item, state: state, modified: nil)
                    return try #require(try placer.placeNew([new], in: table).first).get()
                }
                var replaced: ReplacedFile?
                return try placer.place(item, state, modified: nil, in: table, replaced: &replaced)
            }
            guard case .done(let placed?) = outcome else {
                Issue.record("it is not done: \(outcome)")
                return
            }
            #expect(try text(path) == (deed == .save ? "what is saved" : "what comes"))
            // A trace that is not the file's has the next look read it.
            let seen = ItemTrace(try #require(try FolderScan.status(at: path)))
            #expect((placed.trace == seen) == (deed == .nothing))
        }
    }

    /// Somebody who permits or tags a document before a call, and one more thing that he does not.
    private struct Dresser: SystemCallObserver {
        let path: FilePath
        let isTagging: Bool
        let isBefore: @Sendable (SystemCall) -> Bool
        let isDone = Locked(false)

        func willMake(_ call: SystemCall) -> CInt {
            guard isBefore(call) else { return 0 }
            isDone.withLock { isDone in
                guard !isDone else { return }
                isDone = true
                if isTagging {
                    #expect(CLinux.setxattr(path.string, "user.tag", "red", 3, 0) == 0, "\(errno)")
                } else {
                    #expect(chmod(path.string, 0o750) == 0)
                }
            }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "What somebody permits or tags while newer contents are made ready is not lost",
        arguments: [(true, "ready"), (false, "ready"), (false, "exchange")]
    )
    func dressedMeanwhile(isTagging: Bool, moment: String) throws {
        try withPlacer { placer, root in
            let (source, path) = (root.appending("source.txt"), root.appending("a.txt"))
            try Data("what comes".utf8).write(to: source.url(isDirectory: false))
            let content = try #require(try placer.contents.keep(Vault.Keepable(source, as: item.mark)))
            let state = ItemState(.document, at: ItemPlace(.root, "a.txt"), content: content)
            var table = FolderTable()
            try Data("what was read".utf8).write(to: path.url(isDirectory: false))
            table[item] = try known(path, ContentName("read"))
            let dresser = Dresser(path: path, isTagging: isTagging) { call in
                if moment == "exchange" { return call.name == "renameat2" }
                return if case .createFile = call.effect { true } else { false }
            }
            var replaced: ReplacedFile?
            let outcome = try SystemCallObservation.withObserver(dresser) {
                try placer.place(item, state, modified: nil, in: table, replaced: &replaced)
            }
            #expect(dresser.isDone.withLock { $0 })
            if case .done = outcome { Issue.record("it is done: \(outcome)") }
            #expect(try text(path) == "what was read")
            let attributes = try FileReading.userAttributes(of: path)
            #expect(isTagging == (attributes["user.tag"] == Data("red".utf8)), "\(attributes)")
            let permissions = try #require(try FolderScan.status(at: path)).stamp.permissions
            #expect(isTagging || permissions == 0o750)
        }
    }

    /// Somebody who puts a bare folder in the place of one, as an unmounted volume leaves it, just before that is opened.
    private struct Unmounter: SystemCallObserver {
        let folder: FilePath
        let isDone = Locked(false)

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "openat", call.path == folder else { return 0 }
            isDone.withLock { isDone in
                guard !isDone else { return }
                isDone = true
                do {
                    let files = FileManager.default
                    try files.moveItem(atPath: folder.string, toPath: folder.string + " elsewhere")
                    try files.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
                } catch { Issue.record("\(error)") }
            }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("What is moved into a folder that is another in that instant stays where it is")
    func movedIntoAnother() throws {
        try withPlacer { placer, root in
            let (path, stick) = (root.appending("a.txt"), root.appending("stick"))
            try Data("text".utf8).write(to: path.url(isDirectory: false))
            try ItemMoves.createFolder(stick)
            var table = FolderTable()
            let status = try #require(try FolderScan.status(at: stick))
            let folder = ItemID(2, 1)
            table[folder] = FolderItem(
                state: ItemState(.folder, at: ItemPlace(.root, "stick")),
                trace: ItemTrace(status)
            )
            table[item] = try known(path, ContentName("read"))
            var moved = try #require(table[item]?.state)
            moved.place.parent = folder
            let unmounter = Unmounter(folder: stick)
            var replaced: ReplacedFile?
            let outcome = try SystemCallObservation.withObserver(unmounter) {
                try placer.place(item, moved, modified: nil, in: table, replaced: &replaced)
            }
            #expect(unmounter.isDone.withLock { $0 })
            if case .done = outcome { Issue.record("it is done: \(outcome)") }
            #expect(try text(path) == "text")
            #expect(try FileManager.default.contentsOfDirectory(atPath: stick.string).isEmpty)
        }
    }

    /// Somebody who saves a document in the last moment before it gets another name, in it or in its place.
    private struct LastSaver: SystemCallObserver {
        let path: FilePath
        let isInPlace: Bool
        let isDone = Locked(false)

        func willMake(_ call: SystemCall) -> CInt {
            let isFirst =
                call.name == "renameat2"
                && isDone.withLock { isDone in
                    defer { isDone = true }
                    return !isDone
                }
            guard isFirst else { return 0 }
            do {
                let options: Data.WritingOptions = isInPlace ? [] : .atomic
                try Data("what is saved".utf8).write(to: path.url(isDirectory: false), options: options)
            } catch { Issue.record("\(error)") }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("What somebody saves just as his document is to be removed stays there", arguments: [true, false])
    func savedAsItIsRemoved(isInPlace: Bool) throws {
        try withPlacer { placer, root in
            let path = root.appending("a.txt")
            try Data("what was read before".utf8).write(to: path.url(isDirectory: false))
            var table = FolderTable()
            table[item] = try known(path, ContentName("read"))
            let saver = LastSaver(path: path, isInPlace: isInPlace)
            var removed: ReplacedFile?
            let outcome = try SystemCallObservation.withObserver(saver) {
                try placer.remove(item, in: table, removed: &removed)
            }
            guard case .another = outcome else {
                Issue.record("it is removed: \(outcome)")
                return
            }
            #expect(saver.isDone.withLock { $0 })
            #expect(try text(path) == "what is saved")
            let names = try FileManager.default.contentsOfDirectory(atPath: root.string)
            #expect(names.sorted() == ["a.txt", "vault"])
        }
    }

    @Test(
        "What is to be removed is not gone because its folder has another name: it is looked for",
        arguments: [true, false]
    )
    func folderMoved(isGone: Bool) throws {
        try withPlacer { placer, root in
            let (folder, album) = (root.appending("album"), ItemID(2, 1))
            try ItemMoves.createFolder(folder)
            let path = folder.appending("a.txt")
            try Data("text".utf8).write(to: path.url(isDirectory: false))
            var table = FolderTable()
            let status = try #require(try FolderScan.status(at: folder))
            table[album] = FolderItem(
                state: ItemState(.folder, at: ItemPlace(.root, "album")),
                trace: ItemTrace(status)
            )
            table[item] = try known(path, ContentName("read"))
            table[item]?.state.place.parent = album
            if isGone {
                try FileManager.default.removeItem(atPath: path.string)
            } else {
                try FileManager.default.moveItem(atPath: folder.string, toPath: root.appending("b").string)
            }
            var removed: ReplacedFile?
            let outcome = try placer.remove(item, in: table, removed: &removed)
            let isDone = if case .done(.none) = outcome { true } else { false }
            #expect(isDone == isGone, "\(outcome)")
            #expect(isGone || FileManager.default.fileExists(atPath: root.string + "/b/a.txt"))
        }
    }

    @Test("What comes to a place that somebody has taken does not take it from him")
    func takenPlace() throws {
        try withPlacer { placer, root in
            let (source, path) = (root.appending("source.txt"), root.appending("a.txt"))
            try Data("what comes".utf8).write(to: source.url(isDirectory: false))
            let content = try #require(try placer.contents.keep(Vault.Keepable(source, as: item.mark)))
            try Data("another's".utf8).write(to: path.url(isDirectory: false))
            let state = ItemState(.document, at: ItemPlace(.root, "a.txt"), content: content)
            var replaced: ReplacedFile?
            let outcome = try placer.place(
                item,
                state,
                modified: nil,
                in: FolderTable(),
                replaced: &replaced
            )
            guard case .another = outcome else {
                Issue.record("it is done: \(outcome)")
                return
            }
            #expect(try text(path) == "another's")
        }
    }

    /// Somebody who puts another folder in the place of one, just when a second document is about to be put into it.
    private struct FolderChanger: SystemCallObserver {
        let folder: FilePath
        let count = Locked(0)

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "renameat2",
                count.withLock({
                    $0 += 1; return $0 == 2
                })
            else { return 0 }
            do {
                let files = FileManager.default
                try files.moveItem(atPath: folder.string, toPath: folder.string + " elsewhere")
                try files.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
                try Data("another's".utf8).write(to: folder.appending("1.txt").url(isDirectory: false))
            } catch { Issue.record("\(error)") }
            return 0
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "What stands in a folder that has taken another's place while documents arrive is not taken for them"
    )
    func folderReplaced() throws {
        try withPlacer { placer, root in
            let (source, folder) = (root.appending("source.txt"), root.appending("many"))
            try Data("text".utf8).write(to: source.url(isDirectory: false))
            let content = try #require(try placer.contents.keep(Vault.Keepable(source, as: item.mark)))
            try ItemMoves.createFolder(folder)
            var table = FolderTable()
            let status = try #require(try FolderScan.status(at: folder))
            let state = ItemState(.folder, at: ItemPlace(.root, "many"))
            table[item] = FolderItem(state: state, trace: ItemTrace(status))
            let new = (0..<3).map { number in
                let place = ItemPlace(item, "\(number).txt")
                let state = ItemState(.document, at: place, content: content)
                return Placer.NewDocument(item: ItemID(2, UInt64(number)), state: state, modified: nil)
            }
            let outcomes = try SystemCallObservation.withObserver(FolderChanger(folder: folder)) {
                try placer.placeNew(new, in: table).map { try $0.get() }
            }
            let isDone = outcomes.map { if case .done = $0 { true } else { false } }
            // Where the first is by now is for a look to find, too.
            #expect(isDone == [false, false, false])
            let text = try Data(contentsOf: folder.appending("1.txt").url(isDirectory: false))
            #expect(String(decoding: text, as: UTF8.self) == "another's")
        }
    }

    @Test("Documents come into folders whose names only look alike, each into its own")
    func lookAlikes() throws {
        try withPlacer { placer, root in
            let names = ["caf\u{e9}", "cafe\u{301}"]
            var (table, new) = (FolderTable(), [Placer.NewDocument]())
            for (number, name) in names.enumerated() {
                let folder = root.appending(name)
                try ItemMoves.createFolder(folder)
                let id = ItemID(3, UInt64(number))
                let status = try #require(try FolderScan.status(at: folder))
                let state = ItemState(.folder, at: ItemPlace(.root, name))
                table[id] = FolderItem(state: state, trace: ItemTrace(status))
                let source = root.appending("source \(number).txt")
                try Data("in folder \(number)".utf8).write(to: source.url(isDirectory: false))
                let keepable = Vault.Keepable(source, as: ItemID(4, UInt64(number)).mark)
                let content = try #require(try placer.contents.keep(keepable))
                let document = ItemState(.document, at: ItemPlace(id, "a.txt"), content: content)
                new.append(.init(item: ItemID(5, UInt64(number)), state: document, modified: nil))
            }
            for result in try placer.placeNew(new, in: table) { _ = try result.get() }
            for (number, name) in names.enumerated() {
                let path = root.appending(name).appending("a.txt")
                #expect(
                    try Data(contentsOf: path.url(isDirectory: false)) == Data("in folder \(number)".utf8)
                )
            }
        }
    }

    @Test(
        "What comes is as old as it is said to be, or as its coming where nobody knows",
        arguments: [0, 20, 2 * Arrivals.trayItemCount]
    )
    func dates(count: Int) throws {
        try withPlacer { placer, root in
            let source = root.appending("source.txt")
            try Data("text".utf8).write(to: source.url(isDirectory: false))
            let content = try #require(try placer.contents.keep(Vault.Keepable(source, as: item.mark)))
            let began = try known(source, content).trace.modified
            for modified: Int64? in [-1_500_000_001, 0, 4_000_000_000_123_456_789, nil] {
                var table = FolderTable()
                var new: [Placer.NewDocument] = []
                for number in 0...UInt64(count) {
                    let name = "\(modified ?? 1) \(number).txt"
                    let state = ItemState(.document, at: ItemPlace(.root, name), content: content)
                    new.append(.init(item: ItemID(2, number), state: state, modified: modified))
                }
                // Many come together, one by itself.
                if count > 0 {
                    for (new, result) in zip(new, try placer.placeNew(new, in: table)) {
                        guard case .done(let placed?) = try result.get() else { continue }
                        table[new.item] = placed
                    }
                } else {
                    var replaced: ReplacedFile?
                    let new = new[0]
                    let outcome = try placer.place(
                        new.item,
                        new.state,
                        modified: new.modified,
                        in: table,
                        replaced: &replaced
                    )
                    if case .done(let placed?) = outcome { table[new.item] = placed }
                }
                #expect(table.items.count == count + 1)
                for (_, placed) in table.items.all {
                    let path = root.appending(placed.state.place.name)
                    let seen = ItemTrace(try #require(try FolderScan.status(at: path)))
                    #expect(placed.trace == seen)
                    #expect(modified.map { $0 == seen.modified } ?? (seen.modified >= began))
                }
            }
        }
    }

    @Test("What changes nothing on the disk leaves what is known of it alone")
    func notedOnly() throws {
        try withPlacer { placer, root in
            let path = root.appending("a.txt")
            try Data("mine".utf8).write(to: path.url(isDirectory: false))
            let known = try known(path, ContentName("mine"))
            var table = FolderTable()
            table[item] = known
            var noted = known.state
            noted.conflicts = [ContentName("mine")]
            var replaced: ReplacedFile?
            let outcome = try placer.place(item, noted, modified: nil, in: table, replaced: &replaced)
            guard case .done(let placed) = outcome else {
                Issue.record("it is not done: \(outcome)")
                return
            }
            #expect(placed == FolderItem(state: noted, trace: known.trace) && replaced == nil)
        }
    }

    @Test("What looks as it did when it was read, and holds something else by now, is not evicted")
    func notEvicted() throws {
        try withPlacer { placer, root in
            let (source, path) = (root.appending("source.txt"), root.appending("a.txt"))
            try Data("what was read".utf8).write(to: source.url(isDirectory: false))
            try Data("what is there".utf8).write(to: path.url(isDirectory: false))
            let former = Vault.Keepable(source, as: item.mark, isElsewhere: true)
            var table = FolderTable()
            table[item] = try known(path, try #require(try placer.contents.keep(former)))
            let outcome = try placer.evict(item, in: table, saysWho: false)
            if case .done = outcome { Issue.record("it is gone: \(outcome)") }
            let text = String(decoding: try Data(contentsOf: path.url(isDirectory: false)), as: UTF8.self)
            #expect(text == "what is there")
            #expect(try FolderScan.status(at: root.appending(".a.txt.icloud")) == nil)
        }
    }

    /// A disk that lets a document go and then says that it has failed.
    private final class FailingRemoval: SystemCallObserver {
        private struct State {
            var hasGone = false
            var refusedCount = 0
        }

        private let state = Locked(State())
        /// What cannot be moved to its new name: that is on another volume.
        private let document: String

        init(document: String) { self.document = document }

        var refusedCount: Int { state.withLock { $0.refusedCount } }

        func willMake(_ call: SystemCall) -> CInt {
            if case .rename(_, document, _, let target, _) = call.effect, !target.hasPrefix(".") {
                return EXDEV
            }
            guard case .sync = call.effect else { return 0 }
            return state.withLock { state in
                guard state.hasGone, state.refusedCount == 0 else { return 0 }
                state.refusedCount += 1
                return EIO
            }
        }

        func didMake(_ call: SystemCall) {
            switch call.effect {
            case .remove(_, let name) where name.hasPrefix(".sheaf-removed-"): break
            case .rename(_, _, _, let target, _) where target.hasPrefix(".sheaf-gone-"): break
            default: return
            }
            state.withLock { $0.hasGone = true }
        }
    }

    @Test(
        "A disk that fails as a document leaves it keeps what stands for it: nothing is gone under both names",
        arguments: [false, true],
        [false, true]
    )
    func failsAsItGoes(isPackage: Bool, isMoved: Bool) throws {
        try withPlacer { placer, root in
            let (path, target) = (root.appending("a.rtfd"), root.appending("b.rtfd"))
            let file = isPackage ? path.appending("TXT.rtf") : path
            if isPackage {
                try FileManager.default.createDirectory(
                    at: path.url(isDirectory: true),
                    withIntermediateDirectories: false
                )
            }
            try Data("text".utf8).write(to: file.url(isDirectory: false))
            let kept = Vault.Keepable(path, as: item.mark, isElsewhere: true)
            var table = FolderTable()
            let known = try known(path, try #require(try placer.contents.keep(kept)))
            table[item] = known
            let disk = FailingRemoval(document: path.name)
            #expect(throws: SystemError.self) {
                try SystemCallObservation.withObserver(disk) {
                    if isMoved {
                        let place = Placer.Target(path: target, folder: .root, table: table)
                        _ = try placer.moved(item, known, from: path, to: place)
                    } else {
                        _ = try placer.evict(item, in: table, saysWho: false)
                    }
                }
            }
            #expect(disk.refusedCount == 1)
            #expect(try FolderScan.status(at: path) == nil)
            if isMoved {
                #expect(try text(isPackage ? target.appending("TXT.rtf") : target) == "text")
            } else {
                let place = try #require(Placeholder.place(for: path))
                #expect(Placeholder(at: place)?.name == "a.rtfd")
            }
        }
    }
}
