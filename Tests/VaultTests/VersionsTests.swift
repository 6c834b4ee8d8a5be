import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("Versions", .onOwnThreads)
struct VersionsTests {
    private let item = FileMark(UUID())

    @Test("A version says who kept it, when, why, and how large it is, after the vault was opened anew too")
    func origin() throws {
        let bench = try VaultBench()
        try bench.write(["a": "12345", "b": "678"])
        let origin = VaultBench.origin(
            Date(timeIntervalSince1970: 1_790_000_000.25),
            reason: .outsideWriter(process: "vi"),
            isConflict: true,
            isDiscardable: false
        )
        let kept = try bench.vault.keep(bench.document(), as: item, origin: origin)
        let found = try #require(try Vault(at: bench.vaultPath).versions(of: item).first)
        #expect(found == kept)
        #expect(try found.origin() == origin)
        #expect(found.byteCount == 8)
        #expect(found.isConflict && !found.isResolved && !found.isDiscardable)
        let stamp = try FileStamp(of: bench.document())
        #expect(abs(found.modificationDate.timeIntervalSince(stamp.modificationDate)) < 1e-6)
    }

    @Test("Versions belong to the mark, wherever their document is and whatever it is called")
    func moved() throws {
        let bench = try VaultBench()
        try bench.write(.file("one"))
        let taken = try FileIdentity.marking(bench.document(), with: FileMark(UUID()))
        let mark = try #require(taken.identity.mark)
        let first = try bench.vault.keep(bench.document(), as: mark, origin: VaultBench.origin())
        try FileManager.default.moveItem(
            atPath: bench.document().string,
            toPath: bench.document("other").string
        )
        let found = try #require(try FileIdentity(of: bench.document("other")).mark)
        let second = try bench.vault.keep(bench.document("other"), as: found, origin: VaultBench.origin())
        #expect(try bench.vault.versions(of: mark).map(\.id) == [first.id, second.id])
    }

    @Test("Versions that are kept one after another are told apart by their first digits")
    func digits() {
        let versions = (0..<20).map { _ in VersionID.fresh() }
        #expect(Set(versions.map { $0.description.prefix(8) }).count == versions.count)
    }

    @Test("What notes say outlasts the index")
    func notes() throws {
        let bench = try VaultBench()
        try bench.write(.file("one"))
        let origin = VaultBench.origin(isConflict: true)
        let versions = try (0..<3).map { _ in try bench.vault.keep(bench.document(), as: item, origin: origin)
        }
        try bench.vault.setResolved([versions[0].id])
        try bench.vault.setDiscardable(false, [versions[1].id])
        try bench.vault.setDiscardable(true, [versions[1].id])
        try bench.vault.setDiscardable(false, [versions[0].id])
        try bench.vault.remove([versions[2].id])
        let before = try bench.vault.versions(of: item)
        try FileManager.default.removeItem(atPath: bench.vaultPath.appending("index.sqlite").string)
        let after = try bench.vault.versions(of: item)
        #expect(before == after)
        #expect(Set(after.map(\.id)) == Set(versions[0...1].map(\.id)))
        #expect(after.first { $0.id == versions[0].id }.map { $0.isResolved && !$0.isDiscardable } == true)
        #expect(after.first { $0.id == versions[1].id }.map { !$0.isResolved && $0.isDiscardable } == true)
        #expect(try bench.vault.verify().isClean)
    }

    @Test("Of many documents those in conflict are told together, until it is settled")
    func inConflict() throws {
        let bench = try VaultBench()
        try bench.write(.file("one"))
        let items = (0..<4).map { _ in FileMark.fresh() }
        let kept = try [false, true, true, true].enumerated().map { number, isConflict in
            let origin = VaultBench.origin(isConflict: isConflict)
            return try bench.vault.keep(bench.document(), as: items[number], origin: origin)
        }
        try bench.vault.setResolved([kept[2].id])
        try bench.vault.remove([kept[3].id])
        try bench.vault.keep(bench.document(), as: items[1], origin: VaultBench.origin())
        #expect(try bench.vault.itemsInConflict() == [items[1]])
        for item in items {
            let isInConflict = try !bench.vault.unresolvedConflicts(of: item).isEmpty
            #expect(isInConflict == (item == items[1]))
        }
    }

    @Test("A removed version does not come back when the vault was collected and its index is lost")
    func removedStaysRemoved() throws {
        let bench = try VaultBench()
        for index in 0..<4 {
            try bench.write(.file("state \(index)"))
            try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        }
        let versions = try bench.vault.versions(of: item)
        try bench.vault.remove([versions[0].id])
        try bench.vault.collect(deadShareMin: 0)
        try bench.vault.removeVersions(of: item, but: [versions[3].id])
        try bench.vault.collect(deadShareMin: 0.99)
        try bench.vault.collect(deadShareMin: 0)
        try bench.vault.store.replaceIndex()
        #expect(try bench.vault.versions(of: item).map(\.id) == [versions[3].id])
        #expect(try bench.restored(versions[3].id) == .file("state 3"))
        #expect(try bench.vault.verify().isClean)
    }

