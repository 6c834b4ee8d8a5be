internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import KeyValues
internal import Sync
internal import Vault

// Files of key-value stores that are older than what was in step, as a backup that is put back is.
extension SyncRun {
    enum FormerValues {
        /// All is there; or it is no store's file.
        case there
        /// Something was lacking, and is there now: it is to be read anew.
        case added
        case waits(DiskRefusal)
    }

    /// Has a store's file have all that it had when it was in step last. Whoever stores something adds to that: what lacks some of it
    /// is older, and would take it away on all devices. Processes of the app add what it lacks, but none may run.
    ///
    /// - Parameter former: What it held.
    func addFormerValues(_ former: ContentName?, to item: ItemID) -> FormerValues {
        guard let former, let path = table.path(of: item, in: place.folder),
            path.name.hasSuffix(KeyValueSettings.fileSuffix),
            path.parent.name == KeyValueSettings.folderName
        else { return .there }
        do {
            return try withOwnFolder(for: .values) { folder in
                let copy = folder.appending(path.name)
                try contents.restore(former, to: copy)
                return try KeyValueFile(at: path).add(copy) ? .added : .there
            }
        } catch {
            let isStoresFile = !(error is KeyValueError || (error as? SystemError)?.errno == EFBIG)
            // What is no store's file, or cannot be had any more, is an edit as of any other document.
            guard isStoresFile, !(error is VaultError) else { return .there }
            return .waits(DiskRefusal("what the store had before cannot be added to it", error))
        }
    }
}
