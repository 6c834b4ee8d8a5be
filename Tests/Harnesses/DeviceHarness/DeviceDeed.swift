/// What somebody does on the device whose power is cut.
package struct DeviceDeed: CustomStringConvertible, Sendable {
    /// A document, by the names in it; of a file by an empty one. Empty for nothing.
    package typealias Document = [String: String]

    /// The documents and folders that it is about.
    package var paths: [String]
    /// What they are before and after it.
    package var before: [String: Document]
    package var after: [String: Document] = [:]
    /// Whether one of them is written without being synced.
    package var isCareless: Bool
    /// What the same files were called before, by what they are called now: as long as no folder was synced since, a cut may
    /// give them such a name back.
    package var formerPaths: [String: Set<String>] = [:]

    package init(paths: [String], before: [String: Document], isCareless: Bool) {
        (self.paths, self.before, self.isCareless) = (paths, before, isCareless)
    }

    package var description: String { "\(paths.joined(separator: ", "))\(isCareless ? ", unsynced" : "")" }

    /// Whether a cut may leave this at a path, after deeds of which the hub has not been told yet.
    ///
    /// It is as it was, or as somebody has made it there. What was written unsynced may be there in part, with blanks in it, and
    /// under any name that the file has had: then each byte is one of its own.
    ///
    /// - Parameters:
    ///   - found: What is there.
    ///   - had: What the hub had there.
    ///   - deeds: All that has been begun since all was in step.
    package static func mayLeave(
        _ found: Document,
        at path: String,
        had: Document,
        _ deeds: [DeviceDeed]
    ) -> Bool {
        let whole = [had] + deeds.flatMap { $0.texts(named: [path]) }
        guard !whole.contains(found) else { return true }
        let names = deeds.reduce(into: Set([path])) { $0.formUnion($1.formerPaths[path] ?? []) }
        let unsynced = deeds.filter { $0.isCareless && !$0.paths(of: names, or: path).isEmpty }
        guard !unsynced.isEmpty else { return false }
        let texts = whole + unsynced.flatMap { $0.texts(named: $0.paths(of: names, or: path)) }
        return Set((texts + [found]).flatMap(\.keys)).allSatisfy { name in
            guard let text = found[name] else { return texts.contains { $0[name] == nil } }
            return isMade(text, of: texts.compactMap { $0[name] })
        }
    }

    /// Those of its paths that are among the names, or at which is what was at the path before.
    private func paths(of names: Set<String>, or path: String) -> [String] {
        paths.filter { names.contains($0) || formerPaths[$0]?.contains(path) == true }
    }

    private func texts(named names: [String]) -> [Document] {
        names.filter(paths.contains).flatMap { [before[$0] ?? [:], after[$0] ?? [:]] }
    }

    /// Whether each byte is blank, or stands in one of the texts in the same place.
    private static func isMade(_ text: String, of texts: [String]) -> Bool {
        let sources = texts.map { Array($0.utf8) }
        guard text.utf8.count <= sources.map(\.count).max() ?? -1 else { return false }
        return text.utf8.enumerated().allSatisfy { index, byte in
            byte == 0 || sources.contains { index < $0.count && $0[index] == byte }
        }
    }
}
