internal import FileSystem
internal import Foundation
internal import Sync

// Which folders and packages are watched: all that are there and can be.
extension SyncRun {
    /// Watches folders that were found now, and those that could not be watched at their places.
    func watchFound(_ folders: Set<ItemID>) {
        guard isLookDone else { return }
        for item in folders.union(unwatched) {
            unwatched.remove(item)
            guard item == .root || table[item] != nil else { continue }
            watchIfPossible(item)
            // One whose place is another's is watched where the next look finds it.
            guard !unwatched.contains(item) else { continue }
            // What came into it between the look and the watch.
            dirtyFolders.insert(item)
            lookSoon()
        }
    }

    /// - Returns: Whether the folder is watched, or gone; if not, it counts as one that cannot be looked at.
    @discardableResult
    func watchIfPossible(_ folder: ItemID) -> Bool {
        do { try watch(folder: folder) } catch {
            noteUnlisted(folder, error)
            return false
        }
        return true
    }

    private func watch(folder item: ItemID) throws(SystemError) {
        guard let path = table.path(of: item, in: place.folder) else { return }
        do { try watches?.watch(folder: item, at: path) } catch {
            guard error.isAbsent || error.errno == ENOTDIR else { throw error }
            // Gone, or somewhere else: the folder above tells of that, and nothing of what is in it.
            unwatched.insert(item)
            return
        }
        // Another may have its name by now.
        let there = try FolderScan.status(at: path).map { ItemTrace($0) }
        if let known = table.trace(ofFolder: item), there?.isSameItem(as: known) != true {
            unwatched.insert(item)
        }
    }

    func watch(package item: ItemID, at path: FilePath) throws(SystemError) {
        do { try watches?.watch(package: item, at: path) } catch {
            // As of a folder.
            guard error.isAbsent || error.errno == ENOTDIR else { throw error }
        }
    }

    /// Watches a document if it is a package.
    ///
    /// - Returns: Whether it can be read; one that cannot is not in the way of others.
    func watchIfPackage(_ item: ItemID, _ trace: ItemTrace) -> Bool {
        guard trace.kind == .directory, let path = table.path(of: item, in: place.folder) else { return true }
        do { try watch(package: item, at: path) } catch {
            noteUnkept(item, error)
            return false
        }
        return true
    }
}
