import UIKit

/// A document of 10,000 members in 100 folders.
@MainActor
enum PackageBenchmark {
    private static let folders = 100
    private static let membersInEach = 100
    private static let bareName = "C: write, fsync, rename, fsync of the folder"

    // MARK: One member changed

    static func one(in work: WorkFolder) async throws -> [Figure] {
        let large = try await package("Large.pack", folders: folders, in: work)
        let small = try await package("Small.pack", folders: 1, membersInEach: 10, in: work)
        var (own, ten, bare) = (Samples(), Samples(), Samples())
        for round in 1...105 {
            let data = WorkFolder.bytes(1024, seed: round)
            let (folder, name) = (
                WorkFolder.folderName(round % folders), WorkFolder.memberName(round % membersInEach)
            )
            await rest()
            let peerSeconds = try Peers.save(data, as: "bare.txt", in: work.path)
            try large.replace(name, in: folder, with: data)
            await rest()
            let ownSeconds = try await large.timedSave()
            await rest()
            try small.replace(WorkFolder.memberName(round % 10), in: WorkFolder.folderName(0), with: data)
            let tenSeconds = try await small.timedSave()
            guard round > 5 else { continue }
            own.add(ownSeconds)
            ten.add(tenSeconds)
            bare.add(peerSeconds)
        }
        let what = "save of a package of 10,000 members, one changed"
        var figures = [
            Figure("package-one", what, own, .microseconds, beside: bareName, bare, goal: .ratioAtMost(3)),
            Figure(
                "package-one-size",
                what,
                own,
                .microseconds,
                beside: "the same save with 10 members",
                ten,
                goal: .ratioAtMost(1.3)
            ),
        ]
        figures += try await copies(of: large, beside: own, in: work)
        try await close(large)
        try await close(small)
        return figures
    }

    /// What a program pays that writes the package anew, or has it compared.
    private static func copies(
        of document: PackageDocument,
        beside own: Samples,
        in work: WorkFolder
    ) async throws -> [Figure] {
        let source = document.fileURL.path
        var (copying, syncing) = (Samples(), Samples())
        for round in 1...5 {
            let copy = work.item("Copy-\(round)").path
            if let elapsed = try Peers.run("cp", "-a", source, copy) { copying.add(elapsed) }
            try document.replace(
                WorkFolder.memberName(round),
                in: WorkFolder.folderName(round),
                with: WorkFolder.bytes(1024, seed: -round)
            )
            _ = try await document.timedSave()
            if let elapsed = try Peers.run("rsync", "-a", source + "/", copy) { syncing.add(elapsed) }
            try FileManager.default.removeItem(atPath: copy)
        }
        let what = "the same save"
        var figures: [Figure] = []
        if copying.count > 0 {
            figures.append(
                Figure(
                    "package-one-cp",
                    what,
                    own,
                    .microseconds,
                    beside: "cp -a of the package, not synced",
                    copying
                )
            )
        }
        if syncing.count > 0 {
            figures.append(
                Figure(
                    "package-one-rsync",
                    what,
                    own,
                    .microseconds,
                    beside: "rsync -a of that change, not synced",
                    syncing
                )
            )
        }
        let gnustep = try gnustep(document.fileURL.path)
        if gnustep.count > 0 {
            figures.append(
                Figure(
                    "package-one-gnustep",
                    what,
                    own,
                    .microseconds,
                    beside: "GNUstep's NSFileWrapper, the tree in memory, not synced",
                    gnustep
                )
            )
        }
        return figures
    }

    /// What the other free file wrapper takes, where it could be built.
    private static func gnustep(_ package: String) throws -> Samples {
        var samples = Samples()
        guard let program = ProcessInfo.processInfo.environment["SHEAF_BENCH_GNUSTEP"] else { return samples }
        let (folder, member) = (WorkFolder.folderName(1), WorkFolder.memberName(1))
        for line in try Peers.output(of: program, package, folder, member, "5").split(separator: "\n") {
            guard let elapsed = Double(line) else { throw BenchmarkFailure("\(program) said “\(line)”") }
            samples.add(elapsed)
        }
        return samples
    }

    // MARK: Many members changed

