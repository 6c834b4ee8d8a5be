package import FileSystem
internal import Foundation

/// What a person or a program has excluded from sync: items that bear an extended attribute, with all that is in them.
package enum SyncExclusion {
    package static let attribute = "user.sheaf.excluded"

    /// Whether an item bears the attribute itself.
    package static func isMarked(_ path: FilePath) -> Bool {
        // What cannot be looked at says nothing.
        ((try? FileReading.extendedAttribute(attribute, of: path)) ?? nil) == Data("1".utf8)
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
