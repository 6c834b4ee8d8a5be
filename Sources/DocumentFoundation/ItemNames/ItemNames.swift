/// How names of items are taken apart, told from one another and made free.
///
/// Pure; asks no disk.
///
/// Names are compared as Swift compares strings: two spellings of one accented letter are one name, and upper
/// and lower case are two.
package enum ItemNames {
    /// The longest name that a Linux volume takes, in bytes of UTF-8.
    package static let nameByteCountMax = 255

    /// The longest extension that is taken for one, in bytes; what is longer after a dot is a part of the
    /// name.
    private static let extensionByteCountMax = 32

    /// Extensions that say how another file was packed; the extension before them belongs to them.
    private static let packingExtensions: Set<String> = ["gz", "bz2", "xz", "zst", "lz", "lz4", "z"]

    /// Parts a name into what a person calls the item and what says its type.
    ///
    /// An extension is what follows the last dot, when that is letters, digits, "-", "_" or "+" and not
    /// digits alone: "Version 1.5" and "Dr. Who" have none. "Photos.tar.gz" has "tar.gz".
    ///
    /// - Returns: The stem, and the extension without its dot, "" when there is none.
    package static func split(_ name: String) -> (stem: String, fileExtension: String) {
        guard let (stem, last) = cut(name) else { return (name, "") }
        guard packingExtensions.contains(last.lowercased()), let (inner, before) = cut(stem),
            before.lowercased() == "tar"
        else { return (stem, last) }
        return (inner, before + "." + last)
    }

    /// A name that nothing bears: the wanted one, or the next with a number after its stem.
    ///
    /// "Report.txt" becomes "Report 2.txt"; "Report 2.txt" becomes "Report 3.txt". A stem too long for its
    /// number is shortened at its end.
    ///
    /// - Parameters:
    ///   - wanted: The name one would like best.
    ///   - hasExtension: False for a plain folder, in whose name dots mean nothing.
    ///   - byteCountMax: How long the name may be, in bytes of UTF-8.
    ///   - isTaken: Whether something bears a name.
    package static func free(
        _ wanted: String,
        hasExtension: Bool = true,
        byteCountMax: Int = nameByteCountMax,
        isTaken: (String) throws -> Bool
    ) rethrows -> String {
        let (stem, fileExtension) = hasExtension ? split(wanted) : (wanted, "")
        let first = name(stem, suffix: "", fileExtension, byteCountMax)
        if try !isTaken(first) { return first }
        var (base, number) = numbered(stem)
        while true {
            number += 1
            let candidate = name(base, suffix: " \(number)", fileExtension, byteCountMax)
            if try !isTaken(candidate) { return candidate }
        }
    }

    /// A name that is not among these; see `free(_:hasExtension:byteCountMax:isTaken:)`.
    package static func free(_ wanted: String, hasExtension: Bool = true, among taken: Set<String>) -> String
    {
        free(wanted, hasExtension: hasExtension) { taken.contains($0) }
    }

    /// Whether an item of this name is kept from people: names that begin with a dot.
    package static func isHidden(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: ".")
    }

    private static func cut(_ name: String) -> (stem: String, fileExtension: String)? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let stem = name[..<dot]
        let rest = name[name.index(after: dot)...]
        guard !rest.isEmpty, rest.utf8.count <= extensionByteCountMax, rest.allSatisfy(isOfExtension),
            !rest.allSatisfy(\.isNumber), stem.contains(where: { $0 != "." })
        else { return nil }
        return (String(stem), String(rest))
    }

    private static func isOfExtension(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "-" || character == "_" || character == "+"
    }

    /// The stem without its number, and the number; 1 when it bears none.
    private static func numbered(_ stem: String) -> (base: String, number: Int) {
        guard let space = stem.lastIndex(of: " "), space != stem.startIndex else { return (stem, 1) }
        let digits = stem[stem.index(after: space)...]
        // Nine digits at most, so that one more is always a number; "007" is a name.
        guard digits.utf8.count <= 9, digits.utf8.first != UInt8(ascii: "0"),
            digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let number = Int(digits), number >= 2
        else { return (stem, 1) }
        return (String(stem[..<space]), number)
    }

    private static func name(
        _ stem: String,
        suffix: String,
        _ fileExtension: String,
        _ byteCountMax: Int
    ) -> String {
        let ending = suffix + (fileExtension.isEmpty ? "" : "." + fileExtension)
        var stem = Substring(stem)
        while stem.utf8.count + ending.utf8.count > byteCountMax, stem.count > 1 { stem.removeLast() }
        return stem + ending
    }
}
