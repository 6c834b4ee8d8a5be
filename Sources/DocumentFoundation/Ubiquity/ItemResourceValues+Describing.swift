internal import FileSystem
public import Foundation
public import UniformTypeIdentifiers

extension URLResourceKey {
    /// The item's type: `UTType`.
    public static let contentTypeKey = URLResourceKey(rawValue: "NSURLContentTypeKey")
    /// What tells the item from all others on its volume, however it is called: a number.
    public static let fileIdentifierKey = URLResourceKey(rawValue: "NSURLFileIdentifierKey")
    /// The kernel's name for the volume's file system: `String`, such as `ext4`.
    public static let volumeTypeNameKey = URLResourceKey(rawValue: "NSURLVolumeTypeNameKey")
    /// Whether the volume protects files one by one while the device is locked: `Bool`; none on Linux does.
    public static let volumeSupportsFileProtectionKey = URLResourceKey(
        rawValue: "NSURLVolumeSupportsFileProtectionKey"
    )
}

extension ItemResourceValues {
    /// Values that Foundation for Linux has no keys for, has none for, or has wrong ones for; and those of what a
    /// placeholder stands for.
    struct Described: Sendable {
        private let keys: Set<URLResourceKey>
        private var values: [URLResourceKey: any Sendable] = [:]

        /// Foundation is not asked for these.
        static let keys: Set<URLResourceKey> = [
            .contentTypeKey, .fileIdentifierKey, .typeIdentifierKey, .isPackageKey, .creationDateKey,
            .documentIdentifierKey, .generationIdentifierKey, .tagNamesKey,
            .fileContentIdentifierKey, .mayShareFileContentKey, .isExcludedFromBackupKey, .fileProtectionKey,
            .fileSizeKey, .fileAllocatedSizeKey, .totalFileSizeKey, .totalFileAllocatedSizeKey,
            .volumeURLKey, .volumeNameKey, .volumeLocalizedNameKey, .volumeTypeNameKey,
            .volumeSupportsFileProtectionKey, .volumeCreationDateKey, .volumeMaximumFileSizeKey,
        ]

        /// Of a package with more members than these nobody counts the bytes.
        private static let memberCountMax = 50_000

        /// An item that is here.
        init(_ url: URL, _ keys: Set<URLResourceKey>) {
            self.keys = keys
            guard !keys.isDisjoint(with: Self.keys), let path = FilePath(url),
                // What went meanwhile has no values.
                let found = (try? FolderScan.listing(of: [path.name], in: path.parent))?.first
            else { return }
            let types = ItemTypes()
            let form = ItemForm(found, types)
            let isPackage = found.kind == .directory && PackageTypes.isPackage(named: path.name)
            put(.fileIdentifierKey, found.inode)
            put(.isPackageKey, isPackage)
            describe(types.answer(path.name, form).identifier)
            // What went meanwhile has no dates.
            put(.creationDateKey, (try? ItemStatus(of: path))?.creationDate)
            // Before what tells a change: a mark that is given now is one.
            put(.documentIdentifierKey, Self.documentIdentifier(path))
            measure(path, isPackage)
            put(.tagNamesKey, Self.tags(path))
            put(.mayShareFileContentKey, FileExtents.mayBeShared(path))
            put(.fileContentIdentifierKey, Self.contentIdentifier(of: path))
            put(.isExcludedFromBackupKey, BackupExclusion.isMarked(path))
            describeVolume(of: path)
        }

        /// What a placeholder stands for.
        ///
        /// - Parameter path: The item's own place.
        init(_ placeholder: Placeholder, at path: FilePath, _ url: URL, _ keys: Set<URLResourceKey>) {
            self.keys = keys
            let types = ItemTypes()
            let form: ItemForm = placeholder.isDirectory ? .package : .file
            let own = placeholder.typeIdentifier.flatMap { UTType($0)?.identifier }
            describe(own ?? types.answer(placeholder.name, form).identifier)
            put(.nameKey, placeholder.name)
            put(.localizedNameKey, placeholder.name)
            put(.isPackageKey, placeholder.isDirectory)
            put(.isDirectoryKey, placeholder.isDirectory)
            put(.isRegularFileKey, !placeholder.isDirectory)
            put(.isSymbolicLinkKey, false)
            put(.hasHiddenExtensionKey, false)
            put(.isHiddenKey, placeholder.name.hasPrefix("."))
            put(.fileSizeKey, Int(clamping: placeholder.byteCount))
            put(.totalFileSizeKey, Int(clamping: placeholder.byteCount))
            put(.fileAllocatedSizeKey, 0)
            put(.totalFileAllocatedSizeKey, 0)
            put(.parentDirectoryURLKey, url.standardizedFileURL.deletingLastPathComponent())
            put(.contentModificationDateKey, Placeholder.modificationDate(standingFor: path))
            put(.creationDateKey, placeholder.creationDate)
            put(
                .documentIdentifierKey,
                // What cannot be looked at bears none that anybody knows.
                Placeholder.place(for: path).flatMap { (try? FileIdentity.mark(at: $0)) ?? nil }
                    .map(\.documentIdentifier)
            )
            describeVolume(of: path)
        }

