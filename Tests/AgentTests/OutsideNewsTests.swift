import DocumentFoundation
import Foundation
import TestThreads
import Testing

/// Processes that watch what they present hear once of what others do, in coordinated accesses or not.
@Suite("News of others, in several processes", .onOwnThreads, .serialized)
struct OutsideNewsTests {
    @Test("A coordinated write of another process is told at its end, and once")
    func writing() throws {
        try withWriter { writer, url, presenter, cookie in
            NSFileCoordinator(filePresenter: nil, registry: writer)
                .coordinate(writingItemAt: url, error: nil) { url in
                    try? "new".write(to: url, atomically: false, encoding: .utf8)
                    // What the reader has seen until now is settled, except what it has put off.
                    #expect(cookie.isHeard())
                    #expect(!presenter.noted.contains("changed"))
                    try? "newer".write(to: url, atomically: false, encoding: .utf8)
                }
            #expect(presenter.wait(for: "changed"))
            #expect(cookie.isHeard())
            #expect(presenter.noted.count { $0 == "changed" } == 1)
            try "outside".write(to: url, atomically: false, encoding: .utf8)
            #expect(cookie.isHeard())
            while presenter.noted.count(where: { $0 == "changed" }) < 2 {
                #expect(presenter.wait(for: "changed"))
            }
        }
    }

    @Test("A file in a folder that another process writes is looked at when that is done")
    func writingFolder() throws {
        try withWriter { writer, url, presenter, cookie in
            NSFileCoordinator(filePresenter: nil, registry: writer)
                .coordinate(writingItemAt: url.deletingLastPathComponent(), error: nil) { _ in
                    try? "new".write(to: url, atomically: false, encoding: .utf8)
                    #expect(!presenter.noted.contains("changed"))
                }
            #expect(presenter.wait(for: "changed"))
            #expect(cookie.isHeard())
            #expect(presenter.noted.count { $0 == "changed" } == 1)
        }
    }

    @Test(
        "What another process removes in a coordinated write is told to the folder's presenter once",
        arguments: [[], .forDeleting] as [NSFileCoordinator.WritingOptions]
    )
    func removing(options: NSFileCoordinator.WritingOptions) throws {
        try withScene { scene in
            try scene.begin()
            let (writer, reader) = (try scene.registry(), try scene.registry(hearsOutsiders: true))
            let place = scene.root.appendingPathComponent("folder", isDirectory: true)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            // What no other test's file holds: a lone file of the same bytes on another volume may be taken for a copy.
            let url = try scene.file("folder/note.txt", UUID().uuidString)
            let cookie = try Cookie(scene, reader)
            let (item, folder) = (NotingPresenter(url), NotingPresenter(place))
            reader.add(item)
            reader.add(folder)
            join(writer, reader, url)
            NSFileCoordinator(filePresenter: nil, registry: writer)
                .coordinate(writingItemAt: url, options: options, error: nil) { url in
                    try? FileManager.default.removeItem(at: url)
                }
            #expect(folder.wait(for: "subitem note.txt"))
            #expect(item.wait(for: "deletion"))
            for _ in 0..<2 { #expect(cookie.isHeard()) }
            #expect(folder.noted.count { $0 == "subitem note.txt" } == 1, "\(folder.noted)")
        }
    }

    @Test("A coordinated move is told once, by who makes it, to processes that see it too")
    func coordinatedMove() throws {
        try withMove { scene, registries, source, target in
            let coordinator = NSFileCoordinator(filePresenter: nil, registry: registries[0])
            coordinator.coordinate(
                writingItemAt: source,
                options: .forMoving,
                writingItemAt: target,
                options: .forReplacing,
                error: nil
            ) { source, target in
                try? FileManager.default.moveItem(at: source, to: target)
                coordinator.item(at: source, didMoveTo: target)
            }
        }
    }

    @Test("A move by a program that coordinates nothing is told once, although several processes see it")
    func outsideMove() throws {
        try withMove { _, _, source, target in
            try FileManager.default.moveItem(at: source, to: target)
        }
    }

    // MARK: Steps

    /// A process that coordinates, and a presenter of a file in another one that watches.
    private func withWriter(
        _ body: (FileAccessRegistry, URL, NotingPresenter, Cookie) throws -> Void
    ) throws {
        try withScene { scene in
            try scene.begin()
            let (writer, reader) = (try scene.registry(), try scene.registry(hearsOutsiders: true))
            let url = try scene.file("note.txt", "old")
            let cookie = try Cookie(scene, reader)
            let presenter = NotingPresenter(url)
            reader.add(presenter)
            join(writer, reader, url)
            try body(writer, url, presenter, cookie)
        }
    }

    /// Makes a move while three processes watch, and expects that each of them hears of it once.
    private func withMove(
        _ move: (AgentScene, [FileAccessRegistry], URL, URL) throws -> Void
    ) throws {
        try withScene { scene in
            try scene.begin()
            let registries = try (0..<3).map { _ in try scene.registry(hearsOutsiders: true) }
            let folder = scene.root.appendingPathComponent("folder", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let (source, target) = (
                folder.appendingPathComponent("note.txt"), folder.appendingPathComponent("moved.txt")
            )
            try "text".write(to: source, atomically: false, encoding: .utf8)
            let cookies = try registries.map { try Cookie(scene, $0) }
            var (items, folders): ([NotingPresenter], [NotingPresenter]) = ([], [])
            for registry in registries {
                items.append(NotingPresenter(source))
                folders.append(NotingPresenter(folder))
                registry.add(items[items.count - 1])
                registry.add(folders[folders.count - 1])
                join(registry, registry, source)
            }
            try move(scene, registries, source, target)
            for presenter in items { #expect(presenter.wait(for: "moved to moved.txt")) }
            for presenter in folders { #expect(presenter.wait(for: "subitem moved to moved.txt")) }
            // Twice: what the first round has led to has come back by the end of the second.
            for cookie in cookies + cookies { #expect(cookie.isHeard()) }
            for presenter in items {
                #expect(presenter.noted.count { $0 == "moved to moved.txt" } == 1, "\(presenter.noted)")
            }
            for presenter in folders {
                #expect(
                    presenter.noted.count { $0 == "subitem moved to moved.txt" } == 1,
                    "\(presenter.noted)"
                )
            }
        }
    }

    /// Returns once the agent knows all that the registries have said.
    private func join(_ first: FileAccessRegistry, _ second: FileAccessRegistry, _ url: URL) {
        for registry in [first, second] {
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
            #expect(registry.isJoined)
        }
    }
}

/// A file that a program touches that coordinates nothing: what was seen before it has been settled once it is heard.
private final class Cookie {
    private let url: URL
    private let presenter: NotingPresenter
    private var count = 0

    init(_ scene: AgentScene, _ registry: FileAccessRegistry) throws {
        let folder = scene.root.appendingPathComponent("cookies", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("\(UUID().uuidString)")
        try "0".write(to: url, atomically: false, encoding: .utf8)
        presenter = NotingPresenter(url)
        registry.add(presenter)
    }

    func isHeard() -> Bool {
        count += 1
        guard (try? "\(count)".write(to: url, atomically: false, encoding: .utf8)) != nil else {
            return false
        }
        while presenter.noted.count(where: { $0 == "changed" }) < count {
            if !presenter.waitForNote() { return false }
        }
        return true
    }
}
