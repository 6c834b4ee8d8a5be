internal import FileSystem
public import Foundation
public import UniformTypeIdentifiers

extension URLResourceKey {
    /// The item's type: `UTType`.
    public static let contentTypeKey = URLResourceKey(rawValue: "NSURLContentTypeKey")
    /// What tells the item from all others on its volume, however it is called: a number.
    public static let fileIdentifierKey = URLResourceKey(rawValue: "NSURLFileIdentifierKey")
}

extension ItemResourceValues {
    /// Values that Foundation for Linux has no keys for.
    struct Described: Sendable {
        static let keys: Set<URLResourceKey> = [.contentTypeKey, .fileIdentifierKey]

        var contentType: UTType?
        var fileIdentifier: UInt64?

        init() {}

        init(_ url: URL, _ placeholder: Placeholder?, _ keys: Set<URLResourceKey>) {
            guard !keys.isDisjoint(with: Self.keys), let path = FilePath(url) else { return }
            // What went meanwhile has no values.
            let found = (try? FolderScan.listing(of: [path.name], in: path.parent))?.first
            if keys.contains(.fileIdentifierKey) { fileIdentifier = found?.inode }
            guard keys.contains(.contentTypeKey) else { return }
            let types = ItemTypes()
            contentType =
                placeholder.map { placeholder in
                    placeholder.typeIdentifier.flatMap { UTType($0) }
                        ?? UTType(
                            types.answer(placeholder.name, placeholder.isDirectory ? .package : .file)
                                .identifier
                        )
                } ?? found.flatMap { UTType(types.answer(path.name, ItemForm($0, types)).identifier) }
        }
    }

    /// Its type, as its name and its kind tell it, be its contents here or not.
    public var contentType: UTType? { described.contentType }

    /// Its inode's number; nil for an item whose contents are not here.
    public var fileIdentifier: UInt64? { described.fileIdentifier }
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
