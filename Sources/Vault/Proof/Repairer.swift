package import FileSystem
internal import Foundation
internal import SQLite

/// Where a repair looks for what is damaged.
package enum RepairSource: Sendable {
    /// The document as it is now, or a copy of a state of it: equal bytes are equal objects.
    case document(FilePath)
    /// Another device's vault, with the same key.
    case vault(Vault)
}

extension Vault {
    /// Puts back what is damaged, as far as the sources have it, and takes the damaged packs out of use.
    ///
    /// The only copy of anything is never removed: a pack with something damaged that no source has stays as it is.
    ///
    /// - Parameter sources: Where to look, in this order.
    /// - Returns: What is still wrong, by a verification at the end.
    /// - Throws: `SystemError`, `SQLiteError`, `VaultError` with code `busy`; what has been put back until then stays.
    package func repair(from sources: [RepairSource]) throws -> VerifyReport {
        if try !VaultKey.isWhole(in: store.folder) { try VaultKey.rewrite(store.key, in: store.folder) }
        var report = try verify()
        try putBackRecords()
        // Only with all records of versions in the packs does an index made anew list all versions.
        if !report.indexFaults.isEmpty {
            try store.replaceIndex()
            report = try verify()
        }
        for source in sources where !report.damagedObjects.isEmpty {
            switch source {
            case .document(let path):
                do { try putBack(from: path) } catch is SystemError, is VaultError {
                    // It cannot be read, or changes all the time. The report at the end says what is missing.
                    continue
                }
            case .vault(let vault): try putBack(report.damagedObjects, from: vault)
            }
            report = try verify()
        }
        guard !report.isClean, report.touchedVersions.isEmpty, report.damagedObjects.isEmpty else {
            return report
        }
        try collectDamaged(report)
        return try verify()
    }

    /// Stores what is noted as damaged and is in a document.
    private func putBack(from path: FilePath) throws {
        let session = try KeepSession(store: store)
        // Of no document: what was seen of one before must not keep this from reading.
        let nobody = FileMark.fresh()
        try session.untilCurrent {
            var keeper = ItemKeeper(session: session, item: nobody, moment: Vault.fileMoment)
            _ = try keeper.keep(path, .all)
            try session.commit { _ in }
        }
    }

    private func putBack(_ objects: [ObjectName], from vault: Vault) throws {
        let session = try KeepSession(store: store)
        let reader = try ObjectReader(store: vault.store)
        try session.untilCurrent {
            for name in objects {
                guard let place = try vault.store.withIndex({ try $0.place(of: name) }) else { continue }
                do {
                    _ = try session.store(place.header.kind, try reader.object(name, place.header.kind))
                } catch let error as VaultError where error.code == .damaged {
                    continue  // It does not have it either; the report at the end says so.
                }
            }
            try session.commit { _ in }
        }
    }

    /// Writes records of versions anew that are whole in the index and damaged in their pack.
    private func putBackRecords() throws {
        let session = try KeepSession(store: store)
        try session.untilCurrent {
            for (object, record) in try store.withIndex({ try $0.damagedVersionRecords() }) {
                let name = try record.withUnsafeBytes { try session.hasher.name(.version, $0) }
                if name == object { _ = try session.store(.version, record) }
            }
            try session.commit { _ in }
        }
    }

    private func collectDamaged(_ report: VerifyReport) throws {
        let packs = Set(report.damages.compactMap { PackID(fileName: $0.pack.name) })
        _ = try VaultLock.collection.hold(in: store.folder) {
            try Collector(store: store).collect(deadShareMin: 1, forced: packs)
        }
    }
}
