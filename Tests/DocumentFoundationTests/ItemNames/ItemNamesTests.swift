import DocumentFoundation
import Foundation
import SeededNumbers
import Testing

@Suite("ItemNames")
struct ItemNamesTests {
    @Test(
        "A name is parted into stem and extension",
        arguments: [
            ("Report.txt", "Report", "txt"), ("Report", "Report", ""), ("Photos.tar.gz", "Photos", "tar.gz"),
            ("Notes.gz", "Notes", "gz"), ("Version 1.5", "Version 1.5", ""), ("Dr. Who", "Dr. Who", ""),
            (".profile", ".profile", ""), ("Ending.", "Ending.", ""), ("..txt", "..txt", ""),
            ("a.b.c", "a.b", "c"), ("Bild.jpeg", "Bild", "jpeg"), ("tar.gz", "tar", "gz"),
        ]
    )
    func parts(name: String, stem: String, fileExtension: String) {
        let found = ItemNames.split(name)
        #expect(found.stem == stem)
        #expect(found.fileExtension == fileExtension)
    }

    @Test(
        "A taken name gets the next number before its extension",
        arguments: [
            (["A.txt"], "A.txt", "A 2.txt"), (["A.txt", "A 2.txt"], "A.txt", "A 3.txt"),
            (["A 2.txt"], "A 2.txt", "A 3.txt"), (["A 9"], "A 9", "A 10"), (["A 1"], "A 1", "A 1 2"),
            (["A 007"], "A 007", "A 007 2"), (["B.tar.gz"], "B.tar.gz", "B 2.tar.gz"), ([], "A", "A"),
            (["B"], "A", "A"), (["2"], "2", "2 2"),
        ]
    )
    func numbers(taken: [String], wanted: String, expected: String) {
        #expect(ItemNames.free(wanted, among: Set(taken)) == expected)
    }

    @Test("Dots mean nothing in the name of a plain folder")
    func folders() {
        #expect(ItemNames.free("etc.d", hasExtension: false, among: ["etc.d"]) == "etc.d 2")
    }

    @Test("Two spellings of one letter are one name")
    func spellings() {
        #expect(ItemNames.free("Caf\u{E9}.txt", among: ["Cafe\u{301}.txt"]) == "Caf\u{E9} 2.txt")
    }

    @Test("A number never makes a name longer than a volume takes, and never splits a letter")
    func length() {
        let long = String(repeating: "é", count: 125) + ".text"
        let free = ItemNames.free(long, among: [long])
        #expect(free.utf8.count <= 255)
        #expect(free.hasSuffix("é 2.text"))
        let longer = ItemNames.free(String(repeating: "x", count: 400), among: [])
        #expect(longer.utf8.count == 255)
    }

    @Test("Names made free one after another are all different")
    func laws() {
        let seed = UInt64.random(in: 0 ... .max)
        print("ItemNames seed \(seed)")
        var generator = SplitMix64(seed: seed)
        var taken: Set<String> = []
        let letters = ["a", " ", "2", ".", "é", "txt", "9", " 2", "tar.gz"]
        for step in 0..<2000 {
            let wanted = (0..<Int.random(in: 1...4, using: &generator))
                .map { _ in letters.randomElement(using: &generator) ?? "a" }.joined()
            let free = ItemNames.free(wanted, among: taken)
            #expect(taken.insert(free).inserted, "seed \(seed) step \(step): \(wanted) gave \(free) twice")
            let (stem, fileExtension) = ItemNames.split(wanted)
            #expect(stem + (fileExtension.isEmpty ? "" : "." + fileExtension) == wanted)
        }
    }
}

@Suite("ItemNames: renaming")
struct ItemNamesRenamingTests {
    @Test(
        "A name that no item can bear is refused, and the error says how to mend it",
        arguments: [
            ("", ItemNameError.Code.empty), ("  \n", .empty), (".", .reserved), ("..", .reserved),
            ("a/b", .slash), ("a/\u{301}b", .slash), ("a\u{0}b", .controlCharacter),
            ("a\r\nb", .controlCharacter),
            (".hidden", .leadingDot), (String(repeating: "é", count: 128), .tooLong),
        ]
    )
    func refuses(typed: String, code: ItemNameError.Code) {
        let error = #expect(throws: ItemNameError.self) {
            try ItemNames.renamed("Old.txt", to: typed, hasExtension: true, showsExtension: true)
        }
        #expect(error?.code == code)
        #expect(error?.errorDescription?.isEmpty == false)
        #expect(error?.recoverySuggestion?.isEmpty == false)
    }

    @Test(
        "The extension stays unless it is shown",
        arguments: [
            ("Old.txt", "New", true, false, "New.txt"), ("Old.txt", "New.md", true, false, "New.md.txt"),
            ("Old.txt", "New.TXT", true, false, "New.TXT"), ("Old.txt", "New.md", true, true, "New.md"),
            ("Old.txt", "New", true, true, "New"), ("Old", "New", true, false, "New"),
            ("etc.d", "New", false, false, "New"), ("Old.tar.gz", " New ", true, false, "New.tar.gz"),
        ]
    )
    func keeps(current: String, typed: String, hasExtension: Bool, shows: Bool, expected: String) throws {
        let name = try ItemNames.renamed(
            current,
            to: typed,
            hasExtension: hasExtension,
            showsExtension: shows
        )
        #expect(name == expected)
    }

    @Test("A name that is too long only with its extension is refused too")
    func extensionCounts() {
        #expect(throws: ItemNameError.self) {
            try ItemNames.renamed(
                "Old.text",
                to: String(repeating: "x", count: 252),
                hasExtension: true,
                showsExtension: false
            )
        }
    }
}
