public import Foundation

extension URL {
    /// Begins an access to an item that this process was given: by a person's choice in the document browser,
    /// or by a bookmark.
    ///
    /// Calls nest; each that returns true is to be balanced by `stopAccessingSecurityScopedResource()`. What
    /// is in a given folder is given, too, by where it really is: an item that a symbolic link or ".." makes
    /// seem to be there is not. Looks at the disk; any thread.
    ///
    /// No kernel stands behind this: a process can open whatever its user can, and one that does not ask is
    /// not held back. An app that asks, and heeds the answer, stays within what a person chose.
    ///
    /// - Returns: Whether the item is given. False also for what needs no permission, as on iOS.
    public func startAccessingSecurityScopedResource() -> Bool {
        SecurityScope.shared.start(self)
    }

    /// Ends an access that `startAccessingSecurityScopedResource()` began. One that never began is nothing.
    public func stopAccessingSecurityScopedResource() {
        SecurityScope.shared.stop(self)
    }
}
