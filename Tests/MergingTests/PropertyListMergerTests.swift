import Foundation
import SeededNumbers
import Testing

@testable import Merging

@Suite("PropertyListMerger")
struct PropertyListMergerTests {
    private let merger = PropertyListMerger()

    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    private static func list(_ body: String) -> String { head + body + "\n</plist>\n" }

    @Test("XML merges by key, and stays as it was written")
    func xml() {
        let base = Self.list(
            "<dict>\n\t<key>a</key>\n\t<integer>1</integer>\n\t<!-- kept -->\n\t<key>b &amp; c</key>\n\t<real>0.10</real>\n</dict>"
        )
        let mine = base.replacingOccurrences(of: ">1<", with: ">2<")
        let theirs = base.replacingOccurrences(of: "</dict>", with: "\t<key>d</key>\n\t<true/>\n</dict>")
        let merged = lawfulMerge(merger, base, mine, theirs)
        #expect(merged.text == theirs.replacingOccurrences(of: ">1<", with: ">2<"))
        #expect(merged.conflicts.isEmpty)
    }

    @Test("Lists of dictionaries with an identity merge by it; values in conflict are told with their place")
    func identity() {
        let list = { (name: String) in
            Self.list(
                "<array><dict><key>uuid</key><string>u1</string><key>n</key><string>\(name)</string></dict></array>"
            )
        }
        let merged = lawfulMerge(merger, list("x"), list("y"), list("z"))
        #expect(merged.text == list("z"))
        #expect(merged.conflicts.first?.place == [.identity("<string>u1</string>"), .key("n")])
        #expect(merged.conflicts.first?.mine?.text == "<string>y</string>")
    }

    @Test("Two new dictionaries that got the same identity are a conflict, not a third one")
    func addedTwice() {
        let list = { (key: String) in
            Self.list(
                "<array><dict><key>id</key><integer>2</integer><key>\(key)</key><string>x</string></dict></array>"
            )
        }
        let merged = lawfulMerge(merger, Self.list("<array></array>"), list("body"), list("image"))
        #expect(merged.text == list("image"))
        #expect(merged.conflicts.map(\.place) == [[.identity("<integer>2</integer>")]])
    }

    @Test(
        "What is broken is a conflict as a whole",
        arguments: [
            "<plist></plist>", "<plist><dict><key>a</key></dict></plist>",
            "<plist><string>&x;</string></plist>",
            "<plist><dict/>", "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>",
            "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>",
            "<plist><!-- <dict/></plist>",
        ]
    )
    func broken(_ text: String) {
        let merged = lawfulMerge(merger, Self.list("<dict/>"), text, Self.list("<true/>"))
        #expect(merged.conflicts.count == 1)
        #expect(merged.conflicts.first?.place == [])
    }

    @Test("So is what is too deep")
    func tooDeep() { broken("<plist>" + String(repeating: "<array>", count: 50_000)) }

