internal import HTTPService

/// What browsers are told about what our answers may do.
///
/// Pure.
///
/// They go over any of the same name that a delegate has set, but for `Cache-Control`.
enum SecurityHeaders {
    /// For the page, its files and everything else that is ours.
    static func secured(_ response: WebResponse, authority: String) -> WebResponse {
        let policy =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
            + "font-src 'self'; connect-src 'self' ws://\(authority); frame-src 'self'; manifest-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        return common(response).setting("Content-Security-Policy", policy)
            .setting("Cross-Origin-Opener-Policy", "same-origin")
            .setting("Cross-Origin-Resource-Policy", "same-origin")
            .setting("X-Frame-Options", "DENY")
    }

    /// For the files of an editor: it may run what it likes in a frame of ours, without an origin, and reach
    /// nothing.
    static func securedEditor(_ response: WebResponse, authority: String) -> WebResponse {
        let own = "'self' http://\(authority) data: blob:"
        let policy =
            "default-src 'none'; script-src \(own) 'unsafe-inline' 'unsafe-eval'; "
            + "style-src \(own) 'unsafe-inline'; img-src \(own); font-src \(own); media-src \(own); "
            + "worker-src \(own); frame-src \(own); connect-src 'none'; base-uri 'self'; form-action 'none'; "
            + "frame-ancestors 'self' http://\(authority); sandbox allow-scripts"
        return common(response).setting("Content-Security-Policy", policy)
    }

    /// For a picture of a document: bytes of others, which are to be looked at and nothing else.
    static func securedPicture(_ response: WebResponse) -> WebResponse {
        common(response)
            .setting("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
            .setting("Cross-Origin-Resource-Policy", "same-origin")
            .setting("X-Frame-Options", "DENY")
    }

    private static func common(_ response: WebResponse) -> WebResponse {
        let cached =
            response.header("Cache-Control") == nil ? response.setting("Cache-Control", "no-store") : response
        return cached.setting("X-Content-Type-Options", "nosniff").setting("Referrer-Policy", "no-referrer")
    }
}
