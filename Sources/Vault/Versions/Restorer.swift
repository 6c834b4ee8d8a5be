package import FileSystem
internal import Foundation

extension Vault {
    /// Puts a version where nothing is yet.
    ///
    /// Every byte is compared with its name first. Nothing is synced: restore into a `StagedSave`, whose commit does
    /// that and puts it in place in one step. Nothing is written outside of `target`: names are checked when they are
    /// read, folders and files are made anew through the folder they are in, links are made and never followed.
    /// What has been written when it fails is left for the caller to remove.
    ///
    /// - Parameters:
    ///   - id: Which version.
    ///   - target: Where; the folder above must exist, the name must be free.
    ///   - mark: What it is to bear beside all that it bore; nil for none.
    /// - Throws: `VaultError` with code `unknownVersion` or `damaged`; `SystemError`, `EEXIST` when the name is taken.
    package func restore(_ id: VersionID, to target: FilePath, mark: FileMark? = nil) throws {
        guard let version = try version(id) else {
            let detail = "There is no version \(id). List the document's versions anew."
            throw VaultError(code: .unknownVersion, path: target, detail: detail)
        }
        var root = try version.root()
        // Before its permissions: a file that nobody may write to takes no mark afterwards.
        if let mark { root.dress.attributes[FileMark.attributeName] = Data(mark.bytes) }
        // What the volume does not let it bear is not missed by anybody: the version has it.
        var losses = DressNotes()
        try Restorer(store: store).restore(
            root,
            as: target.name,
            in: try StorageFolder(containing: target),
            losses: &losses
        )
    }

    /// Goes through a version and compares every byte of it, without writing any.
    ///
    /// - Throws: As `restore`.
    package func check(_ version: KeptVersion) throws {
        let restorer = try Restorer(store: store)
        try restorer.check(try version.root())
    }
}

/// Makes documents again out of objects.
struct Restorer {
    let store: VaultStore
    let reader: ObjectReader

    init(store: VaultStore) throws {
        self.store = store
        reader = try ObjectReader(store: store)
    }

    /// Looks up where the bytes of files are, or what leads to them.
    func lookAhead(_ entries: [ManifestEntry]) throws {
        try reader.lookAhead(entries.compactMap(\.content?.name))
    }

    /// Makes an entry, and all in it.
    ///
    /// - Parameters:
    ///   - path: Where it is in the document, as of `DressNotes`.
    ///   - isDated: Whether the entry says when it was modified last; what is in it always does.
    ///   - losses: Gets what the volume does not let it bear.
    func restore(
        _ entry: ManifestEntry,
        as name: String,
        in folder: StorageFolder,
        at path: String = DressNotes.top,
        depth: Int = 0,
        isDated: Bool = true,
        losses: inout DressNotes
    ) throws {
        switch entry.kind {
        case .link:
            try folder.makeLink(name, text: entry.linkText)
            // Kept again with another date it would be another document on each device that it comes to.
            if isDated { losses.note(entry.dress, try folder.dressLink(name, entry.dress), at: path) }
        case .file:
            let file = try folder.create(name)
            try write(entry, to: file)
            losses.note(entry.dress, try file.dress(entry.dress, isDated: isDated), at: path)
        case .folder:
            guard depth < ContentTree.folderDepthMax, let content = entry.content else {
                throw damaged(entry)
            }
            let own = try folder.makeFolder(name)
            try forEachMember(of: content) { member in
                try restore(
                    member,
                    as: member.name,
                    in: own,
                    at: DressNotes.path(of: member.name, in: path),
                    depth: depth + 1,
                    losses: &losses
                )
            }
            losses.note(entry.dress, try own.dress(entry.dress, isDated: isDated), at: path)
        }
    }

    func check(_ entry: ManifestEntry, depth: Int = 0) throws {
        guard let content = entry.content else { return }
        if entry.kind == .folder {
            guard depth < ContentTree.folderDepthMax else { throw damaged(entry) }
            return try forEachMember(of: content) { try check($0, depth: depth + 1) }
        }
        for piece in try pieces(of: content, byteCount: entry.byteCount) {
            _ = try reader.object(piece.name, .chunk)
        }
    }

    /// The members of a folder, in order.
    func forEachMember(of content: ContentReference, _ body: (ManifestEntry) throws -> Void) throws {
        let bytes = try reader.object(content.name, .folder)
        let node = try read(content.name) {
            try bytes.withUnsafeBytes { try TreeNode.folder($0, level: content.level) }
        }
        switch node {
        case .entries(let entries): for entry in entries { try body(entry) }
        case .names(let names):
            for name in names {
                try forEachMember(of: ContentReference(name: name, level: content.level - 1), body)
            }
        case .pieces: throw VaultError.damaged(content.name, in: store.folder.path)
        }
    }

    /// The nodes that have a folder's members in them, in order.
    func leaves(of content: ContentReference) throws -> [ObjectName] {
        guard content.level > 0 else { return [content.name] }
        let bytes = try reader.object(content.name, .folder)
        let node = try read(content.name) {
            try bytes.withUnsafeBytes { try TreeNode.folder($0, level: content.level) }
        }
        guard case .names(let names) = node else {
            throw VaultError.damaged(content.name, in: store.folder.path)
        }
        return try names.flatMap { try leaves(of: ContentReference(name: $0, level: content.level - 1)) }
    }