    private static func binary(_ value: Any) throws -> [UInt8] {
        Array(try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0))
    }

    private static func value(_ bytes: [UInt8]) throws -> NSObject? {
        try PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil) as? NSObject
    }

    private static var everything: [String: Any] {
        [
            "text": "Grüße 🌊", "ascii": String(repeating: "x", count: 20), "yes": true, "no": false,
            "int": 300,
            "minus": -5, "large": Int.max, "real": 0.1, "float": Float(0.5),
            "date": Date(timeIntervalSince1970: 1.25),
            "data": Data([1, 2, 255]), "list": [1, "a", [:] as [String: Any]] as [Any], "empty": [] as [Any],
        ]
    }

    @Test("Binary lists merge by key; every kind of value keeps its bits; Foundation reads the outcome")
    func binary() throws {
        var (own, other) = (Self.everything, Self.everything)
        own["int"] = 7
        other["new"] = ["k": Date(timeIntervalSinceReferenceDate: 0.123_456)]
        let base = try Self.binary(Self.everything)
        let merged = lawfulMerge(merger, base, try Self.binary(own), try Self.binary(other))
        #expect(merged.conflicts.isEmpty)
        var expected = own
        expected["new"] = other["new"]
        #expect(try Self.value(merged.contents) == Self.value(Self.binary(expected)))
    }

    @Test("A conflict in a binary list has property lists for parts")
    func binaryConflict() throws {
        let (base, mine, theirs) = (["a": [1]], ["a": [2]], ["a": [3, 4]])
        let merged = lawfulMerge(
            merger,
            try Self.binary(base),
            try Self.binary(mine),
            try Self.binary(theirs)
        )
        let conflict = try #require(merged.conflicts.first)
        #expect(conflict.place == [.key("a"), .index(0)])
        #expect(try Self.value(try #require(conflict.theirs?.bytes)) == NSArray(array: [3, 4]))
    }

    @Test(
        "Of numbers and dates side by side nobody makes what neither has written, in both forms",
        arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml]
    )
    func numbersSideBySide(_ format: PropertyListSerialization.PropertyListFormat) throws {
        func merge(_ values: [[Any]]) throws -> MergedFile {
            let files = try values.map {
                Array(try PropertyListSerialization.data(fromPropertyList: $0, format: format, options: 0))
            }
            return lawfulMerge(merger, files[0], files[1], files[2])
        }
        let dates = (0..<4).map { Date(timeIntervalSinceReferenceDate: Double($0) * 86_400) }
        #expect(try !merge([[1, 31], [2, 31], [1, 30]]).conflicts.isEmpty)
        #expect(try !merge([[0.5, 1.5], [0.25, 1.5], [0.5, 1.25]]).conflicts.isEmpty)
        #expect(
            try !merge([[dates[0], dates[1]], [dates[2], dates[1]], [dates[0], dates[3]]]).conflicts.isEmpty
        )
        #expect(try merge([["i1", "d1"], ["i2", "d1"], ["i1", "d2"]]).conflicts.isEmpty)
    }

    @Test("More values than there is room for are a conflict as a whole, in both forms")
    func tooMany() throws {
        let versions = [
            ["a": [1, 2], "b": [3, 4]], ["a": [7, 2], "b": [3, 4]], ["a": [1, 2], "b": [3, 9]],
        ]
        // Seven values each.
        for (countMax, isMerged) in [(21, true), (20, false), (13, false), (6, false), (0, false)] {
            var merger = PropertyListMerger()
            merger.nodeCountMax = countMax
            for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
                let files = try versions.map {
                    Array(
                        try PropertyListSerialization.data(fromPropertyList: $0, format: format, options: 0)
                    )
                }
                let merged = lawfulMerge(merger, files[0], files[1], files[2], "\(countMax)")
                #expect(merged.conflicts.isEmpty == isMerged, "\(countMax)")
            }
        }
    }

    /// A binary list of lists, each of which holds the next one several times.
    private static func bomb(depth: UInt8, _ width: Int) -> [UInt8] {
        var (bytes, offsets) = (BinaryPropertyList.magic, [UInt8]())
        for level in 0..<depth {
            offsets.append(UInt8(bytes.count))
            bytes += [0xA0 | UInt8(width)] + [UInt8](repeating: level + 1, count: width)
        }
        offsets.append(UInt8(bytes.count))
        bytes += [0x10, 1]
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [depth + 1, 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        return bytes
    }

    @Test("An object counts wherever it is referred to")
    func references() {
        var room = 40
        #expect(BinaryPropertyList.json(Self.bomb(depth: 3, 3), &room) != nil)
        #expect(room == 0)
        room = 39
        #expect(BinaryPropertyList.json(Self.bomb(depth: 3, 3), &room) == nil)
        #expect(room < 0)
    }

    @Test("A keyed archive is never taken apart")
    func keyedArchive() throws {
        let archives = try ["a", "b", "c"].map { text in
            Array(
                try NSKeyedArchiver.archivedData(
                    withRootObject: NSString(string: text),
                    requiringSecureCoding: false
                )
            )
        }
        let merged = lawfulMerge(merger, archives[0], archives[1], archives[2])
        #expect(merged.conflicts.count == 1)
        #expect(merged.contents == max(archives[1], archives[2]) { $0.lexicographicallyPrecedes($1) })
    }

    private func max(_ left: [UInt8], _ right: [UInt8], by precedes: ([UInt8], [UInt8]) -> Bool) -> [UInt8] {
        precedes(left, right) ? right : left
    }

    @Test("The laws hold for random lists in both forms, and both forms agree")
    func random() throws {
        for seed in UInt64(1)...60 {
            var numbers = SplitMix64(seed: seed)
            let base = RandomTree.list([RandomTree.make(&numbers, depth: 3)])
            let (mine, theirs) = (base.edited("m", &numbers), base.edited("t", &numbers))
            let xml = lawfulMerge(
                merger,
                Self.list(base.xml),
                Self.list(mine.xml),
                Self.list(theirs.xml),
                "seed \(seed)"
            )
            let value = try Self.value(Array(xml.text.utf8))
            #expect(value != nil, "seed \(seed)")
            let binary = lawfulMerge(
                merger,
                try Self.binary(base.any),
                try Self.binary(mine.any),
                try Self.binary(theirs.any),
                "seed \(seed)"
            )
            // Which side stands differs between the forms.
            if xml.conflicts.isEmpty, binary.conflicts.isEmpty {
                #expect(try Self.value(binary.contents) == value, "seed \(seed)")
            }
        }
    }

    @Test("Damaged binary lists never harm")
    func fuzz() throws {
        let base = try Self.binary(Self.everything)
        for seed in UInt64(1)...300 {
            var numbers = SplitMix64(seed: seed)
            var mine = base
            for _ in 0...numbers.below(3) {
                mine[numbers.below(mine.count)] = UInt8(truncatingIfNeeded: numbers.next())
            }
            let trailer = mine.count - 32
            if numbers.below(4) == 0 {
                mine[trailer + numbers.below(32)] = UInt8(truncatingIfNeeded: numbers.next())
            }
            if let json = BinaryPropertyList.json(mine), let again = BinaryPropertyList.binary(json) {
                #expect(BinaryPropertyList.json(again) == json, "seed \(seed)")
            }
        }
    }
}
