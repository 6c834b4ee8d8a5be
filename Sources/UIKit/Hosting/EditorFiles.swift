internal import Foundation
internal import HTTPService
internal import Locks
internal import WebHost

/// What editors are made of, for the host's threads to serve.
///
/// An address holds a key of 128 random bits: who knows it was given it by the page. It stands in for the cookie,
/// which a sandboxed frame does not send.
enum EditorFiles {
    enum Source: Sendable {
        /// A folder, and what is put before and after the scripts of its documents.
        case folder(URL, [EditorScript])
        /// A text of HTML.
        case document(String, [EditorScript])
        /// A frame that is held ready, and no document yet.
        case nothingYet

        var scripts: [EditorScript] {
            switch self {
            case .folder(_, let scripts), .document(_, let scripts): scripts
            case .nothingYet: []
            }
        }
    }

    private static let sources = Locked<[String: Source]>([:])
    /// The bridge as it stands in a document, where it is there at once.
    private static let bridge = inlined("bridge/bridge.js")
    private static let spare = "<!doctype html>" + inlined("bridge/spare.js")

    /// One of our page's scripts as a tag; nothing where our page's files are missing, of which the page has told.
    private static func inlined(_ path: String) -> String {
        let file = PageFiles.directory.appendingPathComponent(path)
        return (try? String(contentsOf: file, encoding: .utf8)).map { "<script>\($0)</script>" } ?? ""
    }

    static func newKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    static func set(_ source: Source, for key: String) {
        sources.withLock { $0[key] = source }
    }

    static func remove(_ key: String) {
        sources.withLock { $0[key] = nil }
    }

    /// Where a document is.
    static func address(_ key: String, _ path: String) -> String { "/web/\(key)/\(path)" }

    /// A path as it stands in an address.
    static func escaped(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    }

    /// Answers a request for one of an editor's files.
    static func response(key: String, path: String) -> WebResponse {
        guard let source = sources.withLock({ $0[key] }) else { return missing }
        if let script = script(path, of: source) { return script }
        switch source {
        case .nothingYet: return .html(spare)
        case .document(let html, let scripts):
            guard path.isEmpty else { return missing }
            return .html(adding(scripts, to: html, key: key))
        case .folder(let folder, let scripts):
            guard let file = file(path, in: folder) else { return missing }
            guard ["html", "htm"].contains(file.pathExtension.lowercased()) else { return .file(file) }
            // Gone since: the same answer.
            guard let data = try? Data(contentsOf: file) else { return missing }
            return .html(adding(scripts, to: String(decoding: data, as: UTF8.self), key: key))
        }
    }

    private static let missing = WebResponse.text("There is no such file in this editor.\n", status: 404)

    /// The file of that path, if it is inside the folder, also when links are followed.
    private static func file(_ path: String, in folder: URL) -> URL? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.isEmpty,
            parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && !$0.contains("\0") })
        else { return nil }
        let root = folder.resolvingSymlinksInPath().path
        let file = folder.appendingPathComponent(path).resolvingSymlinksInPath()
        return file.path.hasPrefix(root.hasSuffix("/") ? root : root + "/") ? file : nil
    }

    private static func script(_ path: String, of source: Source) -> WebResponse? {
        let prefix = ".sheaf/script-"
        guard path.hasPrefix(prefix), path.hasSuffix(".js"),
            let number = Int(path.dropFirst(prefix.count).dropLast(3)),
            source.scripts.indices.contains(number)
        else { return nil }
        return WebResponse(
            status: 200,
            headers: [WebHeader("Content-Type", "text/javascript; charset=utf-8")],
            body: .bytes(Data(source.scripts[number].source.utf8))
        )
    }

    /// The document with the bridge and the app's own scripts, before anything of its own runs.
    private static func adding(_ scripts: [EditorScript], to html: String, key: String) -> String {
        var tags = bridge
        for (number, script) in scripts.enumerated() {
            let deferred = script.runsAtEnd ? " defer" : ""
            tags += #"<script\#(deferred) src="/web/\#(key)/.sheaf/script-\#(number).js"></script>"#
        }
        let place = prologueEnd(of: html)
        return html[..<place] + tags + html[place...]
    }

    /// Where a document's first element begins: behind its doctype, and what may come before that.
    ///
    /// Tags further down are not looked for: a script may hold such words, and would be torn by what is put there.
    private static func prologueEnd(of html: String) -> String.Index {
        var rest = html[...]
        var end = html.startIndex
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            let close: String
            if rest.hasPrefix("<!--") {
                close = "-->"
            } else if rest.hasPrefix("<?") || rest.prefix(9).lowercased() == "<!doctype" {
                close = ">"
            } else {
                return end
            }
            guard let closing = rest.range(of: close) else { return end }
            rest = rest[closing.upperBound...]
            end = closing.upperBound
        }
    }
}

/// The files of the page itself.
enum PageFiles {
    /// The folder that holds them, beside the executable or where it was built.
    static let directory = Bundle.module.bundleURL.appendingPathComponent("Page", isDirectory: true)
}
