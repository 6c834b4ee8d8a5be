internal import FileSystem
public import Foundation
internal import Vault

extension NSFileVersion {
    /// The state that an item is in now, be its contents here or not.
    ///
    /// - Parameter url: The item: a file URL.
    /// - Returns: Nil when nothing is there.
    public class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        let url = item(meantBy: url)
        return FileManager.default.fileExists(atPath: url.path) || isEvicted(url)
            ? NSFileVersion(.current, of: url, in: VersionStore.of(url)) : nil
    }

    /// Whether only a placeholder of an item is here.
    class func isEvicted(_ url: URL) -> Bool { UbiquitousItem(url)?.placeholder != nil }

    /// The former states of an item, and those that lost a conflict, the oldest first.
    ///
    /// The state that the item is in is not among them, as far as its times tell. They are here also where the contents of the item
    /// itself are not.
    ///
    /// - Parameter url: The item: a file URL.
    /// - Returns: Nil when nothing is there. None when the vault cannot be opened, which standard error says.
    public class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        let url = item(meantBy: url)
        let store = VersionStore.of(url)
        do {
            let versions = try store.otherVersions(at: url)
            store.noteSeen(versions)
            return versions.map { NSFileVersion(.kept($0), of: url, in: store) }
        } catch let error as SystemError where error.isAbsent {
            return nil
        } catch {
            // A vault that cannot be opened has been reported.
            if !(error is FileVersionError) {
                store.reportOnce("The versions of “\(url.path)” were not found: \(error)")
            }
            return isThere(url, store) ? [] : nil
        }
    }

    /// Whether there is an item, be it a link in conflict that leads nowhere.
    private class func isThere(_ url: URL, _ store: VersionStore) -> Bool {
        if FileManager.default.fileExists(atPath: url.path) || isEvicted(url) { return true }
        // What cannot be looked at is not there for whoever asks.
        return (try? store.linkInConflict(at: url)) != nil
    }

    /// The versions of an item that lost a conflict which nobody has settled.
    ///
    /// - Parameter url: The item: a file URL.
    /// - Returns: Nil when nothing is there, or when the vault cannot be asked, which standard error says: that is not to be taken
    ///   for no conflict.
    public class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        let url = item(meantBy: url)
        let store = VersionStore.of(url)
        guard isThere(url, store), let versions = unresolvedConflicts(of: url, in: store) else { return nil }
        store.noteSeen(versions)
        return versions
    }

    /// Whether an item has such versions, for who looks at none of them; nil when the vault cannot be asked.
    class func isInConflict(_ url: URL) -> Bool? {
        let url = item(meantBy: url)
        return unresolvedConflicts(of: url, in: VersionStore.of(url)).map { !$0.isEmpty }
    }

    /// None when nothing is there; nil when the vault cannot be asked, which has been reported.
    private class func unresolvedConflicts(of url: URL, in store: VersionStore) -> [NSFileVersion]? {
        do { return try store.unresolvedConflicts(at: url) } catch {
            // A vault that cannot be opened has been reported.
            if !(error is FileVersionError) {
                store.reportOnce("The conflicts of “\(url.path)” were not found: \(error)")
            }
            return nil
        }
    }

    /// Finds versions that other devices have and this one has not: none, as each device keeps its own.
    ///
    /// - Parameters:
    ///   - url: The item: a file URL.
    ///   - completionHandler: Called on a queue of the system's, with none, or with `fileReadNoSuchFile` when
    ///     nothing is there.
    public class func getNonlocalVersionsOfItem(
        at url: URL,
        completionHandler: @escaping @Sendable ([NSFileVersion]?, (any Error)?) -> Void
    ) {
        let isThere = currentVersionOfItem(at: url) != nil
        DispatchQueue(label: "sheaf.nonlocal-versions").async {
            if isThere {
                completionHandler([], nil)
            } else {
                completionHandler(nil, CocoaError(.fileReadNoSuchFile, userInfo: [NSURLErrorKey: url]))
            }
        }
    }

    /// Finds versions that other devices have and this one has not: none, as each device keeps its own.
    ///
    /// - Parameter url: The item: a file URL.
    /// - Throws: `CocoaError.fileReadNoSuchFile` when nothing is there.
    public class func nonlocalVersionsOfItem(at url: URL) async throws -> [NSFileVersion] {
        try await withCheckedThrowingContinuation { continuation in
            getNonlocalVersionsOfItem(at: url) { versions, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: versions ?? [])
                }
            }
        }
    }

    /// Finds a version by what `persistentIdentifier` gave.
    ///
    /// - Parameters:
    ///   - url: The item: a file URL. It may have been moved since.
    ///   - persistentIdentifier: As it was, or out of an archive.
    /// - Returns: Nil when there is no such version of this item, or not any more.
    public class func version(
        itemAt url: URL,
        forPersistentIdentifier persistentIdentifier: Any
    ) -> NSFileVersion? {
        let url = item(meantBy: url)
        let store = VersionStore.of(url)
        switch PersistentIdentifier.subject(of: persistentIdentifier) {
        case .current?: return currentVersionOfItem(at: url)
        case .version(let id)?:
            do {
                let found = try store.version(id, at: url)
                store.noteSeen([found].compactMap { $0 })
                return found.map { NSFileVersion(.kept($0), of: url, in: store) }
            } catch {
                let isExpected = error is FileVersionError || (error as? SystemError)?.isAbsent == true
                if !isExpected { store.reportOnce("A version of “\(url.path)” was not found: \(error)") }
                return nil
            }
        case nil: return nil
        }
    }
}

/// A version's identifier as data: one byte that says what follows, then the sixteen bytes of a kept version.
enum PersistentIdentifier {
    enum Subject {
        case current
        case version(VersionID)
    }

    private static let current: UInt8 = 0
    private static let kept: UInt8 = 1

    static func data(of version: NSFileVersion) -> NSData {
        let bytes = version.id.map { [kept] + $0.bytes } ?? [current]
        return NSData(bytes: bytes, length: bytes.count)
    }

    static func subject(of identifier: Any) -> Subject? {
        let bytes: Data
        switch identifier {
        case let data as Data: bytes = data
        case let data as NSData: bytes = Data(referencing: data)
        default: return nil
        }
        switch bytes.first {
        case current? where bytes.count == 1: return .current
        case kept?: return VersionID(bytes: bytes.dropFirst()).map { .version($0) }
        default: return nil
        }
    }
}
