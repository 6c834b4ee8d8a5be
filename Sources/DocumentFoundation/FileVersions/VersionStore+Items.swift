package import FileSystem
package import Foundation
internal import Vault

/// Whose versions an item's are.
///
/// An item is known by its mark, which moves, renames and our saves carry along.
///
/// 1. A copy made with its attributes bears its original's mark. Where that was seen last something bears the mark
///    still, so the copy is told, has no versions, and gets a mark of its own when one is kept. When the original is
///    gone the copy is its heir; where neither has been seen at its place before, whichever is asked first. What sync
///    puts in place is never the copy.
/// 2. An item without a mark is the one whose mark was noted for its place, if that was seen nowhere else since: an
///    editor has written a new file there, or the volume has no extended attributes. On such a volume versions stay
///    with the place when the item is moved while no document has it open.
/// 3. It is another one where the noted item has another name in the same folder: somebody has renamed that, and made
///    something new. An editor's backup is no such name: it begins with the item's, or was given just as the new file
///    was made.
extension VersionStore {
    /// An item and the mark that its versions are kept under.
    struct Item {
        /// Without a symbolic link on the way or at the end.
        var path: FilePath
        var mark: FileMark
        var identity: FileIdentity
        /// What is at the path in the item's stead, where its contents are not here.
        var placeholder: Placeholder?
    }

    /// The item at a place, if it is known to have versions; changes nothing of it on disk. It may be one that only a placeholder is
    /// here of, which bears its mark.
    ///
    /// - Returns: Nil when it never had any.
    /// - Throws: `SystemError`; `ENOENT` when nothing is there.
    func knownItem(at url: URL) throws -> Item? {
        if let link = try linkInConflict(at: url) { return link }
        let path: FilePath
        do { path = try resolved(url) } catch let error as SystemError where error.isAbsent {
            guard let evicted = UbiquitousItem(url), let placeholder = evicted.placeholder,
                let place = Placeholder.place(for: evicted.path)
            else { throw error }
            return try knownItem(at: place, named: evicted.path, placeholder)
        }
        return try knownItem(at: path, named: path)
    }

    private func knownItem(
        at path: FilePath,
        named place: FilePath,
        _ placeholder: Placeholder? = nil
    ) throws -> Item? {
        let identity = try FileIdentity(of: path)
        // Who copies a placeholder without its attributes leaves the mark in it.
        if let mark = identity.mark ?? placeholder?.mark, !identities.isCopy(identity, at: place) {
            return Item(path: path, mark: mark, identity: identity, placeholder: placeholder)
        }
        return markNoted(at: place).map {
            Item(path: path, mark: $0, identity: identity, placeholder: placeholder)
        }
    }

    /// The item at a place, marked where it was not, and noted.
    ///
    /// - Parameter lastKnown: The mark of the document that is open there; it goes before what is noted of the place.
    /// - Throws: `SystemError`; `ENOENT` when nothing is there.
    func markedItem(at url: URL, lastKnown: FileMark? = nil) throws -> Item {
        let path = try resolved(url)
        let fresh = lastKnown ?? markNoted(at: path) ?? FileMark.fresh()
        // Read once: a note is a file, and every save asks for it three times.
        var notes: [FileMark: IdentityIndex.Note?] = [:]
        func noted(_ mark: FileMark) -> IdentityIndex.Note? {
            if let known = notes[mark] { return known }
            let note = identities.note(of: mark)
            notes[mark] = .some(note)
            return note
        }
        func isCopy(_ identity: FileIdentity) -> Bool {
            identities.isCopy(identity, at: path, noted: identity.mark.flatMap(noted))
        }
        var identity = try FileIdentity.marking(path, with: fresh, isForeign: isCopy).identity
        // What cannot be marked is known by its place.
        if identity.mark == nil || isCopy(identity) { identity.mark = fresh }
        let item = Item(path: path, mark: identity.mark ?? fresh, identity: identity)
        try note(item, over: noted(item.mark))
        return item
    }

