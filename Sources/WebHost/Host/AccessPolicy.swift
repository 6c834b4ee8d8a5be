internal import HTTPService

/// Who may ask: the session's cookie, the start-up token, and where a request may come from.
///
/// Pure.
///
/// A page of any site can make the browser send requests to this machine. `Host` shows by what name it got
/// here (a site's name pointed at 127.0.0.1 must not work), `Origin` whose page it was, the cookie that the
/// person once had the printed link.
struct AccessPolicy: Sendable {
    /// The port that we listen on.
    var port: UInt16
    /// The name of the session's cookie.
    var cookieName: String
    /// The value of the session's cookie.
    var sessionKey: String
    /// The start-up token of the printed link.
    var token: String

    /// The `Host` that a request names, if it is a name of this machine's loopback with our port.
    func authority(of request: WebRequest) -> String? {
        guard let host = request.header("Host")?.lowercased() else { return nil }
        let names = ["127.0.0.1", "localhost", "[::1]"]
        return names.contains { host == "\($0):\(port)" || port == 80 && host == $0 } ? host : nil
    }

    /// What a request's `Origin` has to be.
    enum OriginRule {
        /// Ours, where it is sent.
        case oursIfSent
        /// Ours, and sent.
        case ours
        /// Ours or `null`, where it is sent: a sandboxed frame has no origin.
        case oursOrNullIfSent
    }

    /// Whether a request's `Origin` is as it has to be; `authority` is its `Host`, checked.
    func admitsOrigin(of request: WebRequest, authority: String, _ rule: OriginRule) -> Bool {
        guard request.hasHeader("Origin") else { return rule != .ours }
        guard let origin = request.header("Origin") else { return false }
        return origin == "http://\(authority)" || rule == .oursOrNullIfSent && origin == "null"
    }

    /// Whether a request carries the session's cookie.
    func hasSession(_ request: WebRequest) -> Bool {
        request.headers.filter { $0.isNamed("Cookie") }
            .flatMap { $0.value.split(separator: ";") }
            .contains { item in
                let sides = item.drop { $0 == " " }.split(
                    separator: "=",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                return sides.count == 2 && sides[0] == cookieName
                    && Self.isEqual(String(sides[1]), sessionKey)
            }
    }

    /// Whether a text is the start-up token.
    func isToken(_ text: String) -> Bool { Self.isEqual(text, token) }

    /// The header that gives a browser the session.
    ///
    /// For 30 days, so that a bookmark goes on working.
    var sessionCookie: WebHeader {
        WebHeader(
            "Set-Cookie",
            "\(cookieName)=\(sessionKey); Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"
        )
    }

    /// Compares two secrets in a time that depends on their lengths only.
    static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
