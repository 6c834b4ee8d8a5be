internal import FileSystem

/// Programs have an item open for writing, or a file in it: what they wrote from now on would be in nothing that has a name, and
/// of a database, say, be the half. It stays as it is until that is closed.
struct OpenInPrograms: Error {
    /// So many are named.
    static let writerCountMax = 3

    /// Which, as far as can be told.
    private let writers: [String]

    /// - Parameter saysWho: Whether it is found out, which takes some milliseconds.
    init(_ path: FilePath, saysWho: Bool = true) {
        writers =
            saysWho
            ? OpenForWriting.writers(countMax: Self.writerCountMax, anywhereIn: path).map(\.description) : []
    }

    /// To be put behind a sentence: ": vim (process 12)"; empty where nobody knows.
    var who: String { Self.who(writers) }

    static func who(_ writers: [String]) -> String {
        writers.isEmpty ? "" : ": \(writers.joined(separator: ", "))"
    }
}
