internal import FileSystem

/// Finds the items below a folder that only placeholders are here of.
enum EvictedItems {
    /// The items' own places, at any depth; those in packages left out, which go and come as a whole.
    ///
    /// Blocks on the disk: it looks at every name below the folder. What cannot be looked at is for those to find out who use it.
    static func below(_ folder: FilePath) -> [FilePath] {
        // A link leads out of what is moved or copied.
        guard (try? FileStamp.ifPresent(at: folder))?.kind == .directory,
            !PackageTypes.isPackage(named: folder.name)
        else { return [] }
        var open = [folder]
        var found: [FilePath] = []
        while let folder = open.popLast() {
            let members = (try? FolderScan.visibleItems(in: folder, orHidden: { _ in true })) ?? []
            for member in members where !member.name.hasPrefix(SaveSite.ownPrefix) {
                let place = folder.appending(member.name)
                switch member.stamp.kind {
                case .directory:
                    if !PackageTypes.isPackage(named: member.name) { open.append(place) }
                case .regular:
                    if let name = Placeholder.itemName(of: member.name), Placeholder(at: place) != nil {
                        found.append(folder.appending(name))
                    }
                case .symbolicLink, .other: break
                }
            }
        }
        return found
    }
}