        private mutating func put(_ key: URLResourceKey, _ value: @autoclosure () -> (any Sendable)?) {
            if keys.contains(key) { values[key] = value() }
        }

        private mutating func describe(_ type: String) {
            put(.contentTypeKey, UTType(type))
            put(.typeIdentifierKey, type)
        }

        /// Its mark's, which outlasts moves and saves; of a copy another one. Nil for what cannot be marked.
        private static func documentIdentifier(_ path: FilePath) -> Int? {
            (try? BookmarkKeeper.of(path.url(isDirectory: false)).mark(of: path))?.documentIdentifier
        }

        /// Sizes, and what tells one state of the contents from another.
        private mutating func measure(_ path: FilePath, _ isPackage: Bool) {
            let asked: Set<URLResourceKey> = [
                .fileSizeKey, .fileAllocatedSizeKey, .totalFileSizeKey, .totalFileAllocatedSizeKey,
                .generationIdentifierKey,
            ]
            // What went meanwhile has no sizes. Looked at anew: it may have been marked.
            guard !keys.isDisjoint(with: asked), let status = try? ItemStatus(of: path),
                let stamp = try? FileStamp(of: path)
            else { return }
            // Nobody counts a package with too many members, or one that cannot be looked at.
            let summary =
                isPackage
                ? (try? FolderScan.summary(of: path, memberCountMax: Self.memberCountMax)) ?? nil : nil
            put(.generationIdentifierKey, Self.generation(stamp, status, summary))
            // A folder that is no package is no item with a size.
            guard isPackage || stamp.kind != .directory else { return }
            let byteCount = isPackage ? summary?.byteCount : status.byteCount
            let allocated = isPackage ? summary?.allocatedByteCount : status.allocatedByteCount
            for key in [URLResourceKey.fileSizeKey, .totalFileSizeKey] { put(key, byteCount.map { Int($0) }) }
            for key in [URLResourceKey.fileAllocatedSizeKey, .totalFileAllocatedSizeKey] {
                put(key, allocated.map { Int($0) })
            }
        }

        private static func generation(
            _ stamp: FileStamp,
            _ status: ItemStatus,
            _ summary: TreeSummary?
        ) -> Data {
            var numbers = [
                stamp.device, stamp.inode, UInt64(bitPattern: stamp.byteCount),
                UInt64(bitPattern: stamp.modificationSeconds),
                UInt64(bitPattern: stamp.modificationNanoseconds),
                status.changeDate.timeIntervalSince1970.bitPattern,
            ]
            if let summary {
                numbers += [
                    UInt64(bitPattern: summary.byteCount), UInt64(summary.memberCount),
                    UInt64(bitPattern: summary.modificationSeconds),
                    UInt64(bitPattern: summary.modificationNanoseconds),
                ]
            }
            return numbers.withUnsafeBytes { Data($0) }
        }

        /// What desktops keep: freedesktop.org's `user.xdg.tags`, with commas between them.
        private static func tags(_ path: FilePath) -> [String]? {
            // What cannot be looked at has none.
            let found = (try? FileReading.extendedAttribute("user.xdg.tags", of: path)) ?? nil
            let tags = found.map {
                String(decoding: $0, as: UTF8.self).split(separator: ",").map(String.init)
            }
            return tags?.isEmpty == false ? tags : nil
        }

        private mutating func describeVolume(of path: FilePath) {
            let asked: Set<URLResourceKey> = [
                .volumeURLKey, .volumeNameKey, .volumeLocalizedNameKey, .volumeTypeNameKey,
                .volumeSupportsFileProtectionKey, .volumeCreationDateKey, .volumeMaximumFileSizeKey,
            ]
            guard !keys.isDisjoint(with: asked) else { return }
            // What is in a folder that is not there is where it says.
            let place = (try? path.resolvedInFolder()) ?? path
            guard let mount = Mount(of: place.string, in: Mount.all) else { return }
            let name = FilePath(mount.place).name
            put(.volumeURLKey, URL(fileURLWithPath: mount.place, isDirectory: true))
            put(.volumeNameKey, name.isEmpty ? "/" : name)
            put(.volumeLocalizedNameKey, name.isEmpty ? "/" : name)
            put(.volumeTypeNameKey, mount.type)
            put(.volumeSupportsFileProtectionKey, false)
            put(.volumeMaximumFileSizeKey, mount.fileByteCountMax.map { Int($0) })
            guard mount.isWhole else { return }
            // Its top folder came to be when it was made; what cannot be looked at has no date.
            put(.volumeCreationDateKey, (try? ItemStatus(of: FilePath(mount.place)))?.creationDate)
        }

        func value<Value>(_ key: URLResourceKey) -> Value? { values[key].flatMap { $0 as? Value } }

