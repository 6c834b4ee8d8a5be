internal import Dispatch
package import FileSystem
package import Foundation
internal import Locks

/// Makes bookmarks and finds what they are of.
///
/// Any thread; blocks on the disk. Every call may fail with a `CocoaError`.
package final class BookmarkKeeper: Sendable {
    /// The one that `URL` uses for what is on no make-believe device; a test puts its own in place.
    @TaskLocal package static var shared = BookmarkKeeper(.current)

    let settings: BookmarkSettings
    private let index: IdentityIndex
    private let state = Locked(State())

    private struct State {
        var key: Data?
        var documentFolders: [FilePath] = []
        var movesWaiting = 0
        /// Whether nothing is kept any more.
        var isOver = false
    }

    /// Where moves are noted.
    private let hintQueue = DispatchQueue(label: "sheaf.bookmark-hints", qos: .utility)
    /// How many moves wait to be noted; of more at once, a search finds what is asked for.
    private static let movesWaitingMax = 256

    package init(_ settings: BookmarkSettings) {
        self.settings = settings
        index = IdentityIndex(folder: settings.stateFolder.appending("identities"))
    }

    /// Lets items be looked for in another folder, too.
    package func addDocumentFolder(_ url: URL) {
        guard let path = FilePath(url) else { return }
        state.withLock { if !$0.documentFolders.contains(path) { $0.documentFolders.append(path) } }
    }

    // MARK: Making

    /// The data of a bookmark.
    func make(
        of url: URL,
        _ options: NSURL.BookmarkCreationOptions,
        keys: Set<URLResourceKey>,
        relativeTo base: URL?
    ) throws -> Data {
        let raw = UInt64(options.rawValue)
        guard let given = FilePath(url.absoluteURL) else {
            return try seal(BookmarkRecord(options: raw, content: .url(url.absoluteString)))
        }
        do {
            let resolved = try given.resolvedInFolder()
            // Who lists a folder may mean an item by its placeholder.
            let path = Placeholder.itemPlace(of: resolved) ?? resolved
            var item = BookmarkedItem(path: path, taken: try take(path))
            item.relativePath = try base.flatMap { try RelativePlace(base: $0).way(to: path, options) }
            if options.contains(.minimalBookmark) {
                item.taken.handle = nil
            } else {
                item.values = try BookmarkValues.encode(keys, of: url)
            }
            return try seal(BookmarkRecord(options: raw, content: .item(item)))
        } catch let error as SystemError {
            throw CocoaError(error, while: .reading, url: url)
        }
    }

    /// The mark of an item, be its contents here or not; given now where it has none; of a copy another one than its
    /// original's. Nil for what cannot be marked.
    ///
    /// - Throws: `SystemError`; `ENOENT` when nothing is there.
    func mark(of path: FilePath) throws -> FileMark? { try take(path).identity.mark }

    private func take(_ path: FilePath) throws -> TakenIdentity {
        let taken = try marked(path)
        note(path, taken.identity)
        return taken
    }

    private func marked(_ path: FilePath) throws -> TakenIdentity {
        do {
            return try FileIdentity.marking(path, with: FileMark.fresh()) { index.isCopy($0, at: path) }
        } catch {
            // What stands for the item bears its mark, by which sync knows it: nobody gives it another.
            guard error.isAbsent, let placeholder = Placeholder(standingFor: path),
                let identity = StandIns.placeholders.identity(
                    standingFor: path,
                    as: placeholder.isDirectory ? .directory : .regular
                )
            else { throw error }
            return TakenIdentity(identity: identity, handle: nil)
        }
    }

    /// A hint that cannot be written costs a search later, and nothing else.
    private func note(_ path: FilePath, _ identity: FileIdentity) {
        guard let mark = identity.mark, !isOver else { return }
        let note = IdentityIndex.Note(path: path, identity: identity)
        if index.note(of: mark) != note { try? index.put(note, of: mark) }
    }

    // MARK: Moves

    /// Notes where an item has gone, so that its bookmark, or one of something in it, leads there without a
    /// search. Returns at once.
    ///
    /// - Parameters:
    ///   - source: Where it was; nil when that is not known.
    ///   - target: Where it is now.
    package func noteMove(from source: FilePath?, to target: FilePath) {
        let hasRoom = state.withLock { state in
            guard !state.isOver, state.movesWaiting < Self.movesWaitingMax else { return false }
            state.movesWaiting += 1
            return true
        }
        guard hasRoom else { return }
        hintQueue.async { [self] in
            state.withLock { $0.movesWaiting -= 1 }
            // A hint that cannot be written costs a search later, and nothing else.
            try? index.noteMove(from: source, to: target)
        }
    }

    /// Returns when the moves so far have been noted.
    package func finishNotingMoves() { hintQueue.sync {} }

    /// Keeps nothing any more, and returns when nothing is being noted.
    func end() {
        state.withLock { $0.isOver = true }
        finishNotingMoves()
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    // MARK: Resolving

    /// What a bookmark is of, now.
    struct Resolved {
        var url: URL
        var isStale: Bool
        /// Whether the bookmark lets its item be accessed, and for reading only.
        var scope: (isGranted: Bool, isReadOnly: Bool)
    }

    /// Finds what a bookmark is of.
    func resolve(
        _ data: Data,
        _ options: NSURL.BookmarkResolutionOptions,
        relativeTo base: URL?
    ) throws -> Resolved {
        let record = try open(data)
        switch record.content {
        case .url(let text):
            guard let url = URL(string: text) else {
                throw BookmarkErrors.unreadable(BookmarkFormat.Failure.malformed(tag: BookmarkFormat.Tag.url))
            }
            return Resolved(url: url, isStale: false, scope: (false, false))
        case .item(let item):
            do { return try resolve(item, made: record.creationOptions, options, relativeTo: base) } catch let
                error as SystemError
            {
                throw CocoaError(error, while: .reading, url: item.path.url(isDirectory: false))
            }
        }
    }

    private func resolve(
        _ item: BookmarkedItem,
        made: NSURL.BookmarkCreationOptions,
        _ options: NSURL.BookmarkResolutionOptions,
        relativeTo base: URL?
    ) throws -> Resolved {
        let isScoped = made.contains(.withSecurityScope)
        let isGranted = isScoped || !made.contains(.withoutImplicitSecurityScope)
        if options.contains(.withSecurityScope), !isGranted { throw BookmarkErrors.noScope(item.path) }
        let isFolder = item.taken.identity.kind == .directory
        var place = item.path
        var enclosing: FilePath?
        if let way = item.relativePath {
            if let base {
                let relative = try RelativePlace(base: base)
                place = try relative.place(of: way, isBound: isScoped)
                enclosing = isScoped && relative.isFolder ? relative.folder : nil
            } else if isScoped {
                throw BookmarkErrors.needsBase(item.path)
            }
        }
        guard let found = try finder.find(item.taken, at: place) else {
            throw BookmarkErrors.gone(place, isFolder: isFolder)
        }
        if let enclosing, !found.path.isInside(enclosing) {
            throw BookmarkErrors.outside(found.path, of: enclosing)
        }
        note(found.path, found.identity)
        return Resolved(
            url: found.path.url(isDirectory: isFolder),
            isStale: found.isStale,
            scope: (isGranted, made.contains(.securityScopeAllowOnlyReadAccess))
        )
    }

    private var finder: IdentityFinder {
        let added = state.withLock { $0.documentFolders }
        return IdentityFinder(
            index: index,
            documentFolders: settings.documentFolders + added,
            standIns: .placeholders,
            bounds: settings.bounds
        )
    }

    // MARK: Sealing

    /// The record in a bookmark's data, which must be one that this user's key sealed.
    func open(_ data: Data) throws -> BookmarkRecord {
        let key = try loadKey()
        do { return try BookmarkFormat.decode(try BookmarkSeal.open(data, key: key)) } catch {
            throw BookmarkErrors.unreadable(error)
        }
    }

    /// Whether a bookmark is sealed with this user's key; false where that has never been needed.
    func hasSealed(_ data: Data) -> Bool {
        let known = state.withLock { $0.key }
        // What cannot be read opens nothing.
        guard
            let key = known ?? (try? BookmarkKey.loadMade(in: settings.stateFolder, userID: settings.userID))
        else { return false }
        return (try? BookmarkSeal.open(data, key: key)) != nil
    }

    private func seal(_ record: BookmarkRecord) throws -> Data {
        try BookmarkSeal.seal(BookmarkFormat.encode(record), key: try loadKey())
    }

    private func loadKey() throws -> Data {
        if let key = state.withLock({ $0.key }) { return key }
        guard !isOver else { throw CocoaError(.fileNoSuchFile) }
        do {
            let key = try BookmarkKey.load(from: settings.stateFolder, userID: settings.userID)
            state.withLock { $0.key = key }
            return key
        } catch let error as SystemError {
            throw CocoaError(error, while: .reading)
        }
    }
}

extension StandIns {
    /// Placeholders, which stand for items of containers whose contents are not here.
    static let placeholders = StandIns(
        place: { Placeholder.place(for: $0) },
        item: { Placeholder.itemPlace(of: $0) }
    )
}

extension BookmarkRecord {
    var creationOptions: NSURL.BookmarkCreationOptions {
        NSURL.BookmarkCreationOptions(rawValue: UInt(truncatingIfNeeded: options))
    }
}