    /// Has an item that sync has put in place, or has seen to be moved, be the one whose mark it bears: another one that does, as
    /// one that was moved out of its folder and came back there, is the copy from now on.
    ///
    /// One call that finds nothing, where nothing was ever noted of the mark.
    package func claim(_ url: URL, as mark: FileMark) throws {
        guard isOn, let noted = identities.note(of: mark) else { return }
        let path = try resolved(url)
        guard noted.path != path.string, let identity = try FileIdentity.ifPresent(at: path),
            identity.mark == mark
        else { return }
        try note(Item(path: path, mark: mark, identity: identity), over: noted)
    }

    /// The mark that versions of an item of sync's are kept under: on a volume without marks that which is noted of its place,
    /// where an app has kept some there before.
    func versionMark(at url: URL, of mark: FileMark) throws -> FileMark {
        guard let place = try unmarkable(at: url) else { return mark }
        return markNoted(at: place.path) ?? mark
    }

    /// Notes whose versions those of an item in conflict are that cannot bear a mark: a link, or what is on a volume without them.
    /// Nothing is noted of others.
    ///
    /// - Parameter id: A version of it.
    package func notePlace(_ url: URL, ofItemWith id: VersionID) throws {
        guard isOn else { return }
        let place = try unmarkable(at: url)
        guard try place != nil || link(at: url) != nil,
            let mark = try open(for: url).vault.version(id)?.item
        else { return }
        guard let (path, identity) = place else { return try noteLink(at: url, as: mark) }
        guard markNoted(at: path) != mark else { return }
        try note(Item(path: path, mark: mark, identity: identity), over: identities.note(of: mark))
    }

    /// What is at a place, if that is a file or a folder that cannot bear a mark.
    private func unmarkable(at url: URL) throws -> (path: FilePath, identity: FileIdentity)? {
        guard let path = FilePath(url.absoluteURL), let identity = try FileIdentity.ifPresent(at: path),
            identity.mark == nil, identity.kind == .regular || identity.kind == .directory,
            try !FileIdentity.isMarkable(path)
        else { return nil }
        return (try path.resolved(), identity)
    }

    /// Marks the item at a place where it bears no mark; a few microseconds.
    ///
    /// Whoever is about to watch an item does this before: a mark given later is a change of attributes, and those who
    /// hear of it look at the item, perhaps while another program is in the middle of writing it.
    package func markEarly(_ url: URL) throws {
        let path = try resolved(url)
        guard try FileIdentity(of: path).mark == nil else { return }
        _ = try FileIdentity.marking(path, with: markNoted(at: path) ?? FileMark.fresh())
    }

    /// Notes that a marked item is where it is: this tells it from its copies.
    ///
    /// - Parameter known: What is noted so far.
    func note(_ item: Item, over known: IdentityIndex.Note?) throws {
        let note = IdentityIndex.Note(path: item.path, identity: item.identity)
        if known != note { try identities.put(note, of: item.mark) }
        try places.put(item.mark, at: item.path)
    }

    /// Links followed, as a save follows them.
    func resolved(_ url: URL) throws -> FilePath {
        guard let path = FilePath(url.absoluteURL) else {
            throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        return try path.resolved()
    }

    private func markNoted(at path: FilePath) -> FileMark? {
        guard let mark = places.mark(at: path) else { return nil }
        guard let note = identities.note(of: mark) else { return mark }
        return note.path == path.string && !hasOtherName(mark, note, than: path) ? mark : nil
    }

    /// Whether an item that was noted at a place was renamed, and what is there now is new.
    private func hasOtherName(_ mark: FileMark, _ note: IdentityIndex.Note, than path: FilePath) -> Bool {
        // What cannot be looked at has no other name. What bears a mark tells by that who it is.
        guard let new = try? FileIdentity(of: path), new.mark == nil, new.inode != note.inode,
            let items = try? FolderScan.listing(of: path.parent)
        else { return false }
        return items.contains { item in
            guard item.inode == note.inode, !item.name.hasPrefix(path.name) else { return false }
            let place = path.parent.appending(item.name)
            guard (try? FileIdentity.mark(at: place)) == mark else { return false }
            guard let birth = new.birth, let renamed = try? ItemStatus(of: place).changeDate else {
                return true
            }
            let made = Double(birth.seconds) + Double(birth.nanoseconds) / 1e9
            return abs(made - renamed.timeIntervalSince1970) >= savingSeconds
        }
    }
}
