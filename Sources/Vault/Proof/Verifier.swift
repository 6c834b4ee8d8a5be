internal import FileSystem
internal import Foundation
internal import SQLite

extension Vault {
    /// Looks at every byte of every pack, and at whether the index says what the packs say.
    ///
    /// What is found damaged is noted, so that it is stored anew when somebody keeps the same bytes. Others may keep and
    /// restore versions meanwhile; who collects waits.
    package func verify() throws -> VerifyReport {
        try VaultLock.collection.hold(in: store.folder) { try Verifier(store: store).run() }
    }
}

/// Compares packs with their own checks, and the index with the packs. The lock of collecting is held.
final class Verifier {
    private let store: VaultStore
    private let index: VaultIndex
    private var report = VerifyReport()
    /// What the index says of packs and objects, as of the beginning.
    private var rows: [PackRow] = []
    private var objects: [Int: [ObjectPlace]] = [:]
    /// What the packs say of versions.
    private var versions: [(record: [UInt8], object: ObjectName)] = []
    private var notes: [VersionNote] = []
    private var whole: Set<ObjectName> = []
    private var damaged: Set<ObjectName> = []

    init(store: VaultStore) throws {
        self.store = store
        index = try store.openIndex()
    }

    func run() throws -> VerifyReport {
        report.isKeyDamaged = try !VaultKey.isWhole(in: store.folder)
        do {
            try checkIndex()
            for row in rows where !row.isDead { try check(row) }
            try checkForUnknownPacks()
            try compareVersions()
            try mark()
        } catch let error as SQLiteError where error.isDamage {
            report.indexFaults.append(error.message)
        } catch is MalformedBytes {
            report.indexFaults.append("a version that nobody wrote")
        }
        return report
    }

    /// Reads what the index says, and lets SQLite look at its own pages.
    private func checkIndex() throws {
        let check = try index.connection.statement("PRAGMA integrity_check(10)")
        while try check.step() {
            let answer = check.text(0)
            if answer != "ok" { report.indexFaults.append(answer) }
        }
        try index.connection.snapshot {
            rows = try index.packs()
            try index.forEachObject { place, _ in objects[place.pack, default: []].append(place) }
            for number in Set(objects.keys).subtracting(rows.map(\.number)) {
                report.indexFaults.append("objects in a pack \(number) that there is not")
            }
        }
    }

    // MARK: Packs

    private func check(_ row: PackRow) throws {
        let path = store.packs.path.appending(row.fileName)
        let places = objects[row.number] ?? []
        if row.isLent { return try checkLent(row, places) }
        guard let file = try store.open(row) else {
            report.damages.append(VerifyReport.Damage(pack: path, bytes: 0..<row.byteCount))
            damaged.formUnion(places.map(\.header.name))
            return
        }
        let scanner = PackScanner(hasher: try VaultHasher(key: store.key), decompressor: try Decompressor())
        let byteCount = try min(row.byteCount, file.byteCount())
        let scan = try scanner.scan(file, row.id, to: byteCount)
        report.checkedByteCount += byteCount
        report.damages += scan.gaps.map { VerifyReport.Damage(pack: path, bytes: $0) }
        if byteCount < row.byteCount {
            if places.allSatisfy({ $0.offset + $0.header.recordByteCount <= byteCount }) {
                report.indexFaults.append(
                    "the pack \(row.id) has fewer bytes than the index says, and all its objects"
                )
            } else {
                report.damages.append(VerifyReport.Damage(pack: path, bytes: byteCount..<row.byteCount))
            }
        }
        try compare(places, with: scan, row)
    }

    /// What somebody has made of a file that is lent is his affair: no damage, but those bytes are not here any more.
    private func checkLent(_ row: PackRow, _ places: [ObjectPlace]) throws {
        let reader = try ObjectReader(store: store, index: index)
        for place in places {
            do {
                try reader.withObject(place.header.name, place.header.kind) { plain in
                    report.checkedByteCount += plain.count
                    whole.insert(place.header.name)
                }
            } catch let error as VaultError where error.code == .damaged {
                damaged.insert(place.header.name)
            }
        }
    }

