import Foundation
import SeededNumbers

@testable import DocumentFoundation

/// A folder of a test's own, removed with it.
final class WrapperFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("wrap-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    subscript(_ name: String) -> URL { url.appendingPathComponent(name) }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}

/// What a tree of files is, to be written and compared in one expression.
indirect enum WrapperTree: Equatable, CustomStringConvertible {
    case file(String)
    case link(String)
    case folder([String: WrapperTree])

    func write(to url: URL) throws {
        switch self {
        case .file(let text): try Data(text.utf8).write(to: url)
        case .link(let text):
            try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: text)
        case .folder(let members):
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            for (name, member) in members { try member.write(to: url.appendingPathComponent(name)) }
        }
    }

    /// What is on disk.
    init(at url: URL) throws {
        let manager = FileManager.default
        switch try manager.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType {
        case .typeDirectory?:
            var members: [String: WrapperTree] = [:]
            for name in try manager.contentsOfDirectory(atPath: url.path) {
                members[name] = try WrapperTree(at: url.appendingPathComponent(name))
            }
            self = .folder(members)
        case .typeSymbolicLink?:
            self = .link(try manager.destinationOfSymbolicLink(atPath: url.path))
        default:
            self = .file(String(decoding: try Data(contentsOf: url), as: UTF8.self))
        }
    }

    /// What a wrapper holds; nil when something in it can no longer be read.
    init?(_ wrapper: FileWrapper) {
        if wrapper.isDirectory {
            guard let children = wrapper.fileWrappers else { return nil }
            var members: [String: WrapperTree] = [:]
            for (key, child) in children {
                guard let member = WrapperTree(child) else { return nil }
                members[key] = member
            }
            self = .folder(members)
        } else if wrapper.isSymbolicLink {
            guard let url = wrapper.symbolicLinkDestinationURL else { return nil }
            self = .link(url.path)
        } else {
            guard let data = wrapper.regularFileContents else { return nil }
            self = .file(String(decoding: data, as: UTF8.self))
        }
    }

    /// New wrappers, in memory.
    var wrapper: FileWrapper {
        switch self {
        case .file(let text): FileWrapper(regularFileWithContents: Data(text.utf8))
        case .link(let text):
            FileWrapper(symbolicLinkWithDestinationURL: FileWrapper.destinationURL(ofLinkText: text))
        case .folder(let members):
            FileWrapper(directoryWithFileWrappers: members.mapValues(\.wrapper))
        }
    }

    var description: String {
        switch self {
        case .file(let text): "“\(text)”"
        case .link(let text): "→\(text)"
        case .folder(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
                + "}"
        }
    }
}

/// Random trees of wrappers; the same for the same seed.
struct WrapperSeed: RandomNumberGenerator {
    private var numbers: SplitMix64

    init(_ seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    mutating func next() -> UInt64 { numbers.next() }

    private static let names = [
        "a", "b.txt", "image.png", ".hidden", "Über.md", "e\u{301}.txt", "name with space", "x.tar.gz",
        "README",
    ]

    mutating func name() -> String { Self.names.randomElement(using: &self) ?? "a" }

    /// A tree of at most this depth.
    mutating func tree(depth: Int = 3) -> WrapperTree {
        switch Int.random(in: 0..<(depth == 0 ? 6 : 10), using: &self) {
        case 0: return .link(Bool.random(using: &self) ? "b.txt" : "/somewhere/else")
        case 1: return .file("")
        case 2..<6: return .file(String(repeating: "word ", count: .random(in: 1...40, using: &self)))
        default: return folder(depth: depth)
        }
    }

    mutating func folder(depth: Int = 3) -> WrapperTree {
        var members: [String: WrapperTree] = [:]
        for _ in 0..<Int.random(in: 0...5, using: &self) { members[name()] = tree(depth: depth - 1) }
        return .folder(members)
    }
}
