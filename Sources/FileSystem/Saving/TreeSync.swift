internal import Foundation

/// Makes a staged tree durable before anything leads to it.
enum TreeSync {
    /// From how many items on one syncfs(2) is cheaper than an fsync(2) each.
    private static let itemCountMax = 64

    /// Syncs an item and all that is in it.
    static func sync(_ name: String, in folder: Folder, kind: FileStamp.Kind) throws(SystemError) {
        switch kind {
        case .regular: try syncFile(name, in: folder)
        case .directory: try syncFolder(try folder.folder(name))
        case .symbolicLink, .other: break
        }
    }

    /// Syncs a folder and all that is in it.
    static func syncFolder(_ folder: Folder) throws(SystemError) {
        var folders: [Folder] = []
        var files: [(folder: Folder, name: String)] = []
        try gather(folder, &folders, &files)
        if folders.count + files.count > itemCountMax { return try SystemCalls.syncfs(folder) }
        for file in files { try syncFile(file.name, in: file.folder) }
        for folder in folders { try SystemCalls.fsync(folder.descriptor) }
    }

    private static func gather(
        _ folder: Folder,
        _ folders: inout [Folder],
        _ files: inout [(folder: Folder, name: String)]
    ) throws(SystemError) {
        folders.append(folder)
        // Beyond that the count decides, and every folder kept costs a descriptor.
        guard folders.count + files.count <= itemCountMax else { return }
        for entry in try SystemCalls.readdir(folder) {
            let kind = try folder.kind(of: entry)
            switch kind {
            case .regular: files.append((folder, entry.name))
            case .directory: try gather(try folder.folder(entry.name), &folders, &files)
            case .symbolicLink, .other: break
            }
            if folders.count + files.count > itemCountMax { return }
        }
    }

    private static func syncFile(_ name: String, in folder: Folder) throws(SystemError) {
        do {
            try SystemCalls.fsync(try SystemCalls.openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
        } catch {
            // A file its owner may not read can still be made durable, with everything else.
            guard error.errno == EACCES else { throw error }
            try SystemCalls.syncfs(folder)
        }
    }
}
