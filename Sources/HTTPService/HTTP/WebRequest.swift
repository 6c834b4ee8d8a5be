/// One line of a request's or a response's head.
package struct WebHeader: Hashable, Sendable {
    /// The name, compared without regard to case.
    package var name: String
    /// The value, without line breaks.
    package var value: String

    /// A header of this name and value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether this is the header of that name.
    package func isNamed(_ other: String) -> Bool {
        name.utf8.elementsEqual(other.utf8) || name.lowercased() == other.lowercased()
    }
}

/// The head of a request.
package struct WebRequest: Sendable {
    /// The method as sent, such as `GET`.
    package var method: String
    /// Path and query, decoded.
    package var target: RequestTarget
    /// The version as sent, such as `HTTP/1.1`.
    package var version: String
    /// All headers in the order in which they came.
    package var headers: [WebHeader]
    /// The numeric address of who is at the other end, without its port; empty where it is not known.
    package var peer = ""

    /// The value of a header; nil where it is absent, and where it is given twice and so says nothing.
    package func header(_ name: String) -> String? {
        let found = headers.filter { $0.isNamed(name) }
        return found.count == 1 ? found.first?.value : nil
    }

    /// Whether a header is there at all, once or more.
    package func hasHeader(_ name: String) -> Bool {
        headers.contains { $0.isNamed(name) }
    }

    /// The members of a list header such as `Connection`, in lower case.
    package func listHeader(_ name: String) -> [String] {
        headers.filter { $0.isNamed(name) }
            .flatMap { $0.value.split(separator: ",") }
            .map { item in
                let isSpace = { (character: Character) in character == " " || character == "\t" }
                let trimmed = item.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
                return String(trimmed).lowercased()
            }
    }

    /// How long the body says it is, in bytes; nil without a (valid) `Content-Length`.
    package var declaredByteCount: UInt64? {
        header("Content-Length").flatMap { UInt64($0) }
    }
}