    static func many(in work: WorkFolder) async throws -> [Figure] {
        let document = try await package("Large.pack", folders: folders, in: work)
        var (own, bare) = (Samples(), Samples())
        for round in 1...12 {
            let peerSeconds = try seconds {
                for folder in 0..<folders {
                    let data = WorkFolder.bytes(1024, seed: round &* 1000 &+ folder)
                    _ = try Peers.save(data, as: "bare-\(folder).txt", in: work.path)
                }
            }
            for folder in 0..<folders {
                let data = WorkFolder.bytes(1024, seed: round &* 1000 &+ folder)
                try document.replace(
                    WorkFolder.memberName(round),
                    in: WorkFolder.folderName(folder),
                    with: data
                )
            }
            let ownSeconds = try await document.timedSave()
            await document.settle()
            guard round > 2 else { continue }
            own.add(ownSeconds)
            bare.add(peerSeconds)
        }
        try await close(document)
        let what = "the same package, one member changed in each folder"
        return [
            Figure(
                "package-many",
                what,
                own,
                .milliseconds,
                beside: "100 bare saves in C, not together atomic",
                bare,
                goal: .valueAtMost(150)
            )
        ]
    }

    // MARK: Opening

    static func open(in work: WorkFolder) async throws -> [Figure] {
        let url = try work.makePackage("Large.pack", folders: folders, membersInEach: membersInEach)
        var (own, walk) = (Samples(), Samples())
        for round in 1...23 {
            let peerSeconds = try Peers.walk(url.path)
            let document = PackageDocument(fileURL: url)
            document.wanted = (WorkFolder.folderName(round), WorkFolder.memberName(round))
            let ownSeconds = try await document.timedOpen()
            guard document.wantedByteCount == 1024 else { throw BenchmarkFailure("a member was not read") }
            try await close(document)
            guard round > 2 else { continue }
            own.add(ownSeconds)
            walk.add(peerSeconds)
        }
        let what = "opening a package of 10,000 members, reading one"
        let opening = Figure(
            "package-open",
            what,
            own,
            .milliseconds,
            beside: "C: fts over the same tree",
            walk,
            goal: .ratioAtMost(1.5)
        )
        return [opening, try memory(in: work)]
    }

    /// Each run is a process of its own, since the most memory ever held is what counts.
    private static func memory(in work: WorkFolder) throws -> Figure {
        let url = try work.makePackage("Movie.pack", folders: 1, membersInEach: 10)
        let movie = url.appendingPathComponent("movie.raw").path
        guard FileManager.default.createFile(atPath: movie, contents: nil), truncate(movie, 1 << 30) == 0
        else {
            throw BenchmarkFailure.call("truncate", movie)
        }
        var (own, none) = (Samples(), Samples())
        let bare = try work.makePackage("Still.pack", folders: 1, membersInEach: 10)
        for _ in 1...5 {
            none.add(try peak(of: bare))
            own.add(try peak(of: url))
        }
        let what = "most memory of a process that opens a package with a 1 GiB member, changes another, saves"
        return Figure(
            "package-memory",
            what,
            own,
            .mebibytes,
            beside: "the same without that member",
            none,
            goal: .valueAtMost(64)
        )
    }

    private static func peak(of package: URL) throws -> Double {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let text = try Peers.output(of: program, "--peak-of", package.path)
        guard let bytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkFailure("the process that opens \(package.path) said “\(text)”")
        }
        return bytes
    }

    /// What the process of `peak(of:)` does.
    static func openAndSave(_ package: URL) async throws -> Double {
        let document = PackageDocument(fileURL: package)
        document.wanted = (WorkFolder.folderName(0), WorkFolder.memberName(0))
        _ = try await document.timedOpen()
        try document.replace(
            WorkFolder.memberName(1),
            in: WorkFolder.folderName(0),
            with: Data("changed".utf8)
        )
        _ = try await document.timedSave()
        try await close(document)
        return try Peers.peakBytes()
    }

    // MARK: Documents

    private static func package(
        _ name: String,
        folders: Int,
        membersInEach: Int = membersInEach,
        in work: WorkFolder
    ) async throws -> PackageDocument {
        let url = try work.makePackage(name, folders: folders, membersInEach: membersInEach)
        let document = PackageDocument(fileURL: url)
        _ = try await document.timedOpen()
        return document
    }

    private static func close(_ document: PackageDocument) async throws {
        guard await document.close() else {
            throw BenchmarkFailure("\(document.fileURL.path) was not closed")
        }
    }
}