        /// From now on it is Foundation's: somebody sets it.
        mutating func leave(_ key: URLResourceKey) { values[key] = nil }

        /// As apps get them by key.
        var all: [URLResourceKey: Any] {
            values.mapValues { value in
                if let data = value as? Data { NSData(data: data) } else { value }
            }
        }
    }

    /// Its type, as its name and its kind tell it, be its contents here or not.
    public var contentType: UTType? { described.value(.contentTypeKey) }

    /// Its type's identifier, be its contents here or not.
    public var typeIdentifier: String? { described.value(.typeIdentifierKey) }

    /// Its inode's number; nil for an item whose contents are not here.
    public var fileIdentifier: UInt64? { described.value(.fileIdentifierKey) }

    /// Whether it is a directory that counts as one item, as the types of all apps and of this one say, be its contents
    /// here or not. Setting it is Foundation's.
    ///
    /// - Differs from Darwin: nothing on Linux makes one directory a package and another of its name none.
    public var isPackage: Bool? {
        get { described.value(.isPackageKey) ?? foundation.isPackage }
        set { set(.isPackageKey, \.isPackage, newValue) }
    }

    /// When its inode came to be, be its contents here or not; nil where the volume does not keep it. Setting it is
    /// Foundation's.
    ///
    /// - Differs from Darwin: a save that puts a new file in the place of the old one makes a new inode, and no program
    ///   can give that the old one's date.
    public var creationDate: Date? {
        get { described.value(.creationDateKey) ?? foundation.creationDate }
        set { set(.creationDateKey, \.creationDate, newValue) }
    }

    /// A number that stays with an item, also when it is moved, saved anew, evicted and fetched, on this device; a copy has
    /// another. To be asked for it marks an item (`user.sheaf.identity`); nil for what cannot be marked: links, files that
    /// may not be written to, volumes without extended attributes.
    public var documentIdentifier: Int? { described.value(.documentIdentifierKey) }

    /// Compare with `isEqual(_:)` whether an item's contents are others. Of a package it tells of all that is in it, of a
    /// folder of its names. Nil for an item whose contents are not here.
    ///
    /// - Differs from Darwin: Linux keeps no number of generations, so this one is made of the inode, the size and the times
    ///   of the last change. It becomes another also when the item's attributes change.
    public var generationIdentifier: (any NSCopying & NSSecureCoding & NSObjectProtocol)? {
        (described.value(.generationIdentifierKey) as Data?).map { NSData(data: $0) }
    }

    /// The tags that a person has given it, as Linux desktops keep them (`user.xdg.tags`); nil for none.
    public var tagNames: [String]? { described.value(.tagNamesKey) }
}

// MARK: - Sizes and volumes

extension ItemResourceValues {
    /// Its size in bytes, be its contents here or not; of a package that of all in it, of another folder nil.
    public var fileSize: Int? { described.value(.fileSizeKey) }

    /// The same as `fileSize`: what Linux keeps beside contents has no size of its own.
    public var totalFileSize: Int? { described.value(.totalFileSizeKey) }

    /// How many bytes of its volume it takes; of a package that of all in it; 0 for an item whose contents are not here.
    public var fileAllocatedSize: Int? { described.value(.fileAllocatedSizeKey) }

    /// The same as `fileAllocatedSize`.
    public var totalFileAllocatedSize: Int? { described.value(.totalFileAllocatedSizeKey) }

    /// Where its volume is.
    public var volume: URL? { described.value(.volumeURLKey) }

    /// The last name of where its volume is, as desktops show it; `/` for the first one.
    public var volumeName: String? { described.value(.volumeNameKey) }

    /// The same as `volumeName`.
    public var volumeLocalizedName: String? { described.value(.volumeLocalizedNameKey) }

    /// The kernel's name for its volume's file system, such as `ext4`.
    public var volumeTypeName: String? { described.value(.volumeTypeNameKey) }

    /// How many bytes a file on its volume can have; nil where that is not known of its kind.
    public var volumeMaximumFileSize: Int? { described.value(.volumeMaximumFileSizeKey) }

    /// When its volume was made; nil where the volume does not keep it, and where only a folder of the volume is mounted.
    public var volumeCreationDate: Date? { described.value(.volumeCreationDateKey) }

    /// Whether its volume protects files one by one while the device is locked: none on Linux does.
    public var volumeSupportsFileProtection: Bool? { described.value(.volumeSupportsFileProtectionKey) }
}

extension FileMark {
    /// Of its sixteen bytes: as good as never the same for two.
    fileprivate var documentIdentifier: Int { Int(StableHash.of(bytes) >> 1) }
}

extension ItemForm {
    init(_ item: ListedItem, _ types: ItemTypes) {
        self =
            switch item.kind {
            case .regular: .file
            case .directory: types.form(ofDirectory: item.name)
            case .symbolicLink: .link
            case .other: .other
            }
    }
}
