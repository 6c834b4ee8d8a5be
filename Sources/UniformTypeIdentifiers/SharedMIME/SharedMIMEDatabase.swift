internal import Foundation

/// The extensions and MIME types that the desktop's shared MIME-info database knows.
///
/// Read from the files `globs2` (weight, MIME type and file name pattern, by colons) and `subclasses` (MIME
/// type and what it is a kind of, by a space). Lines that say something else are skipped.
struct SharedMIMEDatabase: Sendable {
    /// Steps from a MIME type to what it is a kind of; more would be a circle.
    private static let ancestorsMax = 16

    private var byExtension: [String: String] = [:]
    private var byMIMEType: [String: [String]] = [:]
    private var parents: [String: [String]] = [:]

    /// A database without entries.
    init() {}

    /// Reads the texts of files, those of the most important folder first.
    init(globs: [Data], subclasses: [Data]) {
        for data in globs { readGlobs(data) }
        for data in subclasses { readSubclasses(data) }
    }

    /// Reads the database where the desktop keeps it: `$XDG_DATA_HOME/mime` and those of `$XDG_DATA_DIRS`.
    ///
    /// - Parameter environment: The process's environment variables.
    static func load(environment: [String: String]) -> SharedMIMEDatabase {
        let folders = DataFolders.all(environment: environment)
        func contents(_ name: String) -> [Data] {
            // Most folders have no database; one that cannot be read is as good as none, since it only adds.
            folders.compactMap { try? Data(contentsOf: URL(fileURLWithPath: $0 + "/mime/" + name)) }
        }
        return SharedMIMEDatabase(globs: contents("globs2"), subclasses: contents("subclasses"))
    }

    // MARK: Finding

    /// The MIME type of an extension in lower case without its dot.
    func mimeType(forExtension filenameExtension: String) -> String? { byExtension[filenameExtension] }

    /// The extensions of a MIME type in lower case, the most telling one first.
    func extensions(forMIMEType mimeType: String) -> [String] { byMIMEType[mimeType] ?? [] }

    /// What a MIME type is a kind of, nearest first.
    func ancestors(ofMIMEType mimeType: String) -> [String] {
        var found: [String] = []
        var waiting = parents[mimeType] ?? []
        while !waiting.isEmpty, found.count < Self.ancestorsMax {
            let next = waiting.removeFirst()
            guard !found.contains(next), next != mimeType else { continue }
            found.append(next)
            waiting += parents[next] ?? []
        }
        return found
    }

    // MARK: Reading

    private mutating func readGlobs(_ data: Data) {
        for line in Array(data).split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count >= 3, let mimeType = Self.mimeType(fields[1]),
                let pattern = Self.filenameExtension(fields[2])
            else { continue }
            let isCaseSensitive = fields.count > 3 && fields[3].elementsEqual("cs".utf8)
            let lowered = pattern.lowercased()
            guard !isCaseSensitive || lowered == pattern else { continue }
            // Files list the heaviest patterns first, and the first word on an extension stands.
            if byExtension[lowered] == nil { byExtension[lowered] = mimeType }
            if byMIMEType[mimeType]?.contains(lowered) != true {
                byMIMEType[mimeType, default: []].append(lowered)
            }
        }
    }

    private mutating func readSubclasses(_ data: Data) {
        for line in Array(data).split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count == 2, let child = Self.mimeType(fields[0]),
                let parent = Self.mimeType(fields[1])
            else { continue }
            parents[child, default: []].append(parent)
        }
    }

    /// The extension in a pattern, which must be "*." and an extension without further wildcards.
    private static func filenameExtension(_ pattern: ArraySlice<UInt8>) -> String? {
        let rest = pattern.dropFirst(2)
        guard pattern.starts(with: "*.".utf8), !rest.isEmpty,
            rest.allSatisfy({ $0 >= 0x20 && !"*?[]/".utf8.contains($0) })
        else { return nil }
        return String(validating: rest, as: UTF8.self)
    }

    /// A MIME type in lower case, if the bytes are one: two words of visible ASCII with a slash between them.
    private static func mimeType(_ bytes: ArraySlice<UInt8>) -> String? {
        let slash = UInt8(ascii: "/")
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let index = bytes.firstIndex(of: slash),
            index > bytes.startIndex, index < bytes.endIndex - 1, !bytes[(index + 1)...].contains(slash)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }
}
