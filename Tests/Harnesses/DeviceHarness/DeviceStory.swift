internal import CFileTrace
internal import DeviceSync
internal import DocumentTesting
internal import FileSystem
internal import Foundation
internal import Glibc
internal import SeededNumbers
internal import SyncMessages

/// What people do on two devices that share a folder, one thing after the other, with what is noted of it among the first device's
/// changes of its disk:
///
///     hub N         the hub's log has N entries
///     deed K        on the first device something begins, and done K, has ended
///     settled K     both devices and the hub are in step
///
/// What one has touched since all was in step the other leaves alone: here nobody looks what becomes of conflicts.
final class DeviceStory {
    private(set) var deeds: [DeviceDeed] = []
    /// What was in the folder whenever all was in step.
    private(set) var settled: [FolderContents] = []
    private let devices: [WorldDevice]
    private var random: SplitMix64
    /// Who has touched what since then.
    private var owners: [String: Int] = [:]
    private var careless: Set<String> = []
    /// What files were called since then that have been moved and not saved anew.
    private var formerPaths: [String: Set<String>] = [:]
    private var nameCount = 0
    private var textCount = 0

    init(_ one: WorldDevice, _ two: WorldDevice, seed: UInt64) {
        devices = [one, two]
        random = SplitMix64(seed: seed)
    }

    /// Tells it.
    func run(stepCount: Int) throws {
        try settle()
        for step in 1...stepCount {
            switch step {
            case stepCount / 3: try makeMany(1)
            case 2 * stepCount / 3: try makeMany(0)
            default: try act(random.below(5) < 3 ? 0 : 1)
            }
            if step % 5 == 0 || step == stepCount { try settle() }
        }
    }

    private func settle() throws {
        let (one, two) = (devices[0], devices[1])
        let isInStep = one.wait(seconds: DeviceScene.waitSeconds) {
            one.status?.isSettled == true && two.status?.isSettled == true
                && FolderContents(of: one.folder) == FolderContents(of: two.folder)
                && one.running?.logPosition == two.running?.logPosition
        }
        guard isInStep else {
            let now = devices.map { "\(FolderContents(of: $0.folder)), \($0.said.suffix(5))" }
            throw DeviceScene.NeverInStep(description: "the story does not come in step: \(now)")
        }
        settled.append(FolderContents(of: one.folder))
        (owners, careless, formerPaths) = ([:], [], [:])
        write_down_note("settled \(settled.count - 1)")
    }

    // MARK: What is done

