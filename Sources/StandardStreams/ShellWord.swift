extension String {
    /// The text as one word of a command that a person copies from what we say to a shell: as it is where that is one word, else
    /// in quotes.
    ///
    /// Others have named files and folders: spaces in a name are to make no two of it, and what it has of the shell's signs is to
    /// do nothing.
    package var shellWord: String {
        if !isEmpty, unicodeScalars.allSatisfy(\.isPlainInShells) { return self }
        guard unicodeScalars.contains(where: \.isControl) else {
            return "'" + unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
        }
        return "$'" + unicodeScalars.map(\.escaped).joined() + "'"
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }

    /// Whether it means itself to every shell, at the beginning of a word, too.
    fileprivate var isPlainInShells: Bool {
        properties.isAlphabetic || isASCII && "0123456789/._-+:@%,".unicodeScalars.contains(self)
    }

    /// As it stands in `$'...'`.
    fileprivate var escaped: String {
        guard isControl || self == "'" || self == "\\" else { return String(self) }
        return String(self).utf8.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }
}
