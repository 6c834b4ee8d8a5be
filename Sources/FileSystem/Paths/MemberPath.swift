/// Where a member is inside its package: names only, so that no path can lead out of it.
package struct MemberPath: Hashable, Sendable, CustomStringConvertible {
    /// The names from the package's top down.
    ///
    /// Empty for the package itself.
    package let components: [String]

    /// Nil when a name is empty, ".", "..", or holds a slash or a NUL.
    package init?(_ components: [String]) {
        for name in components where !Self.isName(name) { return nil }
        self.components = components
    }

    /// The package itself.
    package static let top = MemberPath(unchecked: [])

    private init(unchecked components: [String]) {
        self.components = components
    }

    /// A member of this directory; nil when `name` cannot be the name of one.
    package func appending(_ name: String) -> MemberPath? {
        Self.isName(name) ? MemberPath(unchecked: components + [name]) : nil
    }

    /// Whether a directory entry can have this name.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".."
            && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    package var description: String { components.joined(separator: "/") }
}
