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
        func setting(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let home = setting("XDG_DATA_HOME") ?? setting("HOME").map { $0 + "/.local/share" }
        let shared = setting("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        let folders = ((home.map { [$0] } ?? []) + shared.split(separator: ":").map(String.init))
            .filter { $0.hasPrefix("/") }
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
        for line in data.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            // The pattern must be "*." and an extension without further wildcards.
            guard fields.count >= 3, let mimeType = Self.mimeType(fields[1]),
                fields[2].starts(with: [0x2A, 0x2E]),
                let pattern = String(validating: fields[2].dropFirst(2), as: UTF8.self), !pattern.isEmpty,
                !pattern.contains(where: { "*?[]/".contains($0) || $0 < " " })
            else { continue }
            let isCaseSensitive = fields.count > 3 && fields[3].elementsEqual([0x63, 0x73])
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
        for line in data.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count == 2, let child = Self.mimeType(fields[0]),
                let parent = Self.mimeType(fields[1])
            else { continue }
            parents[child, default: []].append(parent)
        }
    }

    /// A MIME type in lower case, if the bytes are one.
    private static func mimeType(_ bytes: Data) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self),
            text.allSatisfy({ $0 > " " && $0.isASCII }),
            text.split(separator: "/", omittingEmptySubsequences: false).map(\.isEmpty) == [false, false]
        else { return nil }
        return text.lowercased()
    }
}
