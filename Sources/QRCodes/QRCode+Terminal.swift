extension QRCode {
    /// How many columns of a terminal it takes.
    package var columnCount: Int { side + 2 * Self.margin }
    /// How many modules around it have to be light for it to be found: four.
    private static let margin = 4
    private static let blackOnWhite = "\u{1B}[38;5;16;48;5;231m"
    private static let usualColors = "\u{1B}[0m"

    /// For a terminal: black on white whatever its colors are, two rows of modules a line.
    package var terminalText: String {
        let range = -Self.margin..<side + Self.margin
        return stride(from: range.lowerBound, to: range.upperBound, by: 2)
            .map { row in
                Self.blackOnWhite + String(range.map { block(row: row, column: $0) }) + Self.usualColors
                    + "\n"
            }
            .joined()
    }

    /// The sign for a module and the one below it.
    private func block(row: Int, column: Int) -> Character {
        switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
        case (false, false): " "
        case (true, false): "▀"
        case (false, true): "▄"
        case (true, true): "█"
        }
    }
}
