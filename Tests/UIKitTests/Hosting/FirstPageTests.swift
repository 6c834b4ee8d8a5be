import Foundation
import Testing

@testable import UIKit

@Suite("FirstPage")
@MainActor
struct FirstPageTests {
    private func browser(_ folder: String, _ titles: [String]) -> SceneDescription {
        let browser = SceneDescription.Browser(
            id: "b",
            title: folder,
            style: "white",
            tint: "#000000",
            canCreate: true,
            createTitle: "New",
            allowsMultiple: false,
            showsExtensions: false,
            folder: "",
            path: [.init(id: "", name: folder)],
            leading: [],
            trailing: [],
            actions: [],
            undo: nil,
            redo: nil
        )
        let items = titles.map {
            SceneDescription.Item(
                id: $0,
                name: $0,
                title: $0,
                kind: "document",
                type: "public.data",
                typeTitle: "Data",
                icon: "document",
                openable: true,
                size: nil,
                modified: nil,
                open: false
            )
        }
        return SceneDescription(browser: browser, items: items, stack: [], webs: [])
    }

    /// The drawn part before the script, and what is in the script.
    private func parts(_ scene: SceneDescription) throws -> (list: String, json: String) {
        let drawn = try FirstPage.drawing(scene, proofKey: "0f")
        let opening = #"<script type="application/json" id="first">"#
        let sides = drawn.components(separatedBy: opening)
        try #require(sides.count == 2)
        #expect(sides[1].hasSuffix("</script>"))
        return (sides[0], String(sides[1].dropLast("</script>".count)))
    }

    @Test("The folder's name and the items' titles are drawn, and the script holds the scene")
    func drawing() throws {
        let (list, json) = try parts(browser("Notes", ["One", "Two"]))
        #expect(list == "<h1>Notes</h1><ul><li>One</li><li>Two</li></ul>")
        let first = try #require(JSONValues.object(json))
        let scene = try #require(first["scene"] as? [String: Any])
        #expect((scene["items"] as? [[String: Any]])?.map { $0["title"] as? String } == ["One", "Two"])
        #expect(first["proofKey"] as? String == "0f")
        #expect((first["app"] as? [String: Any])?["tint"] as? String == "#007aff")
    }

    @Test(
        "A name that looks like HTML stays a name, in the list and in the script",
        arguments: [
            "</script><b>", "<!--", "-->", "<script>alert(1)</script>", "&lt;", "a & b", "<!--SHEAF-FIRST-->",
            "]]>",
            "\"quoted\"", "\\u003c", "\u{2028}", "</ScRiPt \t>", "𝄞 <",
        ]
    )
    func hostile(name: String) throws {
        let (list, json) = try parts(browser(name, [name]))
        let escaped = name.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(
            of: "<",
            with: "&lt;"
        )
        .replacingOccurrences(of: ">", with: "&gt;")
        #expect(list == "<h1>\(escaped)</h1><ul><li>\(escaped)</li></ul>")
        #expect(!json.contains("<"))
        let scene = try #require(JSONValues.object(json)?["scene"] as? [String: Any])
        #expect((scene["items"] as? [[String: Any]])?.first?["title"] as? String == name)
    }

    @Test("More than a screen can show is in the script only")
    func many() throws {
        let (list, json) = try parts(browser("Many", (0..<500).map { "\($0)" }))
        #expect(list.components(separatedBy: "<li>").count == 201)
        let scene = try #require(JSONValues.object(json)?["scene"] as? [String: Any])
        #expect((scene["items"] as? [Any])?.count == 500)
    }

    @Test("Without a browser the app's name is drawn over an empty list")
    func noBrowser() throws {
        let (list, json) = try parts(SceneDescription(browser: nil, items: [], stack: [], webs: []))
        #expect(list.hasSuffix("</h1><ul></ul>"))
        #expect(JSONValues.object(json) != nil)
    }

    @Test("The page has the mark that the drawing takes the place of, once")
    func template() throws {
        let url = UIKit.PageFiles.directory.appendingPathComponent("index.html")
        let page = try String(contentsOf: url, encoding: .utf8)
        #expect(page.components(separatedBy: "<!--SHEAF-FIRST-->").count == 2)
    }
}
