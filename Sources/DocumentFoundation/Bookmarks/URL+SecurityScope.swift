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

    /// Whether an item is there that another program may have promised.
    ///
    /// - Differs from Darwin: nothing is only promised here; the item itself is looked at.
    public func checkPromisedItemIsReachable() throws -> Bool {
        try checkResourceIsReachable()
    }

    /// Resource values of an item that another program may have promised.
    ///
    /// - Differs from Darwin: nothing is only promised here; the item itself is asked.
    public func promisedItemResourceValues(forKeys keys: Set<URLResourceKey>) throws -> URLResourceValues {
        try resourceValues(forKeys: keys)
    }
}
