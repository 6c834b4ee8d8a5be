package import Foundation

/// Makes the body of an answer while it is sent, so that it need not be in memory as a whole.
///
/// - Isolation: one thread of the server, one call at a time.
package protocol HTTPBodySource: AnyObject, Sendable {
    /// Fills the front of a buffer with the next bytes. May read from a disk, and must not wait for anything else.
    ///
    /// - Returns: How many there are. 0 before all have been made cuts the connection, which tells the client.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
}

/// An answer to a request.
///
/// The host adds length, date and its security headers, answers `HEAD`, and cuts out the range that was asked
/// for.
package struct WebResponse: Sendable {
    /// Where the bytes come from.
    package enum Body: Sendable {
        /// Nothing follows the head.
        case none
        /// Bytes in memory. They are copied once.
        case bytes(Data)
        /// The contents of a regular file, which is opened without following a link at its end, when the
        /// answer is sent.
        case file(URL)
        /// As many bytes as this, made while they are sent: `Range` is not looked at.
        case stream(any HTTPBodySource, byteCount: UInt64)
        /// As many bytes as this, of which those that are asked for are made while they are sent.
        case parts(byteCount: UInt64, @Sendable (Range<UInt64>) -> any HTTPBodySource)
    }

    /// The status code.
    package var status: Int
    /// Headers, less those that the host adds.
    package var headers: [WebHeader]
    /// What follows the head.
    package var body: Body

    /// An answer of these parts.
    package init(status: Int, headers: [WebHeader] = [], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// HTML in memory.
    package static func html(_ text: String, status: Int = 200) -> WebResponse {
        WebResponse(
            status: status,
            headers: [WebHeader("Content-Type", "text/html; charset=utf-8")],
            body: .bytes(Data(text.utf8))
        )
    }

    /// Plain text in memory.
    package static func text(_ text: String, status: Int = 200) -> WebResponse {
        WebResponse(
            status: status,
            headers: [WebHeader("Content-Type", "text/plain; charset=utf-8")],
            body: .bytes(Data(text.utf8))
        )
    }

    /// A file on disk.
    ///
    /// Its media type is taken from its extension unless one is given.
    package static func file(_ url: URL, mediaType: String? = nil) -> WebResponse {
        let type = mediaType ?? MediaTypes.type(forExtension: url.pathExtension)
        return WebResponse(status: 200, headers: [WebHeader("Content-Type", type)], body: .file(url))
    }

    /// The value of the first header of a name.
    package func header(_ name: String) -> String? {
        headers.first { $0.isNamed(name) }?.value
    }

    /// The same answer with a header set, in place of any of that name.
    package func setting(_ name: String, _ value: String) -> WebResponse {
        var copy = self
        copy.headers.removeAll { $0.isNamed(name) }
        copy.headers.append(WebHeader(name, value))
        return copy
    }
}
