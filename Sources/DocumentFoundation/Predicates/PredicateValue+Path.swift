internal import FileSystem
internal import Foundation

extension PredicateValue {
    /// What a path of names leads to that begins at this value, as key-value coding has it of Foundation's classes: a text's
    /// `pathExtension`, the `lastPathComponent` of a URL's `URLByDeletingLastPathComponent`.
    ///
    /// Of nothing it leads to nothing, and of a list to the list of what it leads to of each.
    ///
    /// - Parameter path: Names with dots between them.
    /// - Returns: Nil where a value on the way has nothing of that name.
    func value(atPath path: some StringProtocol) -> PredicateValue? {
        var value = self
        for name in path.split(separator: ".", omittingEmptySubsequences: false) {
            guard let next = value.value(named: String(name)) else { return nil }
            value = next
        }
        return value
    }

    private func value(named name: String) -> PredicateValue? {
        if name == "self" { return self }
        switch self {
        case .null: return .null
        case .string(let text): return Self.value(named: name, of: text)
        case .url(let url): return Self.value(named: name, of: url)
        case .date(let date):
            switch name {
            case "timeIntervalSince1970": return .real(date.timeIntervalSince1970)
            case "timeIntervalSinceReferenceDate": return .real(date.timeIntervalSinceReferenceDate)
            default: return nil
            }
        case .list(let members):
            let values = members.compactMap { $0.value(named: name) }
            return values.count == members.count ? .list(values) : nil
        case .integer, .real, .data: return nil
        }
    }

    private static func value(named name: String, of text: String) -> PredicateValue? {
        switch name {
        case "length": .integer(Int64(text.utf16.count))
        case "lowercaseString": .string(text.lowercased())
        case "uppercaseString": .string(text.uppercased())
        case "lastPathComponent": .string(lastName(of: text))
        case "pathExtension": .string(lastName(of: text).nameExtension)
        case "stringByDeletingPathExtension": .string(withoutExtension(text))
        default: nil
        }
    }

    private static func value(named name: String, of url: URL) -> PredicateValue? {
        switch name {
        case "path": .string(url.path)
        case "absoluteString": .string(url.absoluteString)
        case "scheme": url.scheme.map(PredicateValue.string) ?? .null
        case "host": url.host.map(PredicateValue.string) ?? .null
        case "lastPathComponent": .string(url.lastPathComponent)
        case "pathExtension": .string(url.pathExtension)
        case "URLByDeletingLastPathComponent": .url(url.deletingLastPathComponent())
        case "URLByDeletingPathExtension": .url(url.deletingPathExtension())
        case "isFileURL", "fileURL": .integer(url.isFileURL ? 1 : 0)
        case "hasDirectoryPath": .integer(url.hasDirectoryPath ? 1 : 0)
        default: nil
        }
    }

    // MARK: Paths as texts

    private static func withoutSlashes(_ text: String) -> Substring {
        var path = text[...]
        while path.utf8.count > 1, path.last == "/" { path = path.dropLast() }
        return path
    }

    private static func lastName(of text: String) -> String {
        let path = withoutSlashes(text)
        guard path.count > 1, let slash = path.lastIndex(of: "/") else { return String(path) }
        return String(path[path.index(after: slash)...])
    }

    private static func withoutExtension(_ text: String) -> String {
        let path = withoutSlashes(text)
        let count = lastName(of: text).nameExtension.count
        return String(count == 0 ? path : path.dropLast(count + 1))
    }
}