    /// A pack that nobody writes to is in the index, as soon as the index is opened.
    private func checkForUnknownPacks() throws {
        let known = Set(rows.map(\.id))
        for entry in try store.packs.entries() {
            guard let id = PackID(fileName: entry.name), !known.contains(id),
                let file = try store.openPack(id, appends: true),
                try file.byteCount() > PackFormat.headerByteCount, try file.lock(waits: false),
                try index.pack(id) == nil
            else { continue }
            report.indexFaults.append("the pack \(id) is not in the index")
        }
    }

    /// Compares what the index says is in a pack with what is there.
    private func compare(_ places: [ObjectPlace], with scan: PackScan, _ row: PackRow) throws {
        let found = Dictionary(scan.records.map { ($0.offset, $0) }, uniquingKeysWith: { first, _ in first })
        for place in places {
            if let record = found[place.offset], record.header == place.header {
                whole.insert(place.header.name)
            } else if scan.gaps.contains(where: { $0.contains(place.offset) })
                || place.offset >= scan.byteCount
            {
                damaged.insert(place.header.name)
            } else {
                report.indexFaults.append("the object \(place.header.name) is not where the index says")
                damaged.insert(place.header.name)
            }
        }
        for record in scan.records {
            switch record.header.kind {
            case .version: versions.append((record.plain, record.header.name))
            case .note:
                // Whole, and a later version's: nothing to compare.
                if let note = try? record.plain.withUnsafeBytes({ try VersionNote($0) }) {
                    notes.append(note)
                }
            case .chunk, .list, .folder: break
            }
        }
    }

    // MARK: Versions

    /// Compares the catalogue with the records and notes in the packs.
    private func compareVersions() throws {
        var states: [VersionID: (record: [UInt8], version: KeptVersion, isRemoved: Bool, changed: Date)] = [:]
        for (record, _) in versions {
            // Whole, and a later version's: nothing to compare.
            guard let version = try? KeptVersion(record[...]) else { continue }
            states[version.id] = (record, version, false, .distantPast)
        }
        for note in notes.sorted(by: { $0.date < $1.date }) {
            for id in note.versions where states[id] != nil {
                switch note.change {
                case .removed: states[id]?.isRemoved = true
                case .resolved: states[id]?.version.isResolved = true
                case .discardable: states[id]?.version.isDiscardable = true
                case .undiscardable: states[id]?.version.isDiscardable = false
                }
            }
        }
        let listed = try index.allVersions()
        report.versionCount = listed.count
        for version in listed {
            _ = try version.parts()
            // One without a record in the packs is found by its object's being missing.
            guard let state = states[version.id] else { continue }
            if state.isRemoved || state.version != version {
                report.indexFaults.append("the version \(version.id) is not what its record says")
            }
        }
        let known = Set(try index.versionRecords().map(\.id))
        for (id, state) in states where !state.isRemoved && !known.contains(id) {
            // Nobody was told of one that is not whole.
            var walk = ObjectWalk(reader: try ObjectReader(store: store, index: index))
            if try walk.visit(try state.version.root()) {
                report.indexFaults.append("the version \(id) is not listed")
            }
        }
    }

    // MARK: What is touched

    /// Says which versions are touched, and tells the index what is to be stored anew.
    private func mark() throws {
        var walk = ObjectWalk(reader: try ObjectReader(store: store, index: index))
        for name in damaged { walk.setBroken(name) }
        // What is whole now may have been noted as damaged before.
        for name in whole { walk.setPresent(name) }
        for version in try index.allVersions() where try !walk.visit(try version.root()) {
            report.touchedVersions.append(version.id)
        }
        let records = Set(try index.versionRecords().filter { !$0.isRemoved }.map(\.object))
        let needed = damaged.filter { walk.isReached($0) || records.contains($0) }
        let missing = walk.broken.subtracting(damaged).filter { !whole.contains($0) }
        report.damagedObjects = needed.union(missing).sorted { $0.description < $1.description }
        let broken = walk.broken
        try store.writeIndex { index in
            var changed = false
            var noted: [(name: ObjectName, isDamaged: Bool)] = []
            try index.forEachObject { place, isDamaged in noted.append((place.header.name, isDamaged)) }
            for (name, isDamaged) in noted where isDamaged != broken.contains(name) {
                // What was added since is not ours to judge.
                guard whole.contains(name) || damaged.contains(name) else { continue }
                try index.setDamaged(name, !isDamaged)
                changed = true
            }
            if changed { try index.advanceGeneration() }
        }
    }
}
