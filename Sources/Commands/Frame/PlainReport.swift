internal import Foundation

/// JSON as lines that a person reads: a field a line, in the order of names, what is in a field further to the right.
struct PlainReport {
    private indirect enum Value: Decodable {
        case plain(String)
        case list([Value])
        case fields([(name: String, value: Value)])

        init(from decoder: any Decoder) throws {
            // What is none of these is another; the last one tells what is wrong.
            if let fields = try? decoder.container(keyedBy: Name.self) {
                self = .fields(
                    try fields.allKeys.sorted { $0.stringValue < $1.stringValue }
                        .map { ($0.stringValue, try fields.decode(Value.self, forKey: $0)) }
                )
            } else if var list = try? decoder.unkeyedContainer() {
                var values: [Value] = []
                while !list.isAtEnd { values.append(try list.decode(Value.self)) }
                self = .list(values)
            } else {
                let single = try decoder.singleValueContainer()
                if let flag = try? single.decode(Bool.self) {
                    self = .plain(flag ? "yes" : "no")
                } else if let number = try? single.decode(Int.self) {
                    self = .plain("\(number)")
                } else if let number = try? single.decode(Double.self) {
                    self = .plain("\(number)")
                } else {
                    self = .plain(try single.decode(String.self))
                }
            }
        }

        /// On one line, where it is short.
        var text: String? {
            switch self {
            case .plain(let text): return text
            case .list(let values):
                if values.isEmpty { return "none" }
                let texts = values.compactMap { if case .plain(let text) = $0 { text } else { nil } }
                return texts.count == values.count ? texts.joined(separator: ", ") : nil
            case .fields(let fields): return fields.isEmpty ? "none" : nil
            }
        }

        func lines(_ depth: Int) -> [String] {
            let margin = String(repeating: "  ", count: depth)
            switch self {
            case .plain(let text): return [margin + text]
            case .fields(let fields):
                return fields.flatMap { name, value in
                    value.text.map { ["\(margin)\(name): \($0)"] }
                        ?? ["\(margin)\(name):"] + value.lines(depth + 1)
                }
            case .list(let values):
                return values.flatMap { value in
                    value.row.map { ["\(margin)- \($0)"] } ?? ["\(margin)-"] + value.lines(depth + 1)
                }
            }
        }

        /// All fields on one line, where each is short.
        private var row: String? {
            guard case .fields(let fields) = self else { return text }
            let words = fields.compactMap { name, value in value.text.map { "\(name): \($0)" } }
            return words.count == fields.count ? words.joined(separator: ", ") : nil
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let value: Value

    /// - Throws: A decoding error for what is no JSON.
    init(json: String) throws { value = try JSONDecoder().decode(Value.self, from: Data(json.utf8)) }

    var text: String { value.lines(0).printableLines }
}