    private func act(_ who: Int) throws {
        let contents = FolderContents(of: devices[who].folder)
        let mine = contents.documents.filter { path in
            owners[path] ?? who == who && owners[Self.parent(of: path)] ?? who == who
        }
        let documents = mine.filter { !contents.isFolder($0) }
        let document = documents.isEmpty ? nil : documents[random.below(documents.count)]
        let folders = mine.filter { contents.isFolder($0) && !$0.contains("/") }
        let folder = folders.isEmpty || random.below(2) == 0 ? "" : folders[random.below(folders.count)]
        let isCareless = random.below(2) == 0
        switch (random.below(12), document) {
        case (0..<2, _), (_, nil):
            try make(who, fresh(in: folder, ".txt"), isCareless)
        case (2, _): try make(who, fresh(in: folder, ".rtfd"), isCareless)
        case (3, _):
            let path = fresh(in: "", "")
            try perform(who, [path], isCareless: false) { try self.makeFolder($0.appending(path)) }
        case (4..<8, .some(let path)): try edit(who, path, isCareless)
        case (8, .some(let path)):
            let target = fresh(in: folder, FolderContents.isPackage(path) ? ".rtfd" : ".txt")
            formerPaths[target] = (formerPaths[path] ?? []).union([path])
            try perform(who, [path, target], isCareless: careless.contains(path)) {
                try Self.move($0.appending(path), $0.appending(target))
            }
            if careless.contains(path) { careless.insert(target) }
        case (9, .some(let path)):
            try remove(who, [path])
        case (10, _) where folder != "":
            let inside = contents.documents.filter { $0.hasPrefix(folder + "/") }
            guard inside.allSatisfy({ owners[$0] ?? who == who }) else { return }
            try remove(who, [folder] + inside)
        case (_, .some(let path)): try edit(who, path, isCareless)
        }
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private func fresh(in folder: String, _ ending: String) -> String {
        nameCount += 1
        let name = "n\(nameCount)\(ending)"
        return folder.isEmpty ? name : folder + "/" + name
    }

    /// Text of some length, which no other is like.
    private func text() -> String {
        textCount += 1
        let wordCountMax = random.below(2) == 0 ? 3 : 300
        return String(repeating: "text \(textCount) ", count: 1 + random.below(wordCountMax))
    }

    private func make(_ who: Int, _ path: String, _ isCareless: Bool) throws {
        if isCareless { careless.insert(path) }
        let text = text()
        let parts = parts(of: path, text)
        try perform(who, [path], isCareless: isCareless) { root in
            let place = root.appending(path)
            if isCareless {
                if parts[""] == nil { try self.makeFolder(place) }
                for (name, text) in parts.sorted(by: { $0.key < $1.key }) {
                    try Self.write(text, to: name.isEmpty ? place : place.appending(name))
                }
            } else {
                let save = try StagedSave(item: place, mustNotExist: true)
                try save.write(Self.tree(of: parts))
                try save.commit()
            }
        }
    }

    /// So many go together, at the cost of one sync of the volume.
    private static let manyCount = 20

    private func makeMany(_ who: Int) throws {
        let paths = (0..<Self.manyCount).map { _ in fresh(in: "", ".txt") }
        careless.formUnion(paths)
        if who == 1 { devices[who].goOffline() }
        try perform(who, paths, isCareless: true) { root in
            for path in paths { try Self.write(text(), to: root.appending(path)) }
        }
        if who == 1 { devices[who].goOnline() }
    }

    /// In all of a package stands the same: a half one is seen.
    private static let members = ["TXT.rtf", "a", "b"]

    /// What is to be in a document, by the names in it; of a file by an empty one.
    private func parts(of path: String, _ text: String) -> [String: String] {
        let names = FolderContents.isPackage(path) ? Self.members : [""]
        return Dictionary(uniqueKeysWithValues: names.map { ($0, text) })
    }

    private static func tree(of parts: [String: String]) -> MemberTree {
        if let text = parts[""] { return .file(.data(Data(text.utf8))) }
        return .directory(parts.mapValues { .file(.data(Data($0.utf8))) })
    }

    private func edit(_ who: Int, _ path: String, _ isCareless: Bool) throws {
        if isCareless { careless.insert(path) }
        let text = text()
        let isPackage = FolderContents.isPackage(path)
        let isWhole = random.below(2) == 0
        try perform(who, [path], isCareless: isCareless || careless.contains(path)) { root in
            let place = root.appending(path)
            if isCareless {
                for name in isPackage ? Self.members : [""] {
                    try Self.write(text, to: name.isEmpty ? place : place.appending(name))
                }
                return
            }
            let save = try StagedSave(item: place)
            if isPackage, !isWhole {
                var changes = PackageChanges()
                for path in Self.members.compactMap({ MemberPath.top.appending($0) }) {
                    changes.placed[path] = .file(.data(Data(text.utf8)))
                }
                try save.write(changes)
            } else {
                try save.write(Self.tree(of: parts(of: path, text)))
            }
            try save.commit()
        }
        // It is another file, in a folder that was synced.
        if !isCareless { formerPaths[path] = nil }
    }

    /// Removes the first, and so the others that are in it; packages file by file.
    private func remove(_ who: Int, _ paths: [String]) throws {
        try perform(who, paths, isCareless: paths.contains(where: FolderContents.isPackage)) {
            try FileManager.default.removeItem(atPath: $0.appending(paths[0]).string)
        }
    }

    private func perform(
        _ who: Int,
        _ paths: [String],
        isCareless: Bool,
        _ body: (FilePath) throws -> Void
    ) throws {
        for path in paths {
            owners[path] = who
            if path.contains("/") { owners[Self.parent(of: path)] = who }
        }
        let folder = devices[who].folder
        guard who == 0 else { return try attempt { try body(FilePath(folder.path)) } }
        func now() -> [String: [String: String]] {
            let contents = FolderContents(of: folder)
            return Dictionary(uniqueKeysWithValues: paths.map { ($0, contents.document($0)) })
        }
        var deed = DeviceDeed(paths: paths, before: now(), isCareless: isCareless)
        deed.formerPaths = formerPaths.filter { paths.contains($0.key) }
        deeds.append(deed)
        write_down_note("deed \(deeds.count - 1)")
        try attempt { try body(FilePath(folder.path)) }
        deeds[deeds.count - 1].after = now()
        write_down_note("done \(deeds.count - 1)")
    }

    /// What is gone by now, as somebody else has removed its folder, is not done.
    private func attempt(_ body: () throws -> Void) throws {
        do { try body() } catch let error as SystemError where error.isAbsent || error.errno == EEXIST {
        } catch is CocoaError {
            // What has been removed until then is gone.
        }
    }

    // MARK: As programs do that sync nothing

    private static func write(_ text: String, to place: FilePath) throws {
        let file = open(place.string, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { throw SystemError(call: "open", errno: errno, path: place) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        // In two parts, as from a buffer that is full.
        for part in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
            let count = part.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count == part.count else { throw SystemError(call: "write", errno: errno, path: place) }
        }
    }

    private func makeFolder(_ place: FilePath) throws {
        guard mkdir(place.string, 0o755) == 0 else {
            throw SystemError(call: "mkdir", errno: errno, path: place)
        }
    }

    private static func move(_ source: FilePath, _ target: FilePath) throws {
        guard rename(source.string, target.string) == 0 else {
            throw SystemError(call: "rename", errno: errno, path: target)
        }
    }
}
