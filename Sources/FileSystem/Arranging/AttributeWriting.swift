package import Foundation

/// Writes extended attributes of items by their paths.
package enum AttributeWriting {
    /// Sets an extended attribute of an item itself.
    ///
    /// - Throws: `ENOENT` when nothing is there, `EOPNOTSUPP` where the volume has none, `EPERM` for a symbolic link.
    package static func set(_ name: String, _ value: Data, of path: FilePath) throws(SystemError) {
        try SystemCalls.setAttribute(name, [UInt8](value), isNew: false, of: try SystemCalls.openPath(path))
    }
}
