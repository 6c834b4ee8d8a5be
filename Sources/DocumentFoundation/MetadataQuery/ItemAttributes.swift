internal import FileSystem
internal import Foundation
internal import Locks
internal import UniformTypeIdentifiers

/// What an item is on disk to a query.
enum ItemForm: Hashable, Sendable { case file, folder, package, link, other }

/// The types that names tell, each looked up once.
///
/// One dictionary under one lock.
final class ItemTypes: Sendable {
    struct Answer: Sendable {
        var identifier: String
        var tree: [String]
        var title: String?
    }

    private struct Key: Hashable {
        var fileExtension: String
        var form: ItemForm
    }

    private let known = Locked<[Key: Answer]>([:])

    /// What a directory of some name is: a package if the type of its extension is one's.
    func form(ofDirectory name: String) -> ItemForm {
        let answer = answer(name, .package)
        return answer.tree.contains(UTType.package.identifier) && !name.nameExtension.isEmpty
            ? .package : .folder
    }

    func answer(_ name: String, _ form: ItemForm) -> Answer {
        let key = Key(fileExtension: form == .folder ? "" : name.nameExtension, form: form)
        if let answer = known.withLock({ $0[key] }) { return answer }
        let type = Self.type(key)
        let answer = Answer(
            identifier: type.identifier,
            tree: [type.identifier] + type.supertypes.map(\.identifier).sorted(),
            title: type.localizedDescription
        )
        known.withLock { $0[key] = answer }
        return answer
    }

    private static func type(_ key: Key) -> UTType {
        switch key.form {
        case .folder: return .folder
        case .link: return .symbolicLink
        case .other: return .item
        case .file, .package:
            guard !key.fileExtension.isEmpty else { return key.form == .file ? .data : .folder }
            // A type that the app declares wins, be it a file's or a package's, as it does for documents.
            let types = UTType.types(tag: key.fileExtension, tagClass: .filenameExtension, conformingTo: nil)
            return types.first { $0.isDeclared } ?? types.first ?? .data
        }
    }
}

/// An item's values by key; its size and dates are read from the disk when they are asked for.
struct ItemAttributes: PredicateTest.Subject, Sendable {
    /// How many members of a package are counted for its size.
    private static let packageMembersMax = 50_000

    let folder: FilePath
    let name: String
    let form: ItemForm
    let types: ItemTypes
    /// How items of containers stand; nil in a search that does not show placeholders.
    var ubiquity: UbiquityStates?

    var path: FilePath { folder.appending(name) }

    var itself: PredicateValue { .null }

    /// All keys that an item can have a value for.
    static let keys = [
        NSMetadataItemFSNameKey, NSMetadataItemDisplayNameKey, NSMetadataItemURLKey, NSMetadataItemPathKey,
        NSMetadataItemFSSizeKey, NSMetadataItemFSCreationDateKey, NSMetadataItemFSContentChangeDateKey,
        NSMetadataItemContentCreationDateKey, NSMetadataItemContentModificationDateKey,
        NSMetadataItemContentTypeKey, NSMetadataItemContentTypeTreeKey, NSMetadataItemKindKey,
    ]

    func value(of key: String) -> PredicateValue {
        switch key {
        case NSMetadataItemFSNameKey, NSMetadataItemDisplayNameKey: .string(name)
        case NSMetadataItemPathKey: .string(path.string)
        case NSMetadataItemURLKey: .url(path.url(isDirectory: isDirectory))
        case NSMetadataItemContentTypeKey: .string(types.answer(name, form).identifier)
        case NSMetadataItemContentTypeTreeKey: .list(types.answer(name, form).tree.map(PredicateValue.string))
        case NSMetadataItemKindKey: types.answer(name, form).title.map(PredicateValue.string) ?? .null
        case NSMetadataItemFSSizeKey: size
        case NSMetadataItemFSCreationDateKey, NSMetadataItemContentCreationDateKey:
            creationDate.map(PredicateValue.date) ?? .null
        case NSMetadataItemFSContentChangeDateKey, NSMetadataItemContentModificationDateKey:
            changeDate.map(PredicateValue.date) ?? .null
        default: ubiquity?.value(of: key, at: path) ?? value(atPath: key) ?? .null
        }
    }

    /// What a path of keys leads to that begins with one of them: `kMDItemFSName.pathExtension`.
    private func value(atPath path: String) -> PredicateValue? {
        guard let dot = path.firstIndex(of: ".") else { return nil }
        return value(of: String(path[..<dot])).value(atPath: path[path.index(after: dot)...])
    }

    // What went meanwhile, or cannot be seen, has no size and no dates.

    private var placeholder: Placeholder? {
        ubiquity?.holds(folder) == true ? Placeholder(standingFor: path) : nil
    }

    /// Of a package whose contents are not here its placeholder says so.
    private var isDirectory: Bool {
        switch form {
        case .folder, .package: true
        case .file: placeholder?.isDirectory ?? false
        case .link, .other: false
        }
    }

    private var status: ItemStatus? { try? ItemStatus(of: path) }

    private var summary: TreeSummary? {
        // Nor has a package with more members than are counted.
        (try? FolderScan.summary(of: path, memberCountMax: Self.packageMembersMax)) ?? nil
    }

    private var size: PredicateValue {
        switch form {
        case .folder: .null
        case .package: summary.map { .integer($0.byteCount) } ?? .null
        case .file, .link, .other:
            (status?.byteCount ?? placeholder.map { Int64(clamping: $0.byteCount) }).map { .integer($0) }
                ?? .null
        }
    }

    /// Of an item whose contents are not here that of the inode which it had, as long as anybody knows.
    private var creationDate: Date? {
        guard let status else { return placeholder?.creationDate }
        return status.creationDate
    }

    private var changeDate: Date? {
        (form == .package ? summary?.modificationDate : status?.modificationDate)
            ?? placeholder.flatMap { _ in Placeholder.modificationDate(standingFor: path) }
    }
}
