import Coordination
import Testing

@Suite("ItemPath")
struct ItemPathTests {
    @Test(
        "A path is kept as it is or simplified by name",
        arguments: [
            ("/", "/"), ("/a/b", "/a/b"), ("/a/b/", "/a/b"), ("//a///b", "/a/b"), ("/a/./b/../c", "/a/c"),
            ("/../a", "/a"), ("/a/.hidden", "/a/.hidden"),
        ]
    )
    func simplifies(text: String, expected: String) {
        #expect(ItemPath(text)?.string == expected)
    }

    @Test("Every short path of dots, slashes and a letter is simplified by its components")
    func simplifiesAll() {
        var paths = ["/"]
        for _ in 0..<7 { paths += paths.flatMap { path in ["/", ".", "a"].map { path + $0 } } }
        for path in Set(paths) {
            var names: [Substring] = []
            for name in path.split(separator: "/") where name != "." {
                if name == ".." { _ = names.popLast() } else { names.append(name) }
            }
            #expect(ItemPath(path)?.string == "/" + names.joined(separator: "/"), "\(path)")
        }
    }

    @Test("A relative path is refused", arguments: ["", "a", "./a"])
    func refusesRelative(text: String) {
        #expect(ItemPath(text) == nil)
    }

    @Test("A folder holds what is inside it, and not what only begins alike")
    func holds() throws {
        let folder = try #require(ItemPath("/a/b"))
        let root = try #require(ItemPath("/"))
        for (text, isInside) in [("/a/b/c", true), ("/a/b", false), ("/a/bc", false), ("/a", false)] {
            let other = try #require(ItemPath(text))
            #expect(folder.isAncestor(of: other) == isInside, "\(text)")
            #expect(root.isAncestor(of: other), "\(text)")
        }
        #expect(folder.holds(folder) && !folder.isAncestor(of: folder) && !root.isAncestor(of: root))
    }

    @Test("Names that differ in bytes are different items even when they look alike")
    func comparesBytes() {
        #expect(ItemPath("/caf\u{E9}") != ItemPath("/cafe\u{301}"))
    }

    @Test(
        "Folders with an extension are found, the nearest first",
        arguments: [
            ("/a/b", []), ("/a.x/b", ["/a.x"]), ("/a.x/b/c.y/d.z", ["/a.x/b/c.y", "/a.x"]),
            ("/.hidden/a", []), ("/.hidden.x/a", ["/.hidden.x"]), ("/", []), ("/ä.x/b", ["/ä.x"]),
        ]
    )
    func findsExtensions(text: String, expected: [String]) throws {
        #expect(try #require(ItemPath(text)).ancestorsWithExtension.map(\.string) == expected)
    }

    @Test(
        "A dot inside a name makes an extension",
        arguments: [("/a.x", true), ("/a", false), ("/.a", false), ("/.a.x", true), ("/a.x/b", false)]
    )
    func tellsExtension(text: String, expected: Bool) throws {
        #expect(try #require(ItemPath(text)).hasExtension == expected)
    }

    @Test("What is inside a moved folder moves with it")
    func moves() throws {
        let source = try #require(ItemPath("/a/b"))
        let target = try #require(ItemPath("/c"))
        #expect(ItemPath("/a/b/x/y")?.moved(from: source, to: target)?.string == "/c/x/y")
        #expect(source.moved(from: source, to: target) == target)
        #expect(ItemPath("/a/bc")?.moved(from: source, to: target) == nil)
        #expect(Array(source.ancestors).map(\.string) == ["/a", "/"])
    }
}
