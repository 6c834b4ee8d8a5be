import Foundation
import Testing

@testable import DocumentFoundation

/// What formats say of a thing with values by key.
@Suite("Predicate formats")
struct PredicateFormatTests {
    /// What every row of the tables is asked about.
    private static var thing: [String: Any] {
        [
            "name": "Sommer Élan.txt", "size": 1200, "ratio": 0.5, "isNew": true,
            "day": Date(timeIntervalSince1970: 1000),
            "tree": ["public.text", "public.data"], "empty": "", "percent": "50% off", "quote": "say \"hi\"",
            "in": "a key named in", "inner": ["deep": ["er": 7]], "place": URL(fileURLWithPath: "/tmp/a"),
            "bytes": Data([1, 2]), "star": "a*b",
            "pages": [["title": "one", "inner": ["mark": 2]], ["title": "two"]] as [[String: Any]],
        ]
    }

    private typealias Row = (format: String, arguments: [Any?], holds: Bool)

    private static var comparisons: [Row] {
        [
            ("name == 'Sommer Élan.txt'", [], true), ("name = \"Sommer\"", [], false),
            ("name != 'Sommer'", [], true), ("name <> 'Sommer'", [], true), ("size == 1200", [], true),
            ("size == 1200.0", [], true), ("size > 1199", [], true), ("size >= 1200", [], true),
            ("size => 1201", [], false), ("size < 1200", [], false), ("size <= 1200", [], true),
            ("size =< 0x4B0", [], true), ("size == 0o2260", [], true), ("size == 0B10010110000", [], true),
            ("size > -0b1", [], true), ("1200 == size", [], true), ("ratio == 5e-1", [], true),
            ("ratio < .75", [], true), ("ratio > -1", [], true), ("size == '1200'", [], false),
            ("isNew == YES", [], true), ("isNew == TRUE", [], true), ("isNew == false", [], false),
            ("isNew == 1", [], true), ("missing == NULL", [], true), ("missing == nil", [], true),
            ("name == nil", [], false), ("missing != 'x'", [], true), ("missing < 1", [], false),
            ("name ==[c] 'SOMMER élan.TXT'", [], true), ("name ==[cd] 'sommer elan.txt'", [], true),
            ("name ==[d] 'Sommer Elan.txt'", [], true), ("name ==[d] 'sommer Elan.txt'", [], false),
            ("name > 'Rommer'", [], true), ("inner.deep.er == 7", [], true),
            ("inner.deep.other == NULL", [], true),
            ("SELF.size == 1200", [], true), ("#in BEGINSWITH 'a key'", [], true), ("empty == ''", [], true),
            ("size BETWEEN {1000, 1200}", [], true), ("size BETWEEN {1, 2}", [], false),
            ("size between { ratio, 2000 }", [], true),
            ("day BETWEEN %@", [[Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2000)]], true),
            ("day < %@", [Date(timeIntervalSince1970: 1001)], true),
            ("place == %@", [URL(fileURLWithPath: "/tmp/a", isDirectory: true)], true),
            ("bytes == %@", [Data([1, 2])], true),
        ]
    }

    private static var texts: [Row] {
        [
            ("name BEGINSWITH 'Som'", [], true), ("name beginswith 'som'", [], false),
            ("name BEGINSWITH[c] 'som'", [], true), ("name ENDSWITH '.txt'", [], true),
            ("name ENDSWITH[cd] 'ELAN.TXT'", [], true), ("name CONTAINS 'mer É'", [], true),
            ("name CONTAINS 'elan'", [], false), ("name CONTAINS[cd] 'elan'", [], true),
            ("name CONTAINS ''", [], true), ("name LIKE '*'", [], true), ("name like '*.txt'", [], true),
            ("name LIKE '*.TXT'", [], false), ("name LIKE[c] '*.TXT'", [], true),
            ("name LIKE 'Sommer*'", [], true),
            ("name LIKE '*mer*'", [], true), ("name LIKE 'S?mmer ????.t?t'", [], true),
            ("name LIKE '?'", [], false), ("name LIKE 'S*r*n*x?'", [], true),
            ("name LIKE 'S*r*n*y?'", [], false),
            ("star LIKE 'a\\\\*b'", [], true), ("name LIKE 'a\\\\*'", [], false),
            ("empty LIKE '*'", [], true),
            ("empty LIKE ''", [], true), ("empty LIKE '?'", [], false), ("name LIKE ''", [], false),
            ("missing LIKE '*'", [], false), ("size LIKE '*'", [], false),
            ("name MATCHES 'Sommer .+\\\\.txt'", [], true), ("name MATCHES 'Sommer'", [], false),
            ("name MATCHES[c] 'sommer.*'", [], true), ("name MATCHES[cd] 'sommer elan\\\\.txt'", [], true),
            ("name MATCHES[d] 'Sommer Élan.*'", [], true), ("name MATCHES[d] 'Sömmer [É]lan.*'", [], true),
            ("name MATCHES[d] 'sömmer .*'", [], false),
            ("name MATCHES[cd] 'SÖMMER ÉLÀN\\\\.txt'", [], true),
            ("name MATCHES 'Sommer Elan.*'", [], false), ("name MATCHES 'Sömmer .*'", [], false),
            ("name MATCHES[d] %@", ["Sömmer Elan.+"], true),
            ("name MATCHES 'Som|Sommer.*'", [], true), ("percent == '50% off'", [], true),
            ("percent == '50%% off'", [], true), ("quote == 'say \"hi\"'", [], true),
            ("quote == \"say \\\"hi\\\"\"", [], true), ("name == 'a\\nb'", [], false),
        ]
    }

    private static var lists: [Row] {
        [
            ("size IN {1, 1200}", [], true), ("size IN %@", [[1, 2]], false),
            ("name IN {'a', 'b'}", [], false),
            ("name IN[cd] {'sommer elan.txt'}", [], true), ("size IN %@", [Set([1200, 3])], true),
            ("'mer' IN name", [], true), ("tree CONTAINS 'public.text'", [], true),
            ("tree CONTAINS[c] 'PUBLIC.DATA'", [], true), ("'public.data' IN tree", [], true),
            ("ANY tree == 'public.data'", [], true), ("SOME tree BEGINSWITH 'x'", [], false),
            ("ALL tree BEGINSWITH 'public.'", [], true), ("NONE tree == 'public.data'", [], false),
            ("tree == 'public.text'", [], false), ("tree == %@", [["public.text", "public.data"]], true),
            ("size IN {}", [], false), ("ANY pages.title == 'two'", [], true),
            ("ALL pages.title == 'two'", [], false), ("NONE pages.title == 'two'", [], false),
            ("pages.title == %@", [["one", "two"]], true), ("ANY pages.inner.mark > 1", [], true),
            ("ANY pages.title.length == 3", [], true), ("'one' IN pages.title", [], true),
        ]
    }

    private static var connected: [Row] {
        [
            ("TRUEPREDICATE", [], true), ("falsepredicate", [], false), ("NOT FALSEPREDICATE", [], true),
            ("!(size == 1)", [], true), ("size == 1 OR size == 1200", [], true),
            ("size == 1 || size == 2", [], false),
            ("size == 1200 AND ratio == 0.5 && isNew == NO", [], false),
            ("size == 1 AND size == 2 OR size == 1200", [], true),
            ("size == 1200 OR size == 1 AND size == 2", [], true),
            ("(size == 1200 OR size == 1) AND size == 2", [], false),
            ("NOT size == 1 AND NOT (size == 2)", [], true),
            ("((size)) == (1200)", [], true), ("(((size == 1200)))", [], true),
            ("NOT NOT size == 1200", [], true),
        ]
    }

    private static var arguments: [Row] {
        [
            ("%K == %@", ["name", "Sommer Élan.txt"], true), ("%K LIKE '*'", ["name"], true),
            ("%K == %d", ["size", 1200], true), ("%K == %ld", ["size", 1200], true),
            ("%K == %llu", ["size", 1200], true),
            ("%K == %f", ["ratio", 0.5], true), ("size > %f", [1199], true),
            ("size == %@", [NSNumber(value: 1200)], true),
            ("name == %@", [NSString(string: "Sommer Élan.txt")], true),
            ("name CONTAINS[cd] %@", ["ELAN"], true),
            ("missing == %@", [nil], true), ("missing == %@", [NSNull()], true), ("name != '%@'", [], true),
            ("inner.%K == 7", ["deep.er"], true), ("inner.%K.%K == 7", ["deep", "er"], true),
            ("%K.deep.%K == 7", ["inner", "er"], true),
            ("%K == 7", ["inner.deep.er"], true), ("isNew == %@", [true], true),
            ("'S' == %c", [83], true), ("%K == %i", ["in", 3], false),
            ("size IN %@", [NSArray(array: [1200])], true),
        ]
    }

    /// Paths of keys that go on in a value.
    private static var paths: [Row] {
        [
            ("%K.pathExtension == %@", ["name", "txt"], true),
            ("name.pathExtension IN {'md', 'txt'}", [], true),
            ("NOT %K.pathExtension = ''", ["name"], true), ("%K.pathExtension LIKE '*'", ["name"], true),
            ("name.pathExtension.length == 3", [], true), ("empty.pathExtension == ''", [], true),
            ("missing.pathExtension == NULL", [], true), ("missing.pathExtension == 'txt'", [], false),
            ("name.stringByDeletingPathExtension == 'Sommer Élan'", [], true),
            ("name.lowercaseString BEGINSWITH 'sommer'", [], true),
            ("name.uppercaseString ENDSWITH 'TXT'", [], true), ("name.self == name", [], true),
            ("ANY tree.length == 11", [], true), ("ALL tree.length > 11", [], false),
            ("'abc' == SELF.empty", [], false), ("SELF.%K == 1200", ["size"], true),
        ]
    }

    /// `[n]` takes back what `[c]` and `[d]` say, and `[l]` changes nothing.
    private static var options: [Row] {
        [
            ("name CONTAINS[cdl] 'ELAN'", [], true), ("name CONTAINS[l] 'ELAN'", [], false),
            ("name BEGINSWITH[n] 'Som'", [], true), ("name BEGINSWITH[n] 'som'", [], false),
            ("name BEGINSWITH[cn] 'som'", [], false), ("name MATCHES[cn] 'sommer.*'", [], false),
            ("name MATCHES[dn] 'Sommer Elan.*'", [], false), ("name MATCHES[cdl] 'sommer elan.*'", [], true),
        ]
    }

    @Test("A format holds of a thing exactly when it says so, and is read the same after being written")
    func table() throws {
        let rows =
            Self.comparisons + Self.texts + Self.lists + Self.connected + Self.arguments
            + Self.paths + Self.options
        #expect(rows.count >= 120)
        for row in rows {
            let formula = try PredicateParser.formula(row.format, row.arguments)
            let subject = try #require(AskedObject(Self.thing))
            #expect(PredicateTest(formula).matches(subject) == row.holds, "\(row.format) \(row.arguments)")
            let predicate = NSPredicate(
                format: row.format,
                argumentArray: row.arguments.map { $0 ?? NSNull() }
            )
            #expect(predicate.evaluate(with: Self.thing) == row.holds, "\(row.format)")
            let isPlain = !row.arguments.contains { $0 is Date || $0 is [Date] || $0 is URL || $0 is Data }
            if isPlain {
                #expect(try PredicateParser.formula(formula.format) == formula, "\(formula.format)")
            }
        }
    }

    @Test("A format that cannot be read says what is wrong, and where")
    func errors() {
        typealias Case = (format: String, arguments: [Any?], code: PredicateFormatError.Code, position: Int)
        let cases: [Case] = [
            ("", [], .unexpected, 0), ("name", [], .unexpected, 4), ("name ==", [], .unexpected, 7),
            ("== 1", [], .unexpected, 0), ("name == 'x", [], .unreadable, 8),
            ("name == \"x\\\"", [], .unreadable, 8),
            ("a == 1 b", [], .unexpected, 7), ("a == 1 AND", [], .unexpected, 10),
            ("(a == 1", [], .unexpected, 7),
            ("a == 1)", [], .unexpected, 6), ("a LIKE[x] 'b'", [], .unexpected, 7),
            ("a LIKE[c 'b'", [], .unexpected, 9),
            ("a ISLIKE 'b'", [], .unexpected, 2), ("a IN {1, 2", [], .unexpected, 10),
            ("a IN {1 2}", [], .unexpected, 8),
            ("a BETWEEN {1}", [], .argumentUnfit, 10), ("a BETWEEN 1", [], .argumentUnfit, 10),
            ("a BETWEEN[c] {1, 2}", [], .unexpected, 9), ("a MATCHES '('", [], .argumentUnfit, 10),
            ("a LIKE 5", [], .argumentUnfit, 7), ("a == %@", [], .argumentMissing, 5),
            ("%K == %d", ["a"], .argumentMissing, 6), ("%K == 1", [5], .argumentUnfit, 0),
            ("a == %d", ["5"], .argumentUnfit, 5), ("a == %d", [0.5], .argumentUnfit, 5),
            ("a == %@", [PredicateFormatTests.self], .argumentUnfit, 5), ("a == %y", [1], .unreadable, 5),
            ("a == %", [], .unreadable, 5), ("a.%@ == 1", ["b"], .unreadable, 2),
            ("a.%d == 1", [1], .unreadable, 2), ("%K.%K == 1", ["a"], .argumentMissing, 3),
            ("%K. == 1", ["a"], .unreadable, 2), ("a == 1x", [], .unreadable, 5),
            ("a == 0xZZ", [], .unreadable, 5),
            ("a == 1.2.3", [], .unreadable, 5), ("a ~ 1", [], .unreadable, 2), ("# == 1", [], .unreadable, 1),
            ("a == $b", [], .unsupported, 5), ("a == @count", [], .unsupported, 5),
            ("a + 1 == 2", [], .unsupported, 2),
            ("a == 0o8", [], .unreadable, 5), ("a == 0b12", [], .unreadable, 5),
            ("SUBQUERY(a, $b, $b == 1).@count > 0", [], .unsupported, 0),
            ("a == 1 AND cast (b, 'NSDate') > 1", [], .unsupported, 11), ("cast", [], .unexpected, 4),
            ("a[FIRST] == 1", [], .unsupported, 1), ("a UTI-CONFORMS-TO 'b'", [], .unsupported, 2),
            ("now() == 1", [], .unsupported, 3), ("a. == 1", [], .unexpected, 0),
            ("a..b == 1", [], .unexpected, 0),
            ("LIKE == 1", [], .unexpected, 0), ("NOT", [], .unexpected, 3),
            (String(repeating: "(", count: 200), [], .tooDeep, 128),
            (String(repeating: "NOT ", count: 200), [], .tooDeep, 516),
        ]
        for row in cases {
            let error = #expect(throws: PredicateFormatError.self, "\(row.format)") {
                try PredicateParser.formula(row.format, row.arguments)
            }
            #expect(error?.code == row.code, "\(row.format): \(String(describing: error))")
            #expect(error?.position == row.position, "\(row.format): \(String(describing: error))")
        }
    }

    @Test("Metadata queries ask any member of a list")
    func anyMember() throws {
        let subject = try #require(AskedObject(Self.thing))
        func holds(_ format: String) throws -> Bool {
            PredicateTest(try PredicateParser.formula(format), lists: .byAnyMember).matches(subject)
        }
        #expect(try holds("tree == 'public.data'"))
        #expect(try holds("tree LIKE 'public.t*'"))
        #expect(try holds("tree IN {'public.data', 'x'}"))
        #expect(try holds("tree CONTAINS 'public.data'"))
        #expect(try !holds("tree != 'public.data'"))
        #expect(try holds("tree != 'public.image'"))
    }

    @Test("What a format makes is Foundation's predicate: compounds, filters and copies take it")
    func predicates() throws {
        let small = NSPredicate(format: "size < %d", 10)
        let named = NSPredicate(format: "%K BEGINSWITH %@", "name", "a")
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [small, named])
        #expect(both.evaluate(with: ["size": 1, "name": "ab"]))
        #expect(!both.evaluate(with: ["size": 1, "name": "b"]))
        #expect(PredicateFormula(both)?.format == "size < 10 AND name BEGINSWITH \"a\"")
        #expect(
            PredicateFormula(NSCompoundPredicate(notPredicateWithSubpredicate: small))?.format
                == "NOT (size < 10)"
        )
        #expect(PredicateFormula(NSPredicate(value: true)) == .constant(true))
        #expect(PredicateFormula(NSPredicate(block: { _, _ in true })) == nil)
        #expect(small.copy() as? NSPredicate == NSPredicate(format: "size<10"))
        let texts = NSArray(array: ["ab", "cd"])
        #expect(texts.filtered(using: NSPredicate(format: "SELF BEGINSWITH 'c'")) as? [String] == ["cd"])
        #expect(NSPredicate(format: "SELF > 3").evaluate(with: 4))
        let names = NSArray(array: ["a.txt", "b.md", "c", ".hidden", "d.tar.gz", "/e.d/f"])
        func filtered(_ format: String) -> [String]? {
            names.filtered(using: NSPredicate(format: format)) as? [String]
        }
        #expect(filtered("pathExtension == ''") == ["c", ".hidden", "/e.d/f"])
        #expect(filtered("SELF.pathExtension IN {'md', 'gz'}") == ["b.md", "d.tar.gz"])
        #expect(filtered("stringByDeletingPathExtension == '/e.d/f' OR length == 4") == ["b.md", "/e.d/f"])
        #expect(filtered("lastPathComponent == 'f'") == ["/e.d/f"])
        let url = URL(fileURLWithPath: "/a/b.txt")
        #expect(NSPredicate(format: "pathExtension == 'txt' AND scheme == 'file'").evaluate(with: url))
        #expect(NSPredicate(format: "URLByDeletingLastPathComponent.path == '/a'").evaluate(with: url))
        #expect(
            NSPredicate(format: "timeIntervalSince1970 == 5").evaluate(with: Date(timeIntervalSince1970: 5))
        )
        #expect(NSPredicate(format: "a == 1").evaluate(with: NSDictionary(dictionary: ["a": 1])))
    }
}

/// Where Foundation has an exception, we trap.
@Suite("NSPredicate, misused")
struct PredicateTrapTests {
    @Test("A format that cannot be read traps")
    func format() async {
        await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "name ==") }
    }

    @Test("An argument that cannot be compared traps")
    func argument() async {
        await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "name == %@", NSObject()) }
    }

    @Test("A key of something that has no keys traps")
    func key() async {
        await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "name == 'a'").evaluate(with: 5) }
        await #expect(processExitsWith: .failure) {
            _ = NSPredicate(format: "name == 'a'").evaluate(with: "b")
        }
        await #expect(processExitsWith: .failure) {
            _ = NSPredicate(format: "a == 1").evaluate(with: NSObject())
        }
    }
}
