import SeededNumbers
import Testing

@testable import Merging

@Suite("MarkupMerger")
struct MarkupMergerTests {
    private let xml = MarkupMerger(.xml)
    private let html = MarkupMerger(.html)

    @Test("Tags that overlap inside a line are a conflict, and one side's line stands")
    func line() {
        let (mine, theirs) = ("<p><b>one two</b> three</p>", "<p>one <i>two three</i></p>")
        for merger in [xml, html] {
            let merged = lawfulMerge(merger, "<p>one two three</p>", mine, theirs)
            #expect(merged.conflicts.count == 1)
            #expect([mine, theirs].contains(merged.text))
        }
    }

    @Test("Changes of different lines go together; words of one line do not")
    func lines() {
        let base = "<r>\n<a>1</a>\n<b/>\n<c>3</c>\n</r>\n"
        let mine = "<r>\n<a>2</a>\n<b/>\n<c>3</c>\n</r>\n"
        let merged = lawfulMerge(xml, base, mine, "<r>\n<a>1</a>\n<b/>\n<c>4</c>\n</r>\n")
        #expect(merged.text == "<r>\n<a>2</a>\n<b/>\n<c>4</c>\n</r>\n")
        #expect(merged.conflicts.isEmpty)
        let (lake, deep) = ("<p>the lake is blue</p>", "<p>the sea is deep</p>")
        let words = lawfulMerge(xml, "<p>the sea is blue</p>", lake, deep)
        #expect(words.conflicts.count == 1)
    }

    @Test("Tags that overlap across lines, each on a line of its own, are a conflict as a whole")
    func overlapping() {
        let mine = "<p>\n<b>\none\ntwo\n</b>\nthree\n</p>\n"
        let theirs = "<p>\none\n<i>\ntwo\nthree\n</i>\n</p>\n"
        for merger in [xml, html] {
            let merged = lawfulMerge(merger, "<p>\none\ntwo\nthree\n</p>\n", mine, theirs)
            #expect(merged.conflicts.count == 1)
            #expect(merged.conflicts.first?.mine?.text == mine)
            #expect([mine, theirs].contains(merged.text))
        }
    }

    @Test("An attribute that a tag comes to have twice is a conflict")
    func attributes() {
        let base = "<svg\n a=\"1\"\n b=\"2\"\n c=\"3\">\n</svg>\n"
        let mine = "<svg\n fill=\"red\"\n a=\"1\"\n b=\"2\"\n c=\"3\">\n</svg>\n"
        let theirs = "<svg\n a=\"1\"\n b=\"2\"\n fill=\"blue\"\n c=\"3\">\n</svg>\n"
        #expect(lawfulMerge(xml, base, mine, theirs).conflicts.count == 1)
        let other = "<svg\n a=\"1\"\n b=\"2\"\n width=\"9\"\n c=\"3\">\n</svg>\n"
        #expect(lawfulMerge(xml, base, mine, other).conflicts.isEmpty)
    }

    @Test("Comments that overlap are a conflict in XML")
    func comments() {
        let base = "<r>\n<a/>\n<b/>\n<c/>\n</r>\n"
        let mine = "<r>\n<!--\n<a/>\n<b/>\n-->\n<c/>\n</r>\n"
        let theirs = "<r>\n<a/>\n<!--\n<b/>\n<c/>\n-->\n</r>\n"
        #expect(lawfulMerge(xml, base, mine, theirs).conflicts.count == 1)
    }

    @Test("Half of a document merges by line, as its tags say nothing")
    func fragment() {
        let merged = lawfulMerge(xml, "<r>\n1\n2\n3\n", "<r>\n0\n2\n3\n", "<r>\n1\n2\n4\n")
        #expect(merged.text == "<r>\n0\n2\n4\n")
        #expect(merged.conflicts.isEmpty)
    }

