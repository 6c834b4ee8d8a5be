/// How all that is in a package looks, by where it is in it.
///
/// Two looks that are equal saw the same contents, as far as the kernel tells.
package struct PackageTraces: Hashable, Sendable {
    private var members: [FilePath: MemberStatus] = [:]

    /// - Throws: `SystemError` for what cannot be looked at.
    package init(of package: FilePath) throws(SystemError) {
        var rest: [(folder: FilePath, inside: FilePath?)] = [(package, nil)]
        while let (folder, inside) = rest.popLast() {
            for member in try FolderScan.members(of: folder) {
                let place = inside?.appending(member.name) ?? FilePath(member.name)
                members[place] = member.status
                if member.status.stamp.kind == .directory {
                    rest.append((folder.appending(member.name), place))
                }
            }
        }
    }

    /// Whether all looks as it did, in a package that may be elsewhere by now.
    package func isStill(at package: FilePath) -> Bool {
        // What cannot be looked at is not as it was.
        (try? PackageTraces(of: package)) == self
    }
}
