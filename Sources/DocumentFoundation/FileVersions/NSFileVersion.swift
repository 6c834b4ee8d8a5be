internal import FileSystem
public import Foundation
internal import Vault

/// One state of one file or package: the one it is in now, or a former one.
///
///     let others = NSFileVersion.otherVersionsOfItem(at: document.fileURL) ?? []
///     for version in others { print(version.modificationDate ?? .distantPast, version.localizedName ?? "") }
///
/// Every `UIDocument` that is opened or saved leaves its state in the user's vault; a state stays until it is
/// removed, or until `VersionRetention` lets go of it. Versions follow their item when it is moved or renamed. Two
/// objects are equal when they are the same version of the same item. Every member may block on the disk; any
/// thread. A class of an app's own may be derived from it, which a test hands to code that takes versions.
///
/// - Source: Apple's NSFileVersion.
/// - Differs from Darwin: versions of an item are those of this device; the members that Apple has on macOS only are
///   there. Where `SHEAF_VAULT` is `off`, or the vault cannot be opened, there is no version but the current one.
open class NSFileVersion: NSObject, @unchecked Sendable {
    // Sendable because nothing in it changes once it is made, and the store locks for itself.

    enum Subject {
        case current
        case kept(KeptVersion)
        /// Told of by another process and not there any more.
        case gone(VersionID)
    }

    let subject: Subject
    package let itemURL: URL
    let store: VersionStore

    /// A version that is not there, of no item; for classes derived from this one.
    public override init() {
        subject = .gone(VersionID(UUID()))
        itemURL = URL(fileURLWithPath: "/dev/null")
        store = .shared
    }

    init(_ subject: Subject, of itemURL: URL, in store: VersionStore) {
        self.subject = subject
        self.itemURL = itemURL
        self.store = store
    }

    /// The version that news are about.
    convenience init(told id: VersionID, at url: URL, in store: VersionStore) {
        // What cannot be looked up is as good as gone: the news is all that there is to say.
        let found = try? store.version(id, at: url)
        self.init(found.map { .kept($0) } ?? .gone(id), of: url, in: store)
    }

    // MARK: What it is

    /// Where its contents can be read; not to be shown to anybody, and not to be written to.
    ///
    /// Of the current version the item's own place. Of another a read-only copy in a folder of this process, made
    /// when this is asked for the first time; it stays until the version is removed or the process has ended.
    /// Nothing is at the place when the version is gone or damaged, or there is no space; standard error says why.
    open var url: URL {
        guard case .kept(let version) = subject else { return goneURL }
        let isFolder = version.kind == .directory
        do {
            let name = try version.origin().displayName
            let vault = try store.open(for: itemURL).vault
            return try store.copies.copy(version.id, named: name, from: vault).url(isDirectory: isFolder)
        } catch {
            store.reportOnce("A version of “\(itemURL.path)” cannot be read: \(error)")
            return goneURL
        }
    }

    private var goneURL: URL {
        guard let id else { return itemURL }
        return store.copies.place(of: id, named: itemURL.lastPathComponent).url(isDirectory: false)
    }

