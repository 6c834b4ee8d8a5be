import DeviceSync
import DocumentTesting
import Foundation
import Glibc
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Names that are good here and not everywhere, and what is left alone.
@Suite("Names", .onOwnThreads, .timeLimit(.minutes(2)))
struct NamesTests {
    @Test(
        "What other systems cannot have is said",
        arguments: [
            ("con", "device"), ("Aux.txt", "device"), ("lpt1.tar.gz", "device"), ("COM9", "device"),
            ("a:b", "macOS"), ("q?", "“?”"), ("<a>", "“<” “>”"), (#"a\b"#, "\\"), ("a|b*", "“|” “*”"),
            ("trailing.", "dot"), ("trailing ", "space"), ("bell\u{7}", "see"), ("say \"hi\"", "“\"”"),
        ]
    )
    func trouble(name: String, word: String) throws {
        #expect(try #require(NameTrouble.text(of: name)).contains(word))
    }

    @Test(
        "What every system can have is not",
        arguments: [
            "a.txt", "console.txt", "common", "aux2", "com", "com10", "nullable.c", ".profile", "café 🦊",
            "a b", "lpt",
            "p", "a.b.c", "ñandú",
        ]
    )
    func noTrouble(name: String) { #expect(NameTrouble.text(of: name) == nil) }

    @Test("Names that differ in capitals alone have one number, others hardly ever")
    func folded() {
        #expect(NameTrouble.foldedHash("Read Me.TXT") == NameTrouble.foldedHash("read me.txt"))
        #expect(NameTrouble.foldedHash("CAFÉ") == NameTrouble.foldedHash("cafe\u{301}"))
        #expect(NameTrouble.foldedHash("a") != NameTrouble.foldedHash("b"))
    }

    @Test("Of two names that only look alike who takes them for one is said")
    func looks() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(NameTrouble.foldedHash(composed) == NameTrouble.foldedHash(decomposed))
        #expect(NameTrouble.text(of: composed, beside: decomposed).hasPrefix("macOS takes"))
        #expect(NameTrouble.text(of: "Caf\u{E9}", beside: decomposed).hasPrefix("macOS takes"))
        #expect(NameTrouble.text(of: "Caf\u{E9}", beside: composed).hasPrefix("Windows and macOS take"))
    }

    @Test("Two names that only look alike are sent as they are and noted, each of them")
    func lookAlike() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("composed", to: "caf\u{E9}.txt")
        try one.write("decomposed", to: "cafe\u{301}.txt")
        pair.wait { two.filesByBytes.count == 2 && two.filesByBytes == one.filesByBytes && pair.isSettled }
        for device in [one, two] {
            #expect(device.status?.noteCount == 2)
            for name in ["caf\u{E9}.txt", "cafe\u{301}.txt"] {
                // For a moment it has just changed.
                pair.wait { device.explanation(name)?.isSettled == true }
                let explanation = try #require(device.explanation(name))
                #expect(explanation.isSettled && explanation.notes.first?.contains("macOS takes") == true)
                #expect(explanation.path.utf8.elementsEqual(name.utf8))
            }
        }
        pair.end()
    }

    private func notes(of device: TestDevice) -> [String: Bool] {
        Dictionary(
            uniqueKeysWithValues: (device.status?.notes ?? []).map { ($0.path, $0.isLeftOut) }
        )
    }

