import DocumentFoundation
import FileSystem
import Foundation
import UIKit

/// What it costs a document that every save leaves its state in the vault.
@MainActor
enum VersionBenchmark {
    private static let rounds = 65
    private static let warmUpRounds = 5

    static func run(in work: WorkFolder) async throws -> [Figure] {
        try await file(in: work) + package(in: work)
    }

    /// A store with a vault in the benchmark's folder, or none.
    private static func store(_ vault: String, in work: WorkFolder) -> VersionStore {
        let environment = [
            "SHEAF_VAULT": vault, "HOME": work.path, "XDG_STATE_HOME": work.item("state").path,
        ]
        return VersionStore(VersionSettings(environment: environment, hostName: "bench"))
    }

    /// Makes two documents of the same contents: one with a vault, one without.
    private static func pair<Document: UIDocument>(
        _ make: (URL) -> Document,
        _ kept: URL,
        _ plain: URL,
        in work: WorkFolder
    ) async throws -> (kept: Document, plain: Document) {
        let with = VersionStore.$shared.withValue(store(work.item("vault").path, in: work)) { make(kept) }
        let without = VersionStore.$shared.withValue(store("off", in: work)) { make(plain) }
        _ = try await with.timedOpen()
        _ = try await without.timedOpen()
        await with.settle()
        return (with, without)
    }

    // MARK: One file

    private static func file(in work: WorkFolder) async throws -> [Figure] {
        let (kept, plain) = (work.item("Kept.txt"), work.item("Plain.txt"))
        for url in [kept, plain] { try WorkFolder.bytes(4096, seed: 0).write(to: url) }
        let documents = try await pair(FileDocument.init(fileURL:), kept, plain, in: work)
        func save(_ document: FileDocument, _ round: Int) async throws -> Double {
            document.data = WorkFolder.bytes(4096, seed: round)
            return try await document.timedSave()
        }
        let figures = try await compare("versions-4k", "4 KB", documents, save)
        try check(try versionCount(of: kept, in: work), "versions of 4 KB")
        return figures
    }

    // MARK: One member of a package

    private static func package(in work: WorkFolder) async throws -> [Figure] {
        let kept = try work.makePackage("Kept.pack", folders: 100, membersInEach: 100)
        let plain = try work.makePackage("Plain.pack", folders: 100, membersInEach: 100)
        let documents = try await pair(PackageDocument.init(fileURL:), kept, plain, in: work)
        func save(_ document: PackageDocument, _ round: Int) async throws -> Double {
            let (folder, name) = (WorkFolder.folderName(round % 100), WorkFolder.memberName(round % 100))
            try document.replace(name, in: folder, with: WorkFolder.bytes(1024, seed: round))
            return try await document.timedSave()
        }
        let what = "a package of 10,000 members, one changed"
        let figures = try await compare("versions-package", what, documents, save)
        try check(try versionCount(of: kept, in: work), "versions of a package")
        return figures
    }

    // MARK: Both

    /// At an autosave's pace each save finds the state before it kept; back to back it waits for that.
    private static func compare<Document: UIDocument>(
        _ id: String,
        _ what: String,
        _ documents: (kept: Document, plain: Document),
        _ save: (Document, Int) async throws -> Double
    ) async throws -> [Figure] {
        var (calm, calmPlain, busy, busyPlain) = (Samples(), Samples(), Samples(), Samples())
        for round in 1...rounds {
            // Each goes first in every other round.
            for isKept in [round.isMultiple(of: 2), !round.isMultiple(of: 2)] {
                await begin(after: documents.kept)
                let seconds = try await save(isKept ? documents.kept : documents.plain, round)
                guard round > warmUpRounds else { continue }
                if isKept { calm.add(seconds) } else { calmPlain.add(seconds) }
            }
        }
        for round in rounds + 1...2 * rounds {
            let kept = try await save(documents.kept, round)
            guard round > rounds + warmUpRounds else { continue }
            busy.add(kept)
        }
        await documents.kept.settle()
        for round in rounds + 1...2 * rounds {
            let plain = try await save(documents.plain, round)
            guard round > rounds + warmUpRounds else { continue }
            busyPlain.add(plain)
        }
        guard await documents.kept.close(), await documents.plain.close() else {
            throw BenchmarkFailure("the documents of \(id) were not closed")
        }
        return [
            Figure(
                id,
                "save of \(what), its state kept as a version by the next save; call to handler",
                calm,
                .microseconds,
                beside: "the same save without versions",
                calmPlain,
                goal: .ratioAtMost(1.25)
            ),
            Figure(
                "\(id)-back-to-back",
                "the same, each save begun at the handler of the one before",
                busy,
                .microseconds,
                beside: "the same saves without versions",
                busyPlain
            ),
        ]
    }

    /// Lets a save begin with nothing under way and an empty journal: the file system writes what the one before has
    /// left in it along with the next, and that was always the other document's.
    private static func begin(after document: UIDocument) async {
        await document.settle()
        await rest()
        sync()
    }

    /// How many former states were kept.
    private static func versionCount(of url: URL, in work: WorkFolder) throws -> Int {
        try VersionStore.$shared.withValue(store(work.item("vault").path, in: work)) {
            guard let others = NSFileVersion.otherVersionsOfItem(at: url) else {
                throw BenchmarkFailure("\(url.path) is gone")
            }
            return others.count
        }
    }

    /// All that was saved is there, but for the state on disk: what was not kept would cost nothing.
    private static func check(_ count: Int, _ what: String) throws {
        guard count >= 2 * rounds else {
            throw BenchmarkFailure("there are \(count) \(what), \(2 * rounds) were saved")
        }
    }
}