    /// The pieces of a file, in order.
    func pieces(of content: ContentReference?, byteCount: UInt64) throws -> [ContentTree.Piece] {
        guard let content else { return [] }
        if content.level == 0 { return [ContentTree.Piece(name: content.name, byteCount: byteCount)] }
        let bytes = try reader.object(content.name, .list)
        let below = try read(content.name) {
            try bytes.withUnsafeBytes { try TreeNode.list($0, level: content.level) }
        }
        if content.level == 1 { return below }
        return try below.flatMap { piece in
            let reference = ContentReference(name: piece.name, level: content.level - 1)
            return try pieces(of: reference, byteCount: piece.byteCount)
        }
    }

    private func read<Node>(_ name: ObjectName, _ body: () throws -> Node) throws -> Node {
        do { return try body() } catch is MalformedBytes {
            throw VaultError.damaged(name, in: store.folder.path)
        }
    }

    private func damaged(_ entry: ManifestEntry) -> VaultError {
        .damaged(entry.content?.name ?? ObjectName(), in: store.folder.path)
    }

    private func write(_ entry: ManifestEntry, to file: StorageFile) throws {
        let pieces = try pieces(of: entry.content, byteCount: entry.byteCount)
        var end = UInt64(0)
        for piece in pieces {
            guard piece.byteCount <= PackFormat.objectByteCountMax else { throw damaged(entry) }
            end += piece.byteCount
        }
        guard end == entry.byteCount else { throw damaged(entry) }
        try FileRestorer(pieces, to: file, reader: reader, store: store).run()
    }
}

extension Vault {
    /// Whether a file has the very bytes that it has in a version; false for what is no file. Writes nothing.
    ///
    /// - Throws: `VaultError` with code `damaged`; `SystemError` when the file cannot be read.
    package func holdsBytes(of path: FilePath, _ version: KeptVersion) throws -> Bool {
        try Restorer(store: store).holdsBytes(of: path, try version.root())
    }

    /// Whether what is at a place has the very bytes, permissions and attributes of the user's that it has in a version, a package
    /// with the same members and links that have them. Dates are let be. Writes nothing, and follows no link.
    ///
    /// - Throws: As `holdsBytes`.
    package func holdsState(of path: FilePath, _ version: KeptVersion) throws -> Bool {
        let root = try version.root()
        return try Restorer(store: store).holdsState(
            of: root,
            at: path.name,
            in: SourceFolder(at: path.parent)
        )
    }
}

extension Restorer {
    /// As `Vault.holdsState`, of an entry.
    func holdsState(
        of entry: ManifestEntry,
        at name: String,
        in folder: SourceFolder,
        depth: Int = 0
    ) throws -> Bool {
        let stamp = try folder.status(of: name).stamp
        // As they are kept: without set-user-ID and set-group-ID.
        let isPermittedAlike = stamp.permissions & 0o1777 == entry.dress.permissions
        switch (entry.kind, stamp.kind) {
        case (.file, .regular):
            let file = try folder.file(name)
            return try isPermittedAlike && file.userAttributes() == entry.dress.attributes
                && holdsBytes(of: file, entry)
        case (.link, .symbolicLink):
            // By its bytes: texts that only look alike lead elsewhere.
            return try folder.linkText(name).utf8.elementsEqual(entry.linkText.utf8)
        case (.folder, .directory):
            guard depth < ContentTree.folderDepthMax, let content = entry.content else {
                throw damaged(entry)
            }
            let own = try folder.folder(name)
            guard try isPermittedAlike && own.userAttributes() == entry.dress.attributes else { return false }
            var others = Set(try own.memberNames().map { Array($0.utf8) })
            var isSame = true
            try forEachMember(of: content) { member in
                guard isSame else { return }
                isSame =
                    try others.remove(Array(member.name.utf8)) != nil
                    && holdsState(of: member, at: member.name, in: own, depth: depth + 1)
            }
            return isSame && others.isEmpty
        default: return false
        }
    }

    /// As `Vault.holdsBytes`, of an entry.
    func holdsBytes(of path: FilePath, _ entry: ManifestEntry) throws -> Bool {
        guard entry.kind == .file else { return false }
        return try holdsBytes(of: SourceFolder(at: path.parent).file(path.name), entry)
    }

    private func holdsBytes(of file: SourceFile, _ entry: ManifestEntry) throws -> Bool {
        let pieces = try pieces(of: entry.content, byteCount: entry.byteCount)
        guard UInt64(try file.status().stamp.byteCount) == entry.byteCount else { return false }
        let hasher = try VaultHasher(key: store.key)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: PackFormat.objectByteCountMax,
            alignment: 16
        )
        defer { buffer.deallocate() }
        var offset = 0
        for piece in pieces {
            guard piece.byteCount <= buffer.count else { throw damaged(entry) }
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(piece.byteCount)])
            let readCount = try file.read(at: offset, into: room)
            guard readCount == room.count,
                try hasher.name(.chunk, UnsafeRawBufferPointer(room)) == piece.name
            else { return false }
            offset += readCount
        }
        return true
    }
}