    /// What to call it to a person: the name that the item had then, without its extension.
    open var localizedName: String? {
        let name: String? =
            switch subject {
            case .current: itemURL.lastPathComponent
            case .kept: origin?.displayName
            case .gone: nil
            }
        return name.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent }
    }

    /// The name of the computer that it was saved on; nil of the current version.
    open var localizedNameOfSavingComputer: String? { origin?.deviceName }

    /// Who saved it: nil, as items are not shared.
    open var originatorNameComponents: PersonNameComponents? { nil }

    /// When the item was modified last, in this version; nil when the version is gone.
    open var modificationDate: Date? {
        switch subject {
        case .current:
            (try? itemURL.resourceValues(forKeys: [.contentModificationDateKey]))?
                .contentModificationDate  // What cannot be looked at has no date to tell.
        case .kept(let version): store.latest(version, at: itemURL)?.modificationDate
        case .gone: nil
        }
    }

    /// Tells this version of this item from all others, and stays the same: an object to be archived.
    open var persistentIdentifier: any NSCoding { PersistentIdentifier.data(of: self) }

    /// Whether it lost a conflict with the current version.
    open var isConflict: Bool {
        if case .kept(let version) = subject { version.isConflict } else { false }
    }

    /// Whether the conflict has been settled; true of what never was in one.
    ///
    /// Set true when it has been, then remove the version. Setting false traps, as Apple's raises. Should it not be
    /// written down, standard error says why, and it stays false.
    open var isResolved: Bool {
        get {
            guard case .kept(let version) = subject else { return true }
            return store.latest(version, at: itemURL)?.isResolved ?? version.isResolved
        }
        set {
            precondition(newValue, "a conflict that has been resolved cannot be made unresolved")
            attempt("was not resolved") { try resolve() }
        }
    }

    /// As setting `isResolved`, for a caller who can be told.
    package func resolve() throws {
        guard case .kept(let version) = subject, !isResolved else { return }
        try store.setResolved(version, at: itemURL)
    }

    /// Whether it may be removed to free space, as `VersionRetention` says.
    ///
    /// What documents keep by themselves may, what `addOfItem` adds may not until this is set true. Setting false
    /// traps, as does asking the current version, as Apple's raises.
    open var isDiscardable: Bool {
        get {
            guard case .kept(let version) = subject else { return Self.notCurrent() }
            return store.latest(version, at: itemURL)?.isDiscardable ?? version.isDiscardable
        }
        set {
            precondition(newValue, "a version cannot be made undiscardable")
            guard case .kept(let version) = subject else {
                _ = Self.notCurrent()
                return
            }
            attempt("was not made discardable") { try store.setDiscardable(version, at: itemURL) }
        }
    }

    /// Whether its contents are on this device: always, but for the current version of an item that was evicted.
    open var hasLocalContents: Bool {
        if case .current = subject { !Self.isEvicted(itemURL) } else { true }
    }

    /// Whether there is a picture of it: never.
    open var hasThumbnail: Bool { false }

    // MARK: Changing

    /// Puts this version in an item's place, or where nothing is. Call it inside a coordinated write of the item.
    ///
    /// The item keeps its name; if the version is of another type, it gets the version's extension, unless the version has lost a
    /// conflict with the item: then that is called what it is by now. The state that the item is in is kept as a version first;
    /// then it is replaced in one step, and durably. What a program that does not coordinate saves until that step is kept as
    /// well. Contents of the item that are not here are fetched first, as a coordinated write has done already.
    ///
    /// - Parameters:
    ///   - url: The item, or where to put the version.
    ///   - options: Whether the version is removed afterwards.
    /// - Returns: Where the item is then.
    /// - Throws: `CocoaError`: `fileReadCorruptFile` for a damaged version, `fileWriteFileExists` when the name with
    ///   the other extension is taken; what keeps contents from coming. The item is as it was then.
    /// - Differs from Darwin: the state replaced is always kept. The item's permissions and extended attributes
    ///   stay, unless the version has lost a conflict: then it comes with its own.
    @discardableResult
    open func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        let url = Self.item(meantBy: url)
        do {
            switch subject {
            case .kept(let version):
                try Self.fetchContents(of: url)
                let place = try store.replace(url, with: version)
                if options.contains(.byMoving) { try store.remove([version], at: itemURL) }
                return place
            case .gone(let id):
                let detail = "The version \(id) is not there any more. List the document's versions anew."
                let info: [String: Any] = [NSURLErrorKey: url, NSLocalizedFailureReasonErrorKey: detail]
                throw CocoaError(.fileNoSuchFile, userInfo: info)
            case .current:
                if url.standardizedFileURL.path == itemURL.standardizedFileURL.path { return url }
                for item in [itemURL, url] { try Self.fetchContents(of: item) }
                return try store.replace(url, with: try store.add(itemURL, to: itemURL, isDiscardable: false))
            }
        } catch {
            throw CocoaError(version: error, while: .writing, url: url)
        }
    }

    /// Removes this version for good. Call it inside a coordinated write of the item.
    ///
    /// Traps on the current version, as Apple's raises.
    ///
    /// - Throws: `CocoaError`; the version is still there then.
    open func remove() throws {
        switch subject {
        case .current:
            preconditionFailure("the current version of an item cannot be removed: remove the item")
        case .gone: return
        case .kept(let version):
            do { try store.remove([version], at: itemURL) } catch {
                throw CocoaError(version: error, while: .writing, url: itemURL)
            }
        }
    }

    // MARK: Equality

    /// Whether the other is the same version of the same item.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFileVersion, id == other.id else { return false }
        return id != nil || itemURL.standardizedFileURL.path == other.itemURL.standardizedFileURL.path
    }

    /// The same for what is equal.
    open override var hash: Int { id?.hashValue ?? itemURL.standardizedFileURL.path.hashValue }

    // MARK: Parts

    var id: VersionID? {
        switch subject {
        case .current: nil
        case .kept(let version): version.id
        case .gone(let id): id
        }
    }

    /// Who kept it; nil of the current version.
    var origin: VersionOrigin? {
        guard case .kept(let version) = subject else { return nil }
        do { return try version.origin() } catch {
            store.reportOnce("A version of “\(itemURL.path)” cannot be read: \(error)")
            return nil
        }
    }

    /// Does what a property's setter cannot report to its caller.
    private func attempt(_ failure: String, _ body: () throws -> Void) {
        do { try body() } catch {
            store.report("A version of “\(itemURL.path)” \(failure): \(error)")
        }
    }

    private static func notCurrent() -> Bool {
        preconditionFailure("the current version of an item is the item itself and cannot be discarded")
    }
}
