internal import Foundation

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

    /// Which of the story's marks it is.
    static func number(of mark: String) -> Int {
        mark.split(separator: "-").last.flatMap { Int($0.dropLast()) } ?? 0
    }

    static func marks(in content: StoryFolder.Content) -> Set<String> {
        guard case .file(let data, _) = content else { return [] }
        return marks(in: data)
    }

    /// Each mark that is in some bytes.
    static func marks(in data: Data) -> Set<String> { Set(list(in: data)) }

    /// Those that are more than once in a file, in their order.
    static func doubled(in content: StoryFolder.Content) -> [String] {
        guard case .file(let data, _) = content else { return [] }
        return Dictionary(grouping: list(in: data)) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    }

    private static func list(in data: Data) -> [String] {
        var (found, at) = ([String](), data.startIndex)
        let head = Data("mark-".utf8)
        while let range = data.range(of: head, in: at..<data.endIndex) {
            at = range.upperBound
            guard let end = data[at...].firstIndex(of: UInt8(ascii: ".")), end - at < 32 else { continue }
            let mark = String(decoding: data[range.lowerBound...end], as: UTF8.self)
            if document(of: mark) != nil { found.append(mark) }
        }
        return found
    }
}