    /// What is wrong with each as XML, and as HTML.
    private static let readings: [(String, MarkupFaults, MarkupFaults)] = [
        ("<a/>", [], []), ("<a>", .tags, .tags), ("<a></b>", .tags, .tags),
        ("<?xml version='1.0'?>\n<!DOCTYPE r [<!ENTITY e \"<>\"> <!-- ' -->]>\n<r/>", [], []),
        ("<r><![CDATA[<a>]]></r>", [], []), ("<r><!-- <a> --></r>", [], []),
        ("<r a='>' b=\"/>\"/>", [], []), ("<r a='1' a='2'/>", .attributes, .attributes),
        ("<a/><b/>", .roots, []), ("text", .roots, []), ("<r a=1>x</r>", .tags, []),
        ("<p>a<br>b<img src=x></p>", .tags, []), ("<ul><li>1<li>2</ul>", .tags, []),
        ("<script>if (a<b) '<i>'</script>", .tags, []), ("<P>a</p>", .tags, []),
        ("<r>1 < 2</r>", .tags, []), ("<!doctype html><p>a", .tags, []), ("<b><p></b></p>", .tags, .tags),
        ("<r", .tags, .tags), ("<!-- ", .tags, .tags), ("<r a='", .tags, .tags), ("", .roots, []),
    ]

    @Test("Markup is read as its language has it", arguments: Self.readings)
    func faults(_ text: String, _ xml: MarkupFaults, _ html: MarkupFaults) {
        #expect(MarkupReader.faults(of: Array(text.utf8), .xml) == xml)
        #expect(MarkupReader.faults(of: Array(text.utf8), .html) == html)
    }

    // MARK: Random documents

    private indirect enum Node {
        case text(String)
        case element(String, [Node])

        var lines: [String] {
            switch self {
            case .text(let text): [text]
            case .element(let name, let children): ["<\(name)>"] + children.flatMap(\.lines) + ["</\(name)>"]
            }
        }
    }

    private static func children(_ depth: Int, _ numbers: inout SplitMix64) -> [Node] {
        (0..<1 + numbers.below(4)).map { _ in
            depth == 0 || numbers.below(3) == 0
                ? .text("t\(numbers.below(1000))")
                : .element(["a", "b", "i"][numbers.below(3)], children(depth - 1, &numbers))
        }
    }

    /// Neighbours put into an element, an element taken away around what is in it, a node put in or taken away.
    private static func edited(_ nodes: [Node], _ depth: Int, _ numbers: inout SplitMix64) -> [Node] {
        var nodes = nodes
        let place = numbers.below(nodes.count + 1)
        if depth > 0, place < nodes.count, case .element(let name, let children) = nodes[place] {
            if numbers.below(3) > 0 {
                nodes[place] = .element(name, edited(children, depth - 1, &numbers))
            } else {
                nodes.replaceSubrange(place..<place + 1, with: children)
            }
            return nodes
        }
        let end = place + numbers.below(nodes.count - place + 1)
        switch numbers.below(4) {
        case 0: nodes.insert(.text("n\(numbers.below(1000))"), at: place)
        case 1 where place < end: nodes.remove(at: place)
        default:
            let name = ["b", "i", "u"][numbers.below(3)]
            nodes.replaceSubrange(place..<end, with: [.element(name, Array(nodes[place..<end]))])
        }
        return nodes
    }

    /// Each tag has a line of its own: no reader of markup is needed to tell.
    private static func isBalanced(_ lines: [Substring]) -> Bool {
        var names: [Substring] = []
        for line in lines {
            if line.hasPrefix("</") {
                guard names.popLast() == line.dropFirst(2) else { return false }
            } else if line.hasPrefix("<") {
                names.append(line.dropFirst())
            }
        }
        return names.isEmpty
    }

    @Test("What comes of balanced documents is balanced, whatever was done to them")
    func random() {
        var mergedCount = 0
        for seed in UInt64(1)...1_000 {
            var numbers = SplitMix64(seed: seed)
            let base = Self.children(3, &numbers)
            let versions = [base, base, base].enumerated().map { index, nodes in
                var nodes = nodes
                for _ in 0..<(index == 0 ? 0 : 1 + numbers.below(3)) {
                    nodes = Self.edited(nodes, 3, &numbers)
                }
                return Node.element("r", nodes).lines.joined(separator: "\n")
            }
            let merged = lawfulMerge(xml, versions[0], versions[1], versions[2], "seed \(seed)")
            #expect(Self.isBalanced(merged.text.split(separator: "\n")), "seed \(seed): \(merged.text)")
            guard merged.text != versions[1], merged.text != versions[2] else { continue }
            mergedCount += 1
        }
        #expect(mergedCount > 50)
    }
}
