internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// What is in a device's folder at a moment. Names are bytes: two that look alike are two.
struct StoryFolder: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case folder
        /// A file's bytes, and whether it may be executed.
        case file(Data)
        case link(String)
    }

    /// By the UTF-8 of paths below the folder.
    private(set) var items: [[UInt8]: Content] = [:]

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
            items[[]] = .file(try Data(contentsOf: url))
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
                default: items[key] = .file(try Data(contentsOf: url))
                }
            } catch let error as CocoaError where error.code.isAbsence {
                items[key] = nil
            }
        }
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
            keys.map { String(decoding: $0, as: UTF8.self) + " (\($0.count) bytes)" }.sorted().joined(
                separator: ", "
            )
        }
        let missing = other.items.keys.filter { items[$0] == nil }
        let more = items.keys.filter { other.items[$0] == nil }
        let others = items.keys.filter { key in other.items[key].map { $0 != items[key] } ?? false }
        let parts = [
            missing.isEmpty ? nil : "lacks \(text(missing))", more.isEmpty ? nil : "has also \(text(more))",
            others.isEmpty ? nil : "has other contents in \(text(others))",
        ]
        let said = parts.compactMap { $0 }
        return said.isEmpty ? nil : said.joined(separator: "; ")
    }
}

extension CocoaError.Code {
    var isAbsence: Bool { [.fileReadNoSuchFile, .fileNoSuchFile].contains(self) }
}

/// How edits are known again.
enum StoryMarks {
    /// - Parameters:
    ///   - document: The number of the document for which it was made first.
    ///   - number: Unlike any other of the story.
    static func mark(of document: Int, _ number: Int) -> String { "mark-\(document)-\(number)." }

    /// The number of the document that a mark says.
    static func document(of mark: String) -> Int? {
        let parts = mark.split(separator: "-")
        return parts.count == 3 ? Int(parts[1]) : nil
    }

    static func marks(in content: StoryFolder.Content) -> Set<String> {
        guard case .file(let data) = content else { return [] }
        return marks(in: data)
    }

    /// Each mark that is in some bytes.
    static func marks(in data: Data) -> Set<String> {
        var (found, at) = (Set<String>(), data.startIndex)
        let head = Data("mark-".utf8)
        while let range = data.range(of: head, in: at..<data.endIndex) {
            at = range.upperBound
            guard let end = data[at...].firstIndex(of: UInt8(ascii: ".")), end - at < 32 else { continue }
            let mark = String(decoding: data[range.lowerBound...end], as: UTF8.self)
            if document(of: mark) != nil { found.insert(mark) }
        }
        return found
    }
}
