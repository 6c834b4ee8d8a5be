import Coordination
import DocumentFoundation
import Foundation
import TestThreads
import Testing

@Suite("Items and their URLs", .onOwnThreads)
struct ItemPathURLTests {
    @Test(
        "An item has the path that its URL has",
        arguments: [
            "/a/b", "/a b/c", "/100%/c", "/ä/ö.txt", "/a?b#c", "/a;b", "/a%2Fb", "/", "/a/../b", "/x.y/[z]",
            "/emoji \u{1F4D6}",
        ]
    )
    func pathOfURL(path: String) {
        for isDirectory in [false, true] {
            let url = URL(fileURLWithPath: path, isDirectory: isDirectory)
            #expect(ItemPath(fileURL: url)?.string == ItemPath(url.path)?.string)
        }
    }

    @Test(
        "A URL's text may be anything",
        arguments: [
            "file:///a%20b/", "file:///a%2fb", "file:///a%", "file:///a%4", "file:///%41", "file:///a?q=1",
            "file://localhost/a", "file:///a%C3%A4", "file:///%ff", "file:////a//b", "file:///a#f",
            "FILE:///a",
        ]
    )
    func pathOfText(text: String) throws {
        guard let url = URL(string: text) else { return }
        #expect(ItemPath(fileURL: url)?.string == ItemPath(url.path)?.string, "\(text)")
    }

    @Test("A relative URL counts from its base, another scheme has no item")
    func otherURLs() throws {
        let base = URL(fileURLWithPath: "/a", isDirectory: true)
        #expect(ItemPath(fileURL: URL(fileURLWithPath: "b c", relativeTo: base))?.string == "/a/b c")
        #expect(ItemPath(fileURL: try #require(URL(string: "https://example.org/a"))) == nil)
    }
}
