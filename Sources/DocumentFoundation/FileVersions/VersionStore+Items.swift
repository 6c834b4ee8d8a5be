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
    }

    /// The item at a place, if it is known to have versions; changes nothing on disk.
    ///
    /// - Returns: Nil when it never had any.
    /// - Throws: `SystemError`; `ENOENT` when nothing is there.
    func knownItem(at url: URL) throws -> Item? {
        if let link = try linkInConflict(at: url) { return link }
        let path = try resolved(url)
        let identity = try FileIdentity(of: path)
        if let mark = identity.mark, !identities.isCopy(identity, at: path) {
            return Item(path: path, mark: mark, identity: identity)
        }
        return markNoted(at: path).map { Item(path: path, mark: $0, identity: identity) }
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
