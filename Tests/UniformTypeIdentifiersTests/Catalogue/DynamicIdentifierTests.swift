import Foundation
import SeededNumbers
import Testing

@testable import UniformTypeIdentifiers

@Suite("DynamicIdentifier")
struct DynamicIdentifierTests {
    @Test("An identifier says again what it was made from")
    func reversible() throws {
        var declaration = TypeDeclaration(identifier: "", origin: .dynamic)
        declaration.supertypes = ["public.text", "com.example.Mixed"]
        declaration.setTags(["märchen", "m2"], class: .filenameExtension)
        declaration.setTags(["text/x-tale"], class: .mimeType)
        declaration.setTags(["a=b"], class: UTTagClass(rawValue: "com.example.tag"))
        let identifier = DynamicIdentifier.identifier(for: declaration)
        let read = try #require(DynamicIdentifier.declaration(of: identifier))
        #expect(read.tags == declaration.tags && read.supertypes == declaration.supertypes)
        #expect(read.identifier == identifier && read.origin == .dynamic)
        #expect(identifier.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") })
    }

    @Test("Random tags come back, and random identifiers are refused or stand for themselves")
    func fuzz() {
        var random = SeededRandom()
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567018-.")
        for _ in 0..<2000 {
            var declaration = TypeDeclaration(identifier: "", origin: .dynamic)
            declaration.setTags([random.text(1...12)], class: .filenameExtension)
            declaration.supertypes = random.bool() ? ["public.data"] : []
            let identifier = DynamicIdentifier.identifier(for: declaration)
            let read = DynamicIdentifier.declaration(of: identifier)
            #expect(read?.tags == declaration.tags && read?.supertypes == declaration.supertypes, "\(random)")
            let junk =
                "dyn." + String((0..<random.number(0...30)).map { _ in alphabet[random.number(0...36)] })
            if let known = DynamicIdentifier.declaration(of: junk) {
                #expect(DynamicIdentifier.identifier(for: known) == junk, "\(random)")
            }
        }
    }
}

/// Random values that can be had again from the seed it prints.
struct SeededRandom: CustomStringConvertible {
    let seed: UInt64
    private var numbers: SplitMix64

    init(seed: UInt64 = UInt64.random(in: 0...UInt64.max)) {
        self.seed = seed
        numbers = SplitMix64(seed: seed)
    }

    var description: String { "seed \(seed)" }

    private mutating func next() -> UInt64 { numbers.next() }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    mutating func bool() -> Bool { next() & 1 == 1 }

    /// Lower-case text with letters from several scripts.
    mutating func text(_ lengths: ClosedRange<Int>) -> String {
        let letters = Array("abcxyz0189-_ äßéжש漢🙂")
        return String((0..<number(lengths)).map { _ in letters[number(0...letters.count - 1)] })
    }

    mutating func bytes(_ lengths: ClosedRange<Int>) -> Data {
        Data((0..<number(lengths)).map { _ in UInt8(truncatingIfNeeded: next()) })
    }
}
