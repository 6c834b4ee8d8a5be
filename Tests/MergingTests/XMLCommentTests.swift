import Foundation
import SeededNumbers
import Testing

@testable import Merging

@Suite("Comments in XML property lists")
struct XMLCommentTests {
    private let merger = PropertyListMerger()

    @Test("A comment that one side wrote and a value that the other changed are both there")
    func written() {
        let merged = lawfulMerge(
            merger,
            "<plist><dict><key>a</key><integer>1</integer></dict></plist>",
            "<plist><dict><!-- above 3 it crashes --><key>a</key><integer>1</integer></dict></plist>",
            "<plist><dict><key>a</key><integer>2</integer></dict></plist>"
        )
        #expect(
            merged.text
                == "<plist><dict><!-- above 3 it crashes --><key>a</key><integer>2</integer></dict></plist>"
        )
        #expect(merged.conflicts.isEmpty)
    }

    private static let parts = [
        "<?xml version=\"1.0\"?>", "<plist>", "<dict>", "<key>a</key>", "<array>", "<integer>1</integer>",
        "<integer>2</integer>", "</array>", "<key>b</key>", "<integer>3</integer>", "</dict>", "</plist>",
    ]

    /// A list with a comment at one of twelve places, and a value far from them.
    private static func list(_ place: Int, _ comment: String, value: String = "3") -> String {
        var parts = Self.parts.map { $0 == "<integer>3</integer>" ? "<integer>\(value)</integer>" : $0 }
        parts.insert(comment, at: place)
        return parts.joined()
    }

    @Test("So they are wherever it stands", arguments: 1...12)
    func anywhere(_ place: Int) {
        let plain = Self.list(place, "")
        let old = Self.list(place, "<!-- old -->")
        let new = Self.list(place, "<!-- new -->")
        let written = lawfulMerge(merger, plain, new, Self.list(place, "", value: "4"))
        #expect(written.text == Self.list(place, "<!-- new -->", value: "4"))
        let changed = lawfulMerge(merger, old, new, Self.list(place, "<!-- old -->", value: "4"))
        #expect(changed.text == Self.list(place, "<!-- new -->", value: "4"))
        let gone = lawfulMerge(merger, old, plain, Self.list(place, "<!-- old -->", value: "4"))
        #expect(gone.text == Self.list(place, "", value: "4"))
        #expect(written.conflicts.isEmpty && changed.conflicts.isEmpty && gone.conflicts.isEmpty)
    }

    @Test("Two different comments at one place are a conflict; one of them stands", arguments: 1...12)
    func conflict(_ place: Int) throws {
        let (base, mine) = (Self.list(place, "<!-- o -->"), Self.list(place, "<!-- m -->"))
        let theirs = Self.list(place, "<!-- t -->")
        let merged = lawfulMerge(merger, base, mine, theirs)
        #expect(merged.text == theirs)
        let conflict = try #require(merged.conflicts.first)
        #expect(merged.conflicts.count == 1)
        #expect(conflict.base?.text == "<!-- o -->")
        #expect(conflict.mine?.text == "<!-- m -->")
        #expect(conflict.theirs?.text == "<!-- t -->")
        #expect(conflict.standing == .theirs)
    }

    @Test("A comment written beside a value that the other took away is a conflict, and stays with the value")
    func deletion() {
        let rest = "<key>b</key><true/></dict></plist>"
        let merged = lawfulMerge(
            merger,
            "<plist><dict><key>a</key><true/>" + rest,
            "<plist><dict><!-- new --><key>a</key><true/>" + rest,
            "<plist><dict>" + rest
        )
        #expect(merged.text == "<plist><dict><!-- new --><key>a</key><true/>" + rest)
        #expect(merged.conflicts.map(\.place) == [[.key("a")]])
    }

    @Test("White space around a comment is no change, and a key's text is no comment")
    func whiteSpace() {
        let list = { (space: String, value: String) in
            "<plist><dict>\(space)<!-- c -->\(space)<key><![CDATA[<!-- k -->]]></key>\(value)</dict></plist>"
        }
        let merged = lawfulMerge(merger, list("", "<true/>"), list("\n", "<true/>"), list("", "<false/>"))
        #expect(merged.text == list("", "<false/>"))
        #expect(merged.conflicts.isEmpty)
        let key = Array("<key><![CDATA[<!-- k -->]]></key>".utf8)
        #expect(XMLPropertyListSyntax.remarks(in: key, 0..<key.count).isEmpty)
        let head = Array("<?xml version=\"1.0\"?> <!----><?i?>".utf8)
        #expect(XMLPropertyListSyntax.remarks(in: head, 0..<head.count) == [22..<29, 29..<34])
    }

    /// A list with a comment before each key `b`, and more of them anywhere if somebody edits it.
    private static func text(_ tree: RandomTree, _ tag: String?, _ numbers: inout SplitMix64) -> String {
        var lines: [String] = []
        for line in tree.xml.split(separator: "\n") {
            let new = "<!-- \(tag ?? "")#\(numbers.below(1_000_000)) -->"
            let choice = tag == nil ? 11 : numbers.below(12)
            if choice < 2 {
                lines.append(new)
            } else if choice > 3, line.contains("<key>b</key>") {
                lines.append("<!-- about b -->")
            }
            lines.append(String(line))
        }
        return "<plist>\n" + lines.joined(separator: "\n") + "\n</plist>\n"
    }

    private static func comments(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.contains("<!--") && $0.contains("#") }
    }

    @Test("The laws hold for random lists with comments; no new comment and no new value disappears")
    func random() throws {
        for seed in UInt64(1)...150 {
            var numbers = SplitMix64(seed: seed)
            let tree = RandomTree.list([RandomTree.make(&numbers, depth: 3)])
            let (ownTree, otherTree) = (tree.edited("m", &numbers), tree.edited("t", &numbers))
            let base = Self.text(tree, nil, &numbers)
            let mine = Self.text(ownTree, "m", &numbers)
            let theirs = Self.text(otherTree, "t", &numbers)
            let merged = lawfulMerge(merger, base, mine, theirs, "seed \(seed)")
            var known = NumberedValues()
            let parsed = XMLPropertyListSyntax.parse(Array(merged.text.utf8), &known)
            #expect(parsed != nil, "seed \(seed): \(merged.text)")
            let told =
                merged.text
                + merged.conflicts.map { ($0.mine?.text ?? "") + ($0.theirs?.text ?? "") }.joined()
            for word in ownTree.news + otherTree.news {
                #expect(told.contains(word), "seed \(seed): \(word)")
            }
            for comment in Self.comments(mine) + Self.comments(theirs) {
                #expect(told.contains(comment), "seed \(seed): \(comment)")
            }
        }
    }
}
