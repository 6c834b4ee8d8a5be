import QRCodes
import Testing

@Suite("QR codes")
struct QRCodeTests {
    /// The patterns in three corners by which a code is found: a ring, a light one, and a square.
    private func isFinder(_ code: QRCode, row: Int, column: Int) -> Bool {
        (0..<7).allSatisfy { down in
            (0..<7).allSatisfy { right in
                let distance = max(abs(down - 3), abs(right - 3))
                return code.isDark(row: row + down, column: column + right) == (distance != 2)
            }
        }
    }

    @Test(
        "It has the patterns by which it is found, is the smallest that holds the text, and differs with it"
    )
    func patterns() throws {
        let code = try QRCode("http://127.0.0.1:7433#pair=7K3M-9QXD-2H8C")
        // Version 3 holds 42 bytes at this level, version 2 only 26.
        #expect(code.side == 29)
        for (row, column) in [(0, 0), (0, 22), (22, 0)] { #expect(isFinder(code, row: row, column: column)) }
        #expect(!isFinder(code, row: 22, column: 22))
        #expect(try QRCode("http://127.0.0.1:7433#pair=7K3M-9QXD-2H8D") != code)
        #expect(try QRCode("http://127.0.0.1:7433#pair=7K3M-9QXD-2H8C") == code)
    }

    @Test("In a terminal it is black on white with a margin, each line two rows")
    func terminal() throws {
        let code = try QRCode("sheaf")
        let lines = code.terminalText.split(separator: "\n")
        #expect(lines.count == (code.columnCount + 1) / 2)
        for line in lines {
            #expect(line.hasPrefix("\u{1B}[38;5;16;48;5;231m") && line.hasSuffix("\u{1B}[0m"))
            #expect(line.dropFirst(19).dropLast(4).count == code.columnCount)
        }
        #expect(code.columnCount == code.side + 8)
        // Four rows of margin, then the upper edge of a finder and what is below it.
        #expect(lines[1].dropFirst(19).dropLast(4).allSatisfy { $0 == " " })
        #expect(lines[2].dropFirst(23).hasPrefix("█▀▀▀▀▀█"))
    }

    @Test("What is too long, and nothing, is refused with what to do")
    func limits() throws {
        #expect(try QRCode(String(repeating: "a", count: 2331)).side == 177)
        let tooLong = #expect(throws: QRCodeError.self) { try QRCode(String(repeating: "a", count: 2332)) }
        #expect(
            tooLong?.description
                == "A QR code of 2332 bytes cannot be made; shorten the text to 2,331 at most."
        )
        #expect(throws: QRCodeError.self) { try QRCode("") }
    }
}
