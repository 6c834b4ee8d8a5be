package import Foundation

/// Where an item is, as the kernel is told: bytes without a NUL.
///
/// Outside of our own targets a place is a `URL`.
package struct FilePath: Hashable, Sendable, CustomStringConvertible {
    /// The path as text.
    ///
    /// Never empty, never ending in a slash unless it is the root.
    package let string: String

    /// Takes a path as it is, less trailing slashes.
    package init(_ string: String) {
        let slash = UInt8(ascii: "/")
        guard string.utf8.last == slash else {
            self.string = string.isEmpty ? "." : string
            return
        }
        var text = string.utf8[...]
        while text.last == slash, text.startIndex < string.utf8.index(before: text.endIndex) {
            text.removeLast()
        }
        // Bytes of text, cut where a whole character ends.
        self.string = String(Substring(text))
    }

    /// The place that a file URL names; nil for any other URL.
    package init?(_ url: URL) {
        guard url.isFileURL else { return nil }
        self.init(url.path)
    }

    /// The same place as a file URL.
    package func url(isDirectory: Bool) -> URL {
        URL(fileURLWithPath: string, isDirectory: isDirectory)
    }

    /// The last component; "/" for the root.
    package var name: String {
        guard string != "/" else { return "/" }
        // By bytes: a name may begin with a sign that belongs to the one before it.
        return string.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            String(string[string.utf8.index(after: $0)...])
        }
            ?? string
    }

    /// The folder that holds the item; "." for a lone name and "/" for the root.
    package var parent: FilePath {
        guard let slash = string.utf8.lastIndex(of: UInt8(ascii: "/")) else { return FilePath(".") }
        return FilePath(slash == string.startIndex ? "/" : String(string[..<slash]))
    }

    /// The place of something inside this folder.
    package func appending(_ component: String) -> FilePath {
        FilePath(string == "/" ? "/" + component : string + "/" + component)
    }

    package var description: String { string }

    /// Byte for byte: names that only look alike are two, and strings would not tell them apart.
    package static func == (left: FilePath, right: FilePath) -> Bool {
        left.string.isSameInBytes(right.string)
    }

    package func hash(into hasher: inout Hasher) {
        var text = string
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// The names between the slashes. By bytes: a name may begin with a sign that belongs to the one before it.
    package var pathNames: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// What comes after a name's last dot; empty for a name without one, for one that begins with its only dot, and for one that
    /// ends with it.
    package var nameExtension: String {
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot != startIndex else { return "" }
        return String(self[utf8.index(after: dot)...])
    }

    /// What comes after a text that this begins with, byte for byte; nil where it begins otherwise.
    package func following(_ start: String) -> String? {
        guard utf8.starts(with: start.utf8) else { return nil }
        return String(Substring(utf8.dropFirst(start.utf8.count)))
    }

    /// Whether both are the same bytes. Swift takes names for the same that differ in bytes only; a volume does not.
    package func isSameInBytes(_ other: String) -> Bool {
        // What is alike to a string may differ in bytes; what is not does.
        guard utf8.count == other.utf8.count, self == other else { return false }
        var (own, its) = (self, other)
        return own.withUTF8 { own in
            its.withUTF8 { its in own.elementsEqual(its) }
        }
    }
}
