package import FileSystem
internal import Foundation

/// What a person or a program has excluded from sync: items that bear an extended attribute, with all that is in them.
package enum SyncExclusion {
    package static let attribute = "user.sheaf.excluded"

    /// Whether an item bears the attribute itself.
    package static func isMarked(_ path: FilePath) -> Bool {
        // What cannot be looked at says nothing.
        (try? isKnownAsMarked(path)) ?? false
    }

    /// Whether an item bears the attribute itself; what nobody may look at does not.
    ///
    /// - Throws: `SystemError` when the disk does not tell: what a person keeps to this device must not leave it for that.
    package static func isKnownAsMarked(_ path: FilePath) throws(SystemError) -> Bool {
        do { return try FileReading.extendedAttribute(attribute, of: path) == Data("1".utf8) } catch {
            guard error.isFault else { return false }
            throw error
        }
    }

    /// Whether an item bears it, or a folder that it is in.
    package static func isExcluded(_ path: FilePath, below root: FilePath) -> Bool {
        var at = path
        while at != root, at.isInside(root) {
            if isMarked(at) { return true }
            at = at.parent
        }
        return false
    }

    /// Has an item excluded, or not any more.
    ///
    /// - Throws: `SystemError`, with `EOPNOTSUPP` on a volume without extended attributes, `EPERM` for a symbolic link.
    package static func set(_ isExcluded: Bool, _ path: FilePath) throws(SystemError) {
        guard isExcluded || isMarked(path) else { return }
        try AttributeWriting.set(attribute, Data((isExcluded ? "1" : "0").utf8), of: path)
    }
}
