import CrashHarness
import Foundation
import Locks
import TestThreads
import Testing

@testable import FileSystem

@Suite("Readers racing saves", .onOwnThreads)
struct ReaderRaceTests {
    static let memberCount = 8
    static let saveCount = 150

    static func package(_ version: Int) -> DiskTree {
        let text = DiskTree.file(String(repeating: "\(version) ", count: 200))
        var members: [String: DiskTree] = [:]
        for index in 0..<memberCount / 2 { members["\(index)"] = text }
        return ["top": text, "inner": .folder(members), "other": .folder(members)]
    }

    /// All texts in a package, read through a descriptor of its folder.
    ///
    /// What has gone while we read is left out: the reader holds an old version that is being removed.
    static func texts(in folder: Folder) throws -> Set<Data> {
        var found: Set<Data> = []
        for entry in try SystemCalls.readdir(folder) {
            do {
                if entry.kind == .directory {
                    found.formUnion(try texts(in: try folder.folder(entry.name)))
                } else {
                    let file = try SystemCalls.openat(folder, entry.name, O_RDONLY)
                    found.insert(try FileReading.bytes(of: file, expectedByteCount: 4096))
                }
            } catch let error as SystemError where error.isAbsent {
                continue
            }
        }
        return found
    }

    @Test("A reader never sees a mixture of two versions", arguments: [false, true])
    func exchange(isOverlay: Bool) throws {
        let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        let item = scratch.path.appending("item.doc")
        try Self.package(0).write(to: item)
        let readers = Readers(of: item)
        readers.start()
        var version = 0
        while version < Self.saveCount || readers.walkCount < Self.walkCountMin {
            version += 1
            try Self.save(version, at: item, isOverlay: isOverlay)
        }
        let complaints = readers.stop()
        print("readers: \(readers.walkCount) walks during \(version) saves")
        #expect(complaints == [])
        #expect(try DiskTree(at: item) == Self.package(version))
    }

    static let walkCountMin = 200

    /// Two threads that walk a package again and again.
    final class Readers: Sendable {
        private struct State {
            var isOver = false
            var walkCount = 0
            var complaints: [String] = []
        }

        private let item: FilePath
        private let state = Locked(State())
        private let running = DispatchGroup()

        init(of item: FilePath) { self.item = item }

        var walkCount: Int { state.withLock { $0.walkCount } }

        func start() {
            for _ in 0..<2 {
                running.enter()
                Thread { [self] in
                    while !state.withLock({ $0.isOver }) { walk() }
                    running.leave()
                }.start()
            }
        }

        private func walk() {
            let complaint: String?
            do {
                let texts = try ReaderRaceTests.texts(in: try Folder.open(item))
                complaint = texts.count > 1 ? "a mixture of \(texts.count)" : nil
            } catch { complaint = "\(error)" }
            state.withLock {
                $0.walkCount += 1
                if let complaint { $0.complaints.append(complaint) }
            }
        }

        func stop() -> [String] {
            state.withLock { $0.isOver = true }
            running.wait()
            return state.withLock { $0.complaints }
        }
    }

    static func save(_ version: Int, at item: FilePath, isOverlay: Bool) throws {
        let save = try StagedSave(item: item)
        guard isOverlay, case .folder(let members) = package(version) else {
            try save.write(package(version).memberTree)
            try save.commit()
            return
        }
        var placed: [MemberPath: MemberTree] = [:]
        for (name, member) in members {
            guard let path = MemberPath([name]) else { continue }
            placed[path] = member.memberTree
        }
        try save.write(PackageChanges(placed: placed))
        try save.commit()
    }
}
