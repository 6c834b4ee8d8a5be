/// Identifiers of types that nobody declares, made from a tag and telling it again.
///
/// A dynamic identifier is `dyn.` and the base-32 form, in the letters `a` to `z` and the digits `2` to `7`
/// and without padding, of the UTF-8 text of its fields, one a line:
///
/// - `e` and an extension in lower case,
/// - `m` and a MIME type in lower case,
/// - `t`, another tag class, `=`, and a tag,
/// - `s` and the identifier of a type it conforms to directly.
///
/// Fields of one kind stand in order of preference, the kinds in the order above. Equal facts therefore give
/// equal identifiers, on every machine, and nothing has to be stored to know what an identifier means.
///
/// Differs from Darwin: there the encoding is another one, undocumented, so identifiers do not travel between
/// the two. Neither side should store them.
enum DynamicIdentifier {
    static let prefix = "dyn."

    /// Whether an identifier looks like one of these; it may still say nothing.
    static func isDynamic(_ identifier: String) -> Bool {
        identifier.prefix(prefix.count).lowercased() == prefix
    }

    /// The identifier that says what the tags and supertypes of a declaration are.
    static func identifier(for declaration: TypeDeclaration) -> String {
        var fields: [String] = []
        fields += (declaration.tags[.filenameExtension] ?? []).map { "e" + $0.lowercased() }
        fields += (declaration.tags[.mimeType] ?? []).map { "m" + $0.lowercased() }
        let otherClasses = declaration.tags.keys.filter { $0 != .filenameExtension && $0 != .mimeType }
        for tagClass in otherClasses.sorted(by: { $0.rawValue < $1.rawValue }) {
            fields += (declaration.tags[tagClass] ?? []).map { "t\(tagClass.rawValue)=\($0)" }
        }
        fields += declaration.supertypes.map { "s" + $0 }
        return prefix + encode(Array(fields.joined(separator: "\n").utf8))
    }

    /// What a dynamic identifier says; nil for other identifiers and for those that this scheme does not
    /// make.
    static func declaration(of identifier: String) -> TypeDeclaration? {
        guard isDynamic(identifier), let bytes = decode(identifier.dropFirst(prefix.count).lowercased()),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        var declaration = TypeDeclaration(identifier: identifier.lowercased(), origin: .dynamic)
        var tags: [UTTagClass: [String]] = [:]
        for field in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let value = String(field.dropFirst())
            switch field.first {
            case "e": tags[.filenameExtension, default: []].append(value)
            case "m": tags[.mimeType, default: []].append(value)
            case "s": declaration.supertypes.append(value)
            case "t":
                let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { return nil }
                tags[UTTagClass(rawValue: String(parts[0])), default: []].append(String(parts[1]))
            default: return nil
            }
        }
        for (tagClass, values) in tags { declaration.setTags(values, class: tagClass) }
        // Only one spelling of the same facts is an identifier, so that equal types have equal identifiers.
        return self.identifier(for: declaration) == declaration.identifier ? declaration : nil
    }

    // MARK: Base 32

    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    private static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                output.append(digits[Int(bits >> bitCount & 31)])
            }
            bits &= 1 << bitCount - 1
        }
        if bitCount > 0 { output.append(digits[Int(bits << (5 - bitCount) & 31)]) }
        return String(decoding: output, as: UTF8.self)
    }

    private static func decode(_ text: String) -> [UInt8]? {
        var output: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for character in text.utf8 {
            let value: UInt8
            switch character {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = character - UInt8(ascii: "2") + 26
            default: return nil
            }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                output.append(UInt8(bits >> bitCount))
                bits &= 1 << bitCount - 1
            }
        }
        return output
    }
}
