package import FileSystem
package import Foundation

/// What stands for an item whose contents are not here: a hidden property list beside where it would be, `.NAME.icloud`.
///
/// No program can mistake it for the item. It bears the item's mark and modification date; whoever moves, renames or removes
/// it does so with the item.
package struct Placeholder: Hashable, Sendable {
    /// The item's own name.
    package var name: String
    package var byteCount: UInt64
    /// Whether the item is a package.
    package var isDirectory: Bool
    package var typeIdentifier: String?
    /// A small picture of the item, where it has one.
    package var thumbnail: Data?
    /// When the item's inode came to be, before its contents left; nil where nobody knows.
    package var creationDate: Date?
    /// The item's, for those who copy a placeholder without its attributes; nil in what was written before it said so.
    package var mark: FileMark?

    package init(
        name: String,
        byteCount: UInt64,
        isDirectory: Bool,
        typeIdentifier: String?,
        thumbnail: Data? = nil,
        creationDate: Date? = nil,
        mark: FileMark? = nil
    ) {
        (self.name, self.byteCount, self.isDirectory) = (name, byteCount, isDirectory)
        (self.typeIdentifier, self.thumbnail, self.creationDate) = (typeIdentifier, thumbnail, creationDate)
        self.mark = mark
    }

    // MARK: Names

    private static let suffix = ".icloud"
    /// In bytes, on all volumes that this runs on.
    private static let nameByteCountMax = 255
    /// Larger files are none.
    private static let fileByteCountMax: Int64 = 256 << 10
    /// A larger thumbnail is left out.
    package static let thumbnailByteCountMax = 64 << 10

    /// What the placeholder of an item is called; nil where that would be too long for a name.
    package static func fileName(for name: String) -> String? {
        let fileName = ".\(name)\(suffix)"
        return fileName.utf8.count <= nameByteCountMax ? fileName : nil
    }

    /// The name of the item that a placeholder of some name would stand for; nil for a name that is no placeholder's.
    package static func itemName(of fileName: String) -> String? {
        guard fileName.hasPrefix("."), fileName.hasSuffix(suffix), fileName.utf8.count > 1 + suffix.utf8.count
        else { return nil }
        return String(fileName.dropFirst().dropLast(suffix.count))
    }

    /// Where the item would be that a placeholder at a place stands for; nil where there is none.
    package static func itemPlace(of placeholder: FilePath) -> FilePath? {
        guard let name = itemName(of: placeholder.name), Placeholder(at: placeholder) != nil else {
            return nil
        }
        return placeholder.parent.appending(name)
    }

    /// Whether a URL's text ends as that of a placeholder: a look at no more than a few bytes.
    static func mayBe(at url: URL) -> Bool {
        url.absoluteString.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// Where the placeholder of an item is.
    package static func place(for item: FilePath) -> FilePath? {
        fileName(for: item.name).map { item.parent.appending($0) }
    }

    // MARK: Files

    private static let nameKey = "NSURLNameKey"
    private static let byteCountKey = "NSURLFileSizeKey"
    private static let kindKey = "NSURLFileResourceTypeKey"
    private static let typeKey = "NSURLTypeIdentifierKey"
    private static let thumbnailKey = "NSURLThumbnailKey"
    private static let creationKey = "NSURLCreationDateKey"
    private static let markKey = "SheafItem"
    /// Tells ours from what else may be called so.
    private static let formatKey = "SheafPlaceholder"

    /// The property list.
    package func encoded() throws -> Data {
        var values: [String: Any] = [
            Self.nameKey: name, Self.byteCountKey: NSNumber(value: byteCount), Self.formatKey: 1,
            Self.kindKey: isDirectory ? "NSURLFileResourceTypeDirectory" : "NSURLFileResourceTypeRegular",
        ]
        values[Self.typeKey] = typeIdentifier
        values[Self.creationKey] = creationDate
        values[Self.markKey] = mark.map { Data($0.bytes) }
        if let thumbnail, thumbnail.count <= Self.thumbnailByteCountMax {
            values[Self.thumbnailKey] = thumbnail
        }
        return try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
    }

    /// Reads one; nil for anything else, and for what cannot be read.
    package init?(at place: FilePath) {
        guard let found = (try? Self.ifPresent(at: place)) ?? nil else { return nil }
        self = found
    }

    /// Reads one under whatever name; nil for anything else, and for what cannot be read.
    package init?(contentsOf place: FilePath) {
        guard let found = (try? Self.read(place)) ?? nil else { return nil }
        self = found
    }

    /// Reads one; nil for anything else.
    ///
    /// - Throws: `SystemError` when nobody can say what is there.
    package static func ifPresent(at place: FilePath) throws(SystemError) -> Placeholder? {
        guard let name = itemName(of: place.name), var found = try read(place) else { return nil }
        // It may have been renamed since it was written.
        found.name = name
        return found
    }

    /// Reads one under whatever name; nil for anything else.
    ///
    /// - Throws: As `ifPresent`.
    package static func read(_ place: FilePath) throws(SystemError) -> Placeholder? {
        guard let stamp = try FileStamp.ifPresent(at: place),
            stamp.kind == .regular, stamp.byteCount <= fileByteCountMax
        else { return nil }
        do { return Placeholder(encoded: try FileReading.contents(of: place, mapped: false)) } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
    }

    private init?(encoded bytes: Data) {
        guard
            // What is no property list is no placeholder.
            let list = try? PropertyListSerialization.propertyList(from: bytes, format: nil),
            let values = list as? [String: Any], values[Self.formatKey] as? Int == 1,
            let name = values[Self.nameKey] as? String
        else { return nil }
        self.init(
            name: name,
            byteCount: (values[Self.byteCountKey] as? NSNumber)?.uint64Value ?? 0,
            isDirectory: values[Self.kindKey] as? String == "NSURLFileResourceTypeDirectory",
            typeIdentifier: values[Self.typeKey] as? String,
            thumbnail: values[Self.thumbnailKey] as? Data,
            creationDate: values[Self.creationKey] as? Date,
            mark: (values[Self.markKey] as? Data).flatMap { FileMark(bytes: $0) }
        )
    }

    /// When the contents of an item were modified last for which a placeholder stands; nil where there is nothing in its place.
    package static func modificationDate(standingFor item: FilePath) -> Date? {
        guard let place = place(for: item) else { return nil }
        // Of what cannot be looked at nobody knows.
        return (try? FileStamp.ifPresent(at: place))?.modificationDate
    }

    /// What stands for an item; nil when nothing does.
    package init?(standingFor item: FilePath) {
        guard let place = Self.place(for: item) else { return nil }
        self.init(at: place)
    }
}
