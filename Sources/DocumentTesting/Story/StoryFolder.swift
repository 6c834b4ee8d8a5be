internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// What is in a device's folder at a moment. Names are bytes: two that look alike are two.
struct StoryFolder: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case folder
        case file(Data, Dress)
        case link(String)
    }

    /// What a file bears beside its bytes.
    struct Dress: Hashable, Sendable {
        /// Who may read, write and execute it.
        var permissions: UInt16 = 0o644
        /// A user's own, without the mark by which an item is known.
        var attributes: [String: Data] = [:]

        var isExecutable: Bool { permissions & 0o100 != 0 }
    }

    /// By the UTF-8 of paths below the folder.
    var items: [[UInt8]: Content] = [:]

    /// With nothing in it.
    init() {}

    /// Reads a folder as any program does, which asks nobody.
    ///
    /// - Throws: What keeps it from being read; what has gone meanwhile is left out.
    init(_ url: URL) throws { try read(url, below: "") }

    /// Reads one item, be it a file or a folder.
    ///
    /// - Throws: What keeps it from being read.
    init(item url: URL) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else { return }
        if isDirectory.boolValue {
            try read(url, below: "")
        } else {
            items[[]] = try Self.file(url)
        }
    }

    private mutating func read(_ folder: URL, below path: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let (url, path) = (folder.appendingPathComponent(name), path.isEmpty ? name : "\(path)/\(name)")
            let key = Array(path.utf8)
            do {
                let kind = try FileManager.default.attributesOfItem(atPath: url.path)[.type]
                switch kind as? FileAttributeType {
                case .typeDirectory:
                    items[key] = .folder
                    try read(url, below: path)
                case .typeSymbolicLink:
                    items[key] = .link(
                        try FileManager.default.destinationOfSymbolicLink(atPath: url.path)
                    )
                default: items[key] = try Self.file(url)
                }
            } catch let error as CocoaError where error.code.isAbsence {
                items[key] = nil
            }
        }
    }

    private static func file(_ url: URL) throws -> Content {
        let permissions = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
        var dress = Dress()
        dress.permissions = (permissions as? NSNumber)?.uint16Value ?? dress.permissions
        // What has gone meanwhile is left out, whoever finds that.
        dress.attributes = (try? FileReading.userAttributes(of: FilePath(url.path))) ?? [:]
        return .file(try Data(contentsOf: url), dress)
    }

    /// The same with files that bear nothing but bytes: versions are shown in copies that nobody may change.
    var undressed: StoryFolder {
        var folder = self
        folder.items = items.mapValues { content in
            guard case .file(let data, _) = content else { return content }
            return .file(data, Dress())
        }
        return folder
    }

    /// What is at a path and below it, by what is left of the path; empty where nothing is.
    func item(at path: String) -> StoryFolder {
        let (key, below) = (Array(path.utf8), Array((path + "/").utf8))
        var folder = self
        folder.items = [:]
        for (place, content) in items where place == key || place.starts(with: below) {
            folder.items[Array(place.dropFirst(place == key ? key.count : below.count))] = content
        }
        return folder
    }

    /// Leaves out what has a name on its way that begins so.
    mutating func leaveOut(namesFrom beginning: String) {
        let (first, further) = (Array(beginning.utf8), Data(("/" + beginning).utf8))
        items = items.filter { !$0.key.starts(with: first) && Data($0.key).range(of: further) == nil }
    }

    /// Leaves out what stands for contents that have left.
    ///
    /// - Returns: The paths of the items whose they are.
    mutating func takePlaceholders() -> Set<String> {
        var left: Set<String> = []
        for path in paths {
            let names = path.split(separator: "/").map(String.init)
            guard let name = names.last, !name.hasPrefix(".sheaf-"), let item = Placeholder.itemName(of: name)
            else { continue }
            items[Array(path.utf8)] = nil
            left.insert((names.dropLast() + [item]).joined(separator: "/"))
        }
        return left
    }

    /// All marks in it.
    var marks: Set<String> { items.values.reduce(into: []) { $0.formUnion(StoryMarks.marks(in: $1)) } }

    /// The paths, in the order of their bytes.
    var paths: [String] {
        items.keys.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// How it differs from another device's; nil for: not at all.
    func difference(to other: StoryFolder) -> String? {
        func text(_ keys: [[UInt8]]) -> String {
            keys.map { key in
                key.isEmpty ? "it" : "\(String(decoding: key, as: UTF8.self)) (\(key.count) bytes)"
            }.sorted().joined(separator: ", ")
        }
        let missing = other.items.keys.filter { items[$0] == nil }
        let more = items.keys.filter { other.items[$0] == nil }
        let others = items.keys.filter { key in other.items[key].map { $0 != items[key] } ?? false }
        let redressed = others.filter { undressed.items[$0] == other.undressed.items[$0] }
        let changed = others.filter { !redressed.contains($0) }
        let parts = [
            missing.isEmpty ? nil : "lacks \(text(missing))", more.isEmpty ? nil : "has also \(text(more))",
            changed.isEmpty ? nil : "has other contents in \(text(changed))",
            redressed.isEmpty ? nil : "has other permissions or attributes of \(text(redressed))",
        ]
        let said = parts.compactMap { $0 }
        return said.isEmpty ? nil : said.joined(separator: "; ")
    }
}