    @Test("Thinning removes what the rules let go of, and no version of another document")
    func thinning() throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let bench = try VaultBench(now: { now })
        try bench.write(.file("one"))
        for step in 0..<60 {
            let origin = VaultBench.origin(
                now.addingTimeInterval(-300 * Double(step)),
                isConflict: step == 40
            )
            try bench.vault.keep(bench.document(), as: item, origin: origin)
        }
        let other = FileMark(UUID())
        try bench.vault.keep(bench.document(), as: other, origin: VaultBench.origin(.distantPast))
        let removed = try bench.vault.thin(item)
        let left = try bench.vault.versions(of: item)
        #expect(removed.count + left.count == 60)
        #expect(left.filter { now.timeIntervalSince($0.date) <= 3600 }.count == 13)
        #expect(left.contains { $0.isConflict })
        #expect((13 + 4...13 + 6).contains(left.count))
        #expect(try bench.vault.thin(item).isEmpty)
        #expect(try bench.vault.thin().isEmpty)
        #expect(try bench.vault.versions(of: other).count == 1)
    }

    @Test(
        "A list of several pages has every version that was not removed, in order, and so has its newest one"
    )
    func longList() throws {
        let bench = try VaultBench()
        try bench.write(.file("one"))
        let start = Date(timeIntervalSince1970: 1_790_000_000)
        var expected: [KeptVersion] = []
        for step in 0..<150 {
            let origin = VaultBench.origin(start.addingTimeInterval(Double(step)), isConflict: step % 5 == 0)
            expected.append(try bench.vault.keep(bench.document(), as: item, origin: origin))
        }
        #expect(expected.reduce(0) { $0 + $1.record.count } > 16 << 10, "more than the first page holds")
        #expect(try bench.vault.versions(of: item) == expected)
        #expect(try bench.vault.newestVersion(of: item) == expected.last)
        let removed = Set(expected.indices.filter { $0 % 3 == 2 || $0 > 140 })
        try bench.vault.remove(removed.map { expected[$0].id })
        let left = expected.indices.filter { !removed.contains($0) }.map { expected[$0] }
        #expect(try bench.vault.versions(of: item) == left)
        #expect(try bench.vault.newestVersion(of: item) == left.last)
        #expect(try bench.vault.newestVersion(of: FileMark(UUID())) == nil)
        #expect(
            try Set(bench.vault.store.withIndex { try $0.allVersions() }.map(\.id)) == Set(left.map(\.id))
        )
    }

    @Test("A version that is not there is said to be unknown")
    func unknown() throws {
        let bench = try VaultBench()
        let error = #expect(throws: VaultError.self) {
            try bench.vault.restore(VersionID(UUID()), to: bench.document())
        }
        #expect(error?.code == .unknownVersion)
    }
}

@Suite("VersionRetention", .onOwnThreads)
struct VersionRetentionTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    private func left(_ ages: [TimeInterval], _ retention: VersionRetention = .standard) -> [TimeInterval] {
        let versions = ages.map {
            VersionRetention.Candidate(date: now.addingTimeInterval(-$0), isProtected: false)
        }
        let gone = Set(retention.superfluous(of: versions, now: now))
        return ages.indices.filter { !gone.contains($0) }.map { ages[$0] }
    }

    @Test("All of the last hour stay, then one an hour for a day, one a day for a month, one a week after")
    func standard() {
        let quarters = (0..<(4 * 24 * 60)).map { TimeInterval($0 * 900) }
        let kept = left(quarters)
        #expect(kept.filter { $0 <= 3600 }.count == 5)
        #expect((23...25).contains(kept.filter { $0 > 3600 && $0 <= 86400 }.count))
        #expect((28...31).contains(kept.filter { $0 > 86400 && $0 <= 30 * 86400 }.count))
        #expect((4...6).contains(kept.filter { $0 > 30 * 86400 }.count))
    }

    @Test("The newest stays however old it is, and by whatever rules")
    func newest() {
        #expect(left([1e9, 1e9 + 1]) == [1e9])
        #expect(left([5, 6], VersionRetention(rules: [])) == [5])
        #expect(left([]) == [])
    }

    @Test("What is protected stays")
    func protected() {
        let versions = (0..<10).map {
            VersionRetention.Candidate(date: now.addingTimeInterval(-1e6 - Double($0)), isProtected: $0 > 7)
        }
        #expect(VersionRetention.standard.superfluous(of: versions, now: now) == Array(1...7))
    }

    @Test("Versions from the future stay")
    func future() {
        #expect(left([-5000, -4000, 10]) == [-5000, -4000, 10])
        let daily = VersionRetention(rules: [VersionRetention.Rule(ageMax: .infinity, interval: 86400)])
        #expect(left([-3, -2, -1, 0], daily) == [-3, -2, -1, 0])
        #expect(left([-3, -2], VersionRetention(rules: [])) == [-3, -2])
    }

    @Test("Thinning every twenty minutes leaves no gap that thinning once would not leave")
    func often() {
        var kept: [Date] = []
        let start = now.addingTimeInterval(-8 * 86400)
        var moment = start
        while moment < now {
            moment = moment.addingTimeInterval(1200)
            kept.append(moment)
            let versions = kept.map { VersionRetention.Candidate(date: $0, isProtected: false) }
            let gone = Set(VersionRetention.standard.superfluous(of: versions, now: moment))
            kept = kept.indices.filter { !gone.contains($0) }.map { kept[$0] }
        }
        let ages = kept.map { moment.timeIntervalSince($0) }.sorted()
        for (younger, older) in zip(ages, ages.dropFirst()) {
            let gapMax: Double =
                older <= 3600 ? 1200 : older <= 86400 ? 7200 : older <= 30 * 86400 ? 2 * 86400 : 14 * 86400
            #expect(older - younger <= gapMax, "between \(younger) and \(older)")
        }
        #expect(ages.count < 4 + 25 + 9)
    }
}
