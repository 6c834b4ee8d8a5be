internal import FileSystem

/// A package that is opened through a symbolic link: the link stands for the package.
extension DocumentFileAccess {
    /// Where the item is that a place leads to; the place itself where that cannot be found out, or is no link.
    static func target(of path: FilePath) -> FilePath {
        // Whatever is done with the place tells what is wrong with it.
        (try? SaveSite.resolvingLinks(path)) ?? path
    }
}
