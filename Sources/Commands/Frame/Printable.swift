// What others have named goes to a terminal only like this: paths, devices' names, what errors say. `--json` has it as it is.

extension String {
    /// The text without anything that a terminal would obey, or that would begin another line.
    package var printable: String {
        // Nearly all is: one byte for each character, none of them obeyed.
        if utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
            )
        )
    }
}

extension Sequence<String> {
    /// Each on a line of its own, without anything that a terminal would obey.
    var printableLines: String { map { $0.printable + "\n" }.joined() }
}
