/// Names of what comes beside an item of the same name.
package enum NumberedName {
    /// How long a name may be in the file systems of Linux, in bytes.
    package static let byteCountMax = 255

    /// A name with a number before its extension, cut to what a directory entry can hold.
    ///
    /// A leading dot starts no extension.
    package static func of(_ name: String, _ number: Int) -> String {
        var stem = Substring(name)
        var suffix = " \(number)"
        if let dot = name.lastIndex(of: "."), dot > name.startIndex, name.index(after: dot) < name.endIndex {
            let tail = name[dot...]
            if tail.utf8.count + suffix.utf8.count < byteCountMax {
                stem = name[..<dot]
                suffix += tail
            }
        }
        while stem.utf8.count + suffix.utf8.count > byteCountMax { stem.removeLast() }
        return stem + suffix
    }
}
