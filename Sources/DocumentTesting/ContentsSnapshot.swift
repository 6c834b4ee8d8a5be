internal import Merging
internal import UIKit

/// Contents as they were at one moment, to be compared and handed on.
enum ContentsSnapshot: Equatable {
    case file(Data)
    case package(PackageTree)

    /// - Throws: `CocoaError.fileReadUnknown` for what is neither data nor a readable wrapper.
    init(_ contents: Any) throws {
        switch contents {
        case let data as Data: self = .file(data)
        case let wrapper as FileWrapper:
            let tree = try Self.tree(wrapper)
            if case .file(let bytes) = tree { self = .file(Data(bytes)) } else { self = .package(tree) }
        default:
            throw CocoaError(
                .fileReadUnknown,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "ConflictSuite can compare Data and FileWrapper, not \(type(of: contents))."
                ]
            )
        }
    }

    /// The contents, new each time.
    var contents: Any {
        switch self {
        case .file(let data): data
        case .package(let tree): Self.wrapper(tree)
        }
    }

    private static func tree(_ wrapper: FileWrapper) throws -> PackageTree {
        if wrapper.isDirectory, let members = wrapper.fileWrappers {
            let named = try members.map { (MemberName($0.key), try tree($0.value)) }
            return .folder(Dictionary(uniqueKeysWithValues: named))
        }
        if wrapper.isSymbolicLink, let target = wrapper.symbolicLinkDestinationURL {
            return .link(target.relativePath)
        }
        guard wrapper.isRegularFile, let bytes = wrapper.regularFileContents else {
            throw CocoaError(.fileReadUnknown)
        }
        return .file(Array(bytes))
    }

    private static func wrapper(_ tree: PackageTree) -> FileWrapper {
        switch tree {
        case .file(let bytes): FileWrapper(regularFileWithContents: Data(bytes))
        case .folder(let members):
            // Of a wrapper they are: no two of its keys are one in another form.
            FileWrapper(
                directoryWithFileWrappers: Dictionary(
                    uniqueKeysWithValues: members.map { ($0.key.text, wrapper($0.value)) }
                )
            )
        case .link(let target): FileWrapper(symbolicLinkWithDestinationURL: URL(fileURLWithPath: target))
        }
    }

    /// For people: text as it is, else how many bytes, and of packages the members.
    var text: String {
        switch self {
        case .file(let data): Self.text(of: Array(data))
        case .package(let tree): Self.lines(of: tree, "").joined(separator: "; ")
        }
    }

    private static func lines(of tree: PackageTree, _ path: String) -> [String] {
        switch tree {
        case .file(let bytes): ["\(path): \(text(of: bytes))"]
        case .link(let target): ["\(path) → \(target)"]
        case .folder(let members):
            members.sorted { $0.key < $1.key }.flatMap { lines(of: $0.value, "\(path)/\($0.key)") }
        }
    }

    private static func text(of bytes: [UInt8]) -> String {
        guard bytes.count <= 2_000, let text = String(validating: bytes, as: UTF8.self) else {
            return "\(bytes.count) bytes"
        }
        return text.debugDescription
    }
}
