package import CrashHarness
package import FileSystem
internal import Foundation
package import Vault

/// A story with a vault, to be cut short at every call, and what may be found afterwards.
///
/// The document is written before; each step that returns has promised that its version can be restored for ever.
package struct VaultScenario: Sendable {
    package var name: String
    /// Does the story; `promise` is called with a version and what it must be restored as, `withdraw` before a version
    /// is removed.
    package var run: @Sendable (VaultScene) throws -> Void

    package static let item = FileMark(UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)))

    /// All kinds.
    package static let all: [VaultScenario] = [
        VaultScenario(name: "first version") { scene in try scene.keep(scene.states[0]) },
        VaultScenario(name: "file, then package, then file") { scene in
            for state in scene.states { try scene.keep(state) }
        },
        VaultScenario(name: "kept by two openings") { scene in
            try scene.keep(scene.states[0])
            let other = try VaultScene(scene.folder, story: scene.story)
            try other.keep(scene.states[1])
            try scene.keep(scene.states[2])
        },
        VaultScenario(name: "removed and collected") { scene in
            for state in scene.states { try scene.keep(state) }
            try scene.removeAll(but: 1)
            try scene.vault.collect(deadShareMin: 0)
            try scene.keep(scene.states[1])
            try scene.vault.collect(deadShareMin: 0)
        },
        VaultScenario(name: "thinned, kept again, collected by another") { scene in
            for state in scene.states { try scene.keep(state) }
            try scene.removeAll(but: 2)
            try scene.keep(scene.states[0])
            try Vault(at: scene.folder.appending("vault")).collect(deadShareMin: 0)
        },
        VaultScenario(name: "lent, saved anew, collected") { scene in
            let lender = try scene.lending()
            for state in [0, 3] { try lender.keep(scene.states[state]) }
            try lender.removeAllButNewest(3)
            try lender.vault.collect(deadShareMin: 0)
            try scene.keep(scene.states[1])
        },
        VaultScenario(name: "come from elsewhere, put in place, saved anew") { scene in
            let lender = try scene.lending()
            try lender.receive(scene.states[0])
            try lender.receive(scene.states[3])
            try lender.keep(scene.states[2])
        },
    ]

    /// One that promises what is not durable: it has to be found out.
    package static let promisesTooEarly = VaultScenario(name: "broken: promises first") { scene in
        scene.story.promise(DiskTree.file("never kept"))
        try scene.keep(scene.states[0])
    }
}

/// What was promised so far, where a harness can see it.
package protocol VaultStory: Sendable {
    /// From now on a version must be restored as this.
    func promise(_ state: DiskTree)
    /// From now on a version that is restored as this may be gone.
    func withdraw(_ state: DiskTree)
}

/// A vault and a document in one folder, as a story sees them.
package struct VaultScene: Sendable {
    package let folder: FilePath
    package let vault: Vault
    package let story: any VaultStory

    /// States that share pieces.
    package static let allStates: [DiskTree] = [
        .file(VaultBench.text(100_000, seed: 1) + VaultBench.text(50_000, seed: 2)),
        [
            "Info": "info", "Text": .file(VaultBench.text(100_000, seed: 1)),
            "Pages": ["1": "one", "go": .link("1")],
        ],
        [
            "Info": "other", "Text": .file(VaultBench.text(100_000, seed: 1)),
            "Pages": ["1": "one", "2": "two"],
        ],
        .file(VaultBench.text(100_000, seed: 1) + VaultBench.text(60_000, seed: 3)),
    ]

    package var states: [DiskTree] { Self.allStates }

    package init(_ folder: FilePath, story: any VaultStory, lentByteCountMin: Int64? = nil) throws {
        self.folder = folder
        self.story = story
        vault = try Vault(at: folder.appending("vault"), lentByteCountMin: lentByteCountMin)
    }

    /// The same, with documents that are files lent to the vault.
    func lending() throws -> VaultScene { try VaultScene(folder, story: story, lentByteCountMin: 1000) }

    /// Has a state come from another vault, keeps it, and makes it the document.
    func receive(_ state: DiskTree) throws {
        let place = folder.appending("elsewhere-\(UUID().uuidString)")
        try FileManager.default.createDirectory(atPath: place.string, withIntermediateDirectories: false)
        let other = try Vault(at: place.appending("vault"), key: vault.key)
        try state.write(to: place.appending("document"))
        let document = Vault.Keepable(place.appending("document"), as: VaultScenario.item)
        let kept = try other.keepContents(of: [document]) { _ in VaultBench.origin(Date()) }
        guard let contents = try kept.first?.get().contents else { return }
        let stored = try other.sent(contents)
        let origin = VaultBench.origin(Date())
        try vault.receive([(contents, VaultScenario.item)], origin: { _ in origin }) { wanted in
            wanted.prefix(2).compactMap { object in stored[object].map { (object, $0) } }
        }
        story.promise(state)
        let target = folder.appending("document")
        try? FileManager.default.removeItem(atPath: target.string)  // the first time there is none
        try vault.restore(contents, to: target, lends: true)
    }

    /// Makes the document what it is to be, and keeps it.
    package func keep(_ state: DiskTree) throws {
        let document = folder.appending("document")
        try? FileManager.default.removeItem(atPath: document.string)  // the first time there is none
        try state.write(to: document)
        let origin = VaultBench.origin(Date())
        try vault.keep(document, as: VaultScenario.item, origin: origin)
        story.promise(state)
    }

    /// Removes all versions but one.
    package func removeAll(but index: Int) throws {
        for (number, state) in states.enumerated() where number != index { story.withdraw(state) }
        let versions = try vault.versions(of: VaultScenario.item)
        try vault.removeVersions(of: VaultScenario.item, but: [versions[index].id])
    }

    /// Removes all versions but the newest, which is this state.
    package func removeAllButNewest(_ index: Int) throws {
        for (number, state) in states.enumerated() where number != index { story.withdraw(state) }
        guard let newest = try vault.newestVersion(of: VaultScenario.item) else { return }
        try vault.removeVersions(of: VaultScenario.item, but: [newest.id])
    }

    /// Says what is wrong with what a story left in a folder; nil when all is well.
    ///
    /// - Parameters:
    ///   - promised: What must be there. Other versions may be, but whole.
    ///   - isIndexLost: Whether the index was taken away; then a repair may have to clear up.
    package static func complaint(
        about folder: FilePath,
        promised: [DiskTree],
        isIndexLost: Bool = false
    ) throws -> String? {
        let vault = try Vault(at: folder.appending("vault"))
        var found: Set<DiskTree> = []
        for version in try vault.versions(of: VaultScenario.item) {
            let target = folder.appending("restored-\(version.id)")
            do { try vault.restore(version.id, to: target) } catch {
                return "a version was not restored: \(error)"
            }
            if let tree = try DiskTree(at: target) { found.insert(tree) }
        }
        let missing = promised.filter { !found.contains($0) }
        if !missing.isEmpty { return "lost \(missing.count) of \(promised.count) promised versions" }
        // What was left half done gets in nobody's way.
        var report = try vault.verify()
        if isIndexLost, report.touchedVersions.isEmpty, report.damagedObjects.isEmpty {
            // Without an index nobody knows that what was half written was promised to nobody.
            report = try vault.repair(from: [])
        }
        if !report.isClean { return "verification found \(report)" }
        try vault.collect(deadShareMin: 0)
        for version in try vault.versions(of: VaultScenario.item) { try vault.check(version) }
        let after = try vault.verify()
        return after.isClean ? nil : "verification after collecting found \(after)"
    }
}