    @Test("Names that are none elsewhere are noted and sent all the same; of two that are one there, both")
    func elsewhere() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        let names = ["con", "a:b", "folder/trailing.", "Letter.txt", "letter.txt"]
        for name in names + ["good.txt", "folder/Letter.txt"] { try one.write("text", to: name) }
        pair.wait { two.contents == one.contents && pair.isSettled }
        let expected = Dictionary(uniqueKeysWithValues: names.map { ($0, false) })
        for device in [one, two] {
            #expect(notes(of: device) == expected && device.status?.noteCount == names.count)
        }
        // For a moment it has just changed.
        pair.wait { two.explanation("Letter.txt")?.isSettled == true }
        let explanation = try #require(two.explanation("Letter.txt"))
        #expect(explanation.isSettled && explanation.notes.first?.contains("“letter.txt”") == true)
        #expect(try #require(two.explanation("good.txt")).notes.isEmpty)
        #expect(try #require(two.explanation("a:b")).notes.first?.contains("macOS") == true)
        try FileManager.default.removeItem(atPath: one.path("letter.txt"))
        pair.wait { two.contents == one.contents && pair.isSettled }
        #expect(notes(of: two)["Letter.txt"] == nil && two.status?.noteCount == names.count - 2)
        pair.end()
    }

    @Test("A name that is not UTF-8 keeps nothing else from its folder, nor the folder from being begun with")
    func leftAloneAtTheTop() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        let bad = (Array(one.path("caf").utf8) + [0xe9, 0]).map { CChar(bitPattern: $0) }
        one.stop()
        let file = open(bad, O_CREAT | O_WRONLY, 0o644)
        #expect(file >= 0 && close(file) == 0)
        try one.write("text", to: "a.txt")
        for text in ["text", "again"] {
            try one.start()
            try one.write(text, to: "a.txt")
            pair.wait { two.text("a.txt") == text && pair.isSettled }
            #expect(notes(of: one) == ["caf\u{fffd}": true])
            one.stop()
        }
        pair.end()
    }

    @Test("A name in a package that is not UTF-8 is named, with what helps; renamed, the package goes on")
    func inAPackage() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("text", to: "a.rtfd/TXT.rtf")
        pair.wait { two.text("a.rtfd/TXT.rtf") == "text" && pair.isSettled }
        let bad = (Array(one.path("a.rtfd/caf").utf8) + [0xe9, 0]).map { CChar(bitPattern: $0) }
        let file = open(bad, O_CREAT | O_WRONLY, 0o644)
        #expect(file >= 0 && close(file) == 0)
        pair.wait { one.explanation("a.rtfd")?.causes.contains { $0.contains("a.rtfd/caf\u{fffd}") } == true }
        let explanation = try #require(one.explanation("a.rtfd"))
        #expect(
            !explanation.isSettled && explanation.next.contains("rename it"),
            "\(explanation)"
        )
        #expect(rename(bad, one.path("a.rtfd/café")) == 0)
        pair.wait { two.contents["a.rtfd/café"] != nil && pair.isSettled }
        #expect(two.contents == one.contents)
        pair.end()
    }

    @Test(
        "A link to a name that is not UTF-8 is explained, and no device gets another; led elsewhere, it goes",
        arguments: ["link", "a.rtfd/link"]
    )
    func linkToNoName(name: String) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        func link() -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: two.path(name))
        }
        try one.write("text", to: "a.rtfd/TXT.rtf")
        pair.wait { two.text("a.rtfd/TXT.rtf") == "text" && pair.isSettled }
        let bad = (Array("caf".utf8) + [0xe9, 0]).map { CChar(bitPattern: $0) }
        #expect(symlink(bad, one.path(name)) == 0)
        let item = String(name.prefix { $0 != "/" })
        pair.wait { one.explanation(item)?.causes.contains { $0.contains("/\(name): ") } == true }
        let explanation = try #require(one.explanation(item))
        #expect(
            !explanation.isSettled && explanation.next.contains("have it lead elsewhere"),
            "\(explanation)"
        )
        // What comes after it comes without it.
        try one.write("beside", to: "b.txt")
        pair.wait { two.text("b.txt") == "beside" }
        #expect(link() == nil)
        #expect(unlink(one.path(name)) == 0 && symlink("café", one.path(name)) == 0)
        pair.wait { link() == "café" && pair.isSettled }
        pair.end()
    }

    @Test("What is left alone is listed with the reason, explained, and forgotten when it has gone")
    func leftAlone() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        let bad = (Array(one.path("folder/caf").utf8) + [0xe9, 0]).map { CChar(bitPattern: $0) }
        try one.write("text", to: "folder/a.txt")
        let file = open(bad, O_CREAT | O_WRONLY, 0o644)
        #expect(file >= 0 && close(file) == 0)
        try one.write("mine", to: ".sheaf-notes.txt")
        #expect(mkfifo(one.path("pipe"), 0o600) == 0)
        // A save's own is nobody's business.
        try one.write("staged", to: ".sheaf-0123456789abcdef-a.txt")
        let expected = ["folder/caf\u{fffd}": true, ".sheaf-notes.txt": true, "pipe": true]
        pair.wait { notes(of: one) == expected && two.text("folder/a.txt") == "text" && pair.isSettled }
        #expect(notes(of: one) == expected && notes(of: two).isEmpty)
        let said = one.said.compactMap { if case .leftAlone(let path, _) = $0 { path } else { nil } }
        #expect(said.sorted() == expected.keys.sorted())
        for (name, word) in [
            ("folder/caf\u{fffd}", "UTF-8"), (".sheaf-notes.txt", "saves"), ("pipe", "pipe"),
        ] {
            let explanation = try #require(one.explanation(name))
            #expect(
                !explanation.isSettled && explanation.causes.first?.contains(word) == true,
                "\(explanation)"
            )
        }
        // Told once, whatever else happens in the folder.
        try one.write("more", to: "b.txt")
        pair.wait { two.text("b.txt") == "more" && pair.isSettled }
        #expect(one.said.filter { if case .leftAlone = $0 { true } else { false } }.count == 3)
        #expect(rename(one.path(".sheaf-notes.txt"), one.path("notes.txt")) == 0)
        #expect(unlink(one.path("pipe")) == 0)
        pair.wait { two.text("notes.txt") == "mine" && notes(of: one) == ["folder/caf\u{fffd}": true] }
        #expect(notes(of: one) == ["folder/caf\u{fffd}": true])
        try FileManager.default.removeItem(atPath: one.path("folder"))
        pair.wait { notes(of: one).isEmpty && two.text("folder/a.txt") == nil }
        pair.end()
    }
}
