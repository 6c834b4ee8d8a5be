/// The types that the system declares: identifiers, what they conform to, their extensions and MIME types.
///
/// The tables hold one type a line, in four fields that a space separates: identifier, identifiers it
/// conforms to, extensions, MIME types; each list is separated by commas, the preferred tag first, `-` if it
/// is empty. Among types with the same tag the one that stands first is preferred.
///
/// Source: facts of the type declarations of macOS as of 2024, compared with the conformances that the
/// comments of Apple's `UTCoreTypes.h` state; where the comments state more (`public.executable` is an item,
/// `public.mpeg-4-audio` is MPEG-4), both hold. Not in that system and added from the header:
/// `public.jpeg-xl`, `public.geojson`, `com.adobe.raw-image`, `com.apple.linkpresentation.metadata`; their
/// tags are those that IANA and the formats' makers registered.
enum SystemTypes {
    /// Every type of the tables.
    ///
    /// Takes a few milliseconds.
    static func declarations() -> [TypeDeclaration] {
        let descriptions = Dictionary(uniqueKeysWithValues: lines(of: descriptions).map(describedIdentifier))
        return [publicTable, appleTable, othersTable].flatMap { lines(of: $0) }.map { line in
            var declaration = declaration(from: line)
            declaration.typeDescription = descriptions[declaration.identifier]
            return declaration
        }
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>.SubSequence

    /// The lines of a table.
    ///
    /// Its bytes live as long as the program.
    private static func lines(of table: StaticString) -> [Bytes] {
        UnsafeBufferPointer(start: table.utf8Start, count: table.utf8CodeUnitCount)
            .split(separator: UInt8(ascii: "\n"))
    }

    private static func declaration(from line: Bytes) -> TypeDeclaration {
        let fields = line.split(separator: UInt8(ascii: " "))
        precondition(
            fields.count == 4,
            "a line of the system's types has \(fields.count) fields instead of 4"
        )
        var declaration = TypeDeclaration(identifier: text(fields[0]), origin: .system)
        declaration.supertypes = list(fields[1])
        declaration.setTags(list(fields[2]), class: .filenameExtension)
        declaration.setTags(list(fields[3]), class: .mimeType)
        return declaration
    }

    private static func describedIdentifier(_ line: Bytes) -> (String, String) {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
        precondition(fields.count == 2, "a line of the system's descriptions has no description")
        return (text(fields[0]), text(fields[1]))
    }

    private static func list(_ field: Bytes) -> [String] {
        if field.count == 1, field.first == UInt8(ascii: "-") { return [] }
        return field.split(separator: UInt8(ascii: ",")).map(text)
    }

    private static func text(_ bytes: Bytes) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
