internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// What a type means to the browser.
package struct ItemType: Hashable, Sendable {
    package var identifier: String
    /// What people call it, in their language.
    package var title: String
    /// Whether the app opens items of this type.
    package var isDocument: Bool

    package init(identifier: String, title: String, isDocument: Bool) {
        self.identifier = identifier
        self.title = title
        self.isDocument = isDocument
    }
}

/// How the browser tells what an item is.
///
/// Asked on background queues.
package struct ItemKinds: Sendable {
    /// What an item is on disk.
    package enum Form: Hashable, Sendable {
        case file, package, folder
    }

    /// Whether a directory is one document to people.
    package var isPackage: @Sendable (URL) -> Bool
    /// The type of what has an extension, as it is written, "" for none.
    ///
    /// Answers are kept while a folder is shown.
    package var type: @Sendable (_ fileExtension: String, _ form: Form) -> ItemType

    package init(
        isPackage: @escaping @Sendable (URL) -> Bool,
        type: @escaping @Sendable (_ fileExtension: String, _ form: Form) -> ItemType
    ) {
        self.isPackage = isPackage
        self.type = type
    }
}

/// Makes items of what a scan has found.
///
/// Keeps the types it has asked for; used by one queue at a time.
struct ItemMaker {
    private struct TypeKey: Hashable {
        var fileExtension: String
        var form: ItemKinds.Form
    }

    private let location: BrowserLocation
    private let folder: FilePath
    private let idPrefix: String
    private var types: [TypeKey: ItemType] = [:]
    /// Whether the folder is kept from sync, as of the look that goes on.
    private var isFolderExcluded = false

    /// - Parameters:
    ///   - location: What the browser shows.
    ///   - folderID: The folder that was scanned.
    ///   - folder: Where it is, resolved.
    init(location: BrowserLocation, folderID: String, folder: FilePath) {
        self.location = location
        self.folder = folder
        idPrefix = folderID.isEmpty ? "" : folderID + "/"
    }

    /// The item; nil for what the browser does not show.
    mutating func item(_ scanned: ScannedItem) -> FolderItem? {
        guard BrowserLocation.isShown(scanned.name) else { return nil }
        let seen = seenStamp(of: scanned)
        let isDirectory = seen?.kind == .directory
        let isPackage = isDirectory && location.kinds.isPackage(url(ofFolder: scanned.name))
        let form: ItemKinds.Form = isPackage ? .package : isDirectory ? .folder : .file
        let type = type(TypeKey(fileExtension: Self.lastExtension(scanned.name), form: form))
        let kind: FolderItem.Kind =
            switch form {
            case .folder: .folder
            case .package: .document
            case .file: type.isDocument && seen != nil ? .document : .file
            }
        let stamp = seen ?? scanned.stamp
        return FolderItem(
            id: idPrefix + scanned.name,
            name: scanned.name,
            kind: kind,
            isPackage: isPackage,
            isReachable: seen != nil,
            byteCount: stamp.kind == .regular ? stamp.byteCount : nil,
            modificationDate: stamp.modificationDate,
            typeIdentifier: type.identifier,
            typeTitle: type.title,
            isExcluded: isFolderExcluded || SyncExclusion.isMarked(folder.appending(scanned.name)),
            folder: folder
        )
    }

    /// The item that a placeholder stands for; nil where none does, or the browser does not show such an item.
    mutating func item(standingFor name: String) -> FolderItem? {
        guard BrowserLocation.isShown(name), let place = Placeholder.place(for: folder.appending(name)),
            let placeholder = Placeholder(at: place),
            // Gone by now: the next look tells.
            let stamp = try? FileStamp.ifPresent(at: place)
        else { return nil }
        let form: ItemKinds.Form = placeholder.isDirectory ? .package : .file
        let type = type(TypeKey(fileExtension: Self.lastExtension(name), form: form))
        return FolderItem(
            id: idPrefix + name,
            name: name,
            kind: form == .package || type.isDocument ? .document : .file,
            isPackage: form == .package,
            isReachable: true,
            byteCount: Int64(clamping: placeholder.byteCount),
            modificationDate: stamp.modificationDate,
            typeIdentifier: type.identifier,
            typeTitle: type.title,
            isEvicted: true,
            isExcluded: isFolderExcluded || SyncExclusion.isMarked(place),
            folder: folder
        )
    }

    /// The items of a look at some names: each itself, or what its placeholder stands for.
    mutating func items(_ names: some Sequence<String>) throws -> [(name: String, item: FolderItem?)] {
        var found: [(name: String, item: FolderItem?)] = []
        lookForExclusion()
        for (name, scanned) in try FolderScan.items(names, in: folder, passingOver: \.isOutOfReach) {
            found.append((name, scanned.map { item($0) } ?? item(standingFor: name)))
        }
        return found
    }

    /// All items of the folder, those too that placeholders stand for.
    mutating func allItems() throws -> [FolderItem] {
        lookForExclusion()
        let scanned = try FolderScan.visibleItems(
            in: folder,
            orHidden: { Placeholder.itemName(of: $0) != nil },
            // The others are to be seen all the same.
            passingOver: \.isOutOfReach
        )
        var items: [FolderItem] = []
        var placeholders: [String] = []
        for found in scanned {
            if found.name.hasPrefix("."), let name = Placeholder.itemName(of: found.name) {
                placeholders.append(name)
            } else if let item = item(found) {
                items.append(item)
            }
        }
        guard !placeholders.isEmpty else { return items }
        // What is there itself counts.
        let names = Set(scanned.map { FilePath($0.name) })
        for name in placeholders where !names.contains(FilePath(name)) {
            if let item = item(standingFor: name) { items.append(item) }
        }
        return items
    }

    private mutating func lookForExclusion() {
        isFolderExcluded = SyncExclusion.isExcluded(folder, below: location.root)
    }

    /// The stamp of the file or directory that a person gets to; nil when there is none to get to.
    private func seenStamp(of scanned: ScannedItem) -> FileStamp? {
        let stamp = scanned.stamp.kind == .symbolicLink ? scanned.targetStamp : scanned.stamp
        guard let stamp, stamp.kind == .regular || stamp.kind == .directory else { return nil }
        guard scanned.stamp.kind == .symbolicLink else { return stamp }
        // A link whose target cannot be resolved leads nowhere that we could show.
        guard let target = try? folder.appending(scanned.name).resolved(), target.isInside(location.root)
        else { return nil }
        return stamp
    }

    private func url(ofFolder name: String) -> URL {
        folder.appending(name).url(isDirectory: true)
    }

    private mutating func type(_ key: TypeKey) -> ItemType {
        if let known = types[key] { return known }
        let type = location.kinds.type(key.fileExtension, key.form)
        types[key] = type
        return type
    }

    private static func lastExtension(_ name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return "" }
        return String(name[name.utf8.index(after: dot)...])
    }
}
