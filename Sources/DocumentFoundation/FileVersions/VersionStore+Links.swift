internal import FileSystem
internal import Foundation
internal import Vault

// Symbolic links that are items themselves, and not what they lead to: in a folder that is kept in step a link may have lost, or
// won, a conflict. As long as that is not settled, whoever asks for the versions of the link means the link's.
extension VersionStore {
    /// Notes whose versions those of a link are, which bears no mark. Nothing is noted where no link is.
    func noteLink(at url: URL, as mark: FileMark) throws {
        guard isOn, let link = try link(at: url) else { return }
        try places.put(mark, at: Self.notePlace(of: link))
    }

    /// The link at a place, if it has a conflict that nobody has settled.
    func linkInConflict(at url: URL) throws -> Item? {
        guard isOn, let link = try link(at: url), let mark = places.mark(at: Self.notePlace(of: link)),
            try !open(for: url).vault.unresolvedConflicts(of: mark).isEmpty
        else { return nil }
        return Item(path: link, mark: mark, identity: try FileIdentity(of: link))
    }

    func link(at url: URL) throws -> FilePath? {
        guard let path = FilePath(url.absoluteURL), try FileStamp.ifPresent(at: path)?.kind == .symbolicLink
        else { return nil }
        return try path.resolvedInFolder()
    }

    /// Apart from what is noted of the place itself, which is about files: nothing can be in a link.
    private static func notePlace(of link: FilePath) -> FilePath { link.appending(".sheaf-link") }
}
