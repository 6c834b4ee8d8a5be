internal import FileSystem
internal import Foundation

/// What is the matter with names that are good here on systems that share the folder or will get it in another way: pure.
enum NameTrouble {
    /// What other systems make of a name, in sentences; nil where every system can have it.
    static func text(of name: String) -> String? {
        guard isSuspect(name) else { return nil }
        var sentences: [String] = []
        let forbidden = forbiddenSigns.filter { name.utf8.contains($0) }.map { String(UnicodeScalar($0)) }
        if !forbidden.isEmpty {
            let signs = forbidden.map { "“\($0)”" }.joined(separator: " ")
            let who = forbidden == [":"] ? "Windows and macOS have" : "Windows has"
            sentences.append("\(who) no names with \(signs) in them.")
        }
        if name.utf8.contains(where: { $0 < 0x20 }) {
            sentences.append("Windows has no names with signs in them that nobody can see.")
        }
        if let last = name.last, last == "." || last == " " {
            sentences.append("Windows leaves out the \(last == "." ? "dot" : "space") at the end of a name.")
        }
        if let device = deviceName(name) {
            sentences.append("Windows keeps the name “\(device)” for a device.")
        }
        if name.utf8.count > cipheredByteCountMax {
            sentences.append(
                """
                Folders whose names are encrypted have none of more than \(cipheredByteCountMax) bytes; this has \
                \(name.utf8.count).
                """
            )
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// What eCryptfs has room for, which many storage servers use.
    private static let cipheredByteCountMax = 143

    /// What other systems make of a path; nil where every system can have it.
    ///
    /// - Parameter signCount: How long it is from the container's folder on, in units of UTF-16.
    static func text(ofPathWith signCount: Int) -> String? {
        guard signCount > pathSignCountMax else { return nil }
        return """
            Its path has \(signCount) signs, and many programs on Windows open none with more than \(pathSignCountMax).
            """
    }

    /// Windows's MAX_PATH, without the end.
    private static let pathSignCountMax = 259

    private static let forbiddenSigns = Array(#"<>:"\|?*"#.utf8)

    /// Whether it is worth a closer look: nearly no name is.
    private static func isSuspect(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            guard let first = bytes.first, let last = bytes.last else { return false }
            if bytes.count > cipheredByteCountMax { return true }
            if last == UInt8(ascii: ".") || last == UInt8(ascii: " ") { return true }
            // The first letters of what Windows keeps for devices.
            if "cpanl".utf8.contains(first | 0x20), bytes.count >= 3 { return true }
            return bytes.contains { $0 < 0x20 || $0 < 0x80 && forbiddenSigns.contains($0) }
        }
    }

    private static let deviceNames: Set<String> = Set(
        ["CON", "PRN", "AUX", "NUL"] + ["COM", "LPT"].flatMap { stem in (0...9).map { "\(stem)\($0)" } }
    )

    /// What is before the first dot of such a name, with any extension.
    private static func deviceName(_ name: String) -> String? {
        let stem = name.prefix { $0 != "." }.trimmingCharacters(in: .whitespaces)
        return stem.utf8.count <= 4 && deviceNames.contains(stem.uppercased()) ? stem : nil
    }

    // MARK: Names that are one elsewhere

    /// What two names have in common that macOS and Windows take for one.
    static func folded(_ name: String) -> String {
        name.lowercased().precomposedStringWithCanonicalMapping
    }

    /// A number that such names have in common: `StableHash` of what they are folded to.
    static func foldedHash(_ name: String) -> UInt64 {
        var name = name
        let hash = name.withUTF8 { bytes -> UInt64? in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in bytes {
                guard byte < 0x80 else { return nil }
                let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                hash = (hash ^ UInt64(isCapital ? byte | 0x20 : byte)) &* 0x100_0000_01b3
            }
            return hash
        }
        return hash ?? StableHash.of(folded(name))
    }

    /// That two names in one folder differ in capitals alone, or only look alike.
    static func text(of name: String, beside other: String) -> String {
        // Windows knows no forms of Unicode.
        let areOneOnWindows = name.lowercased().isSameInBytes(other.lowercased())
        let who = areOneOnWindows ? "Windows and macOS take" : "macOS takes"
        return "\(who) it and “\(other)” for one name."
    }
}
