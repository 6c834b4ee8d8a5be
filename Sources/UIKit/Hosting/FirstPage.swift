internal import Foundation

/// The page with the first list drawn into it, so that there is something to see before any script runs.
@MainActor
enum FirstPage {
    private struct First: Encodable {
        var proofKey: String
        var app: OutgoingMessage.AppDescription
        var scene: SceneDescription
    }

    /// Where the template takes what is drawn.
    private static let mark = "<!--SHEAF-FIRST-->"

    /// The page for a tab that has not connected yet.
    ///
    /// - Parameter proofKey: By what it knows the process it connects to.
    static func make(proofKey: String) async throws -> String {
        let template = try String(
            contentsOf: PageFiles.directory.appendingPathComponent("index.html"),
            encoding: .utf8
        )
        let tabSession = SceneSessions.prepared()
        if let browser = tabSession.window?.rootViewController?.contentViewController
            as? UIDocumentBrowserViewController
        {
            await browser.model.whenListed()
        }
        let scene = SceneRenderer.describe(tabSession.window)
        return template.replacingOccurrences(of: mark, with: try drawing(scene, proofKey: proofKey))
    }

    static func drawing(_ scene: SceneDescription, proofKey: String) throws -> String {
        let first = First(proofKey: proofKey, app: AppHost.description, scene: scene)
        let data = try JSONEncoder().encode(first)
        let json = String(decoding: data, as: UTF8.self).replacingOccurrences(of: "<", with: "\\u003c")
        let title = escaped(scene.browser?.path.last?.name ?? AppHost.description.name)
        let list = scene.items.prefix(itemsDrawnMax).map { "<li>\(escaped($0.title))</li>" }.joined()
        return "<h1>\(title)</h1><ul>\(list)</ul>"
            + #"<script type="application/json" id="first">\#(json)</script>"#
    }

    /// More than any screen shows at once.
    private static let itemsDrawnMax = 200

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;")
    }
}
