import Testing

@testable import HTTPService
@testable import WebHost

@Suite("RequestTarget")
struct RequestTargetTests {
    @Test("Paths are cut at slashes before they are decoded")
    func paths() throws {
        let cases: [(String, [String], Bool)] = [
            ("/", [], false), ("/a", ["a"], false), ("/a/", ["a"], true), ("/a/b.c", ["a", "b.c"], false),
            ("/%C3%BC%20+", ["ü +"], false), ("/...", ["..."], false), ("/a?b/c", ["a"], false),
        ]
        for (text, components, endsWithSlash) in cases {
            let target = try #require(RequestTarget(text), "\(text)")
            #expect(target.components == components, "\(text)")
            #expect(target.endsWithSlash == endsWithSlash, "\(text)")
        }
    }

    @Test(
        "What could mean two things does not come into being",
        arguments: [
            "", "a", "*", "http://x/", "//", "/a//b", "/.", "/..", "/a/../b", "/%2e", "/%2E%2e", "/a%2fb",
            "/%00", "/%",
            "/%1", "/%g0", "/%ff", "/a#b", "/a?%", "/a?b=%00%ff",
        ]
    )
    func refused(text: String) {
        #expect(RequestTarget(text) == nil)
    }

    @Test("A query member that is given twice says nothing")
    func query() throws {
        let target = try #require(RequestTarget("/?a=1&b=x+y%2B&c=1&c=2&d&=e"))
        #expect(target.value("a") == "1")
        #expect(target.value("b") == "x y+")
        #expect(target.value("c") == nil)
        #expect(target.value("d") == "")
        #expect(target.value("z") == nil)
    }
}
