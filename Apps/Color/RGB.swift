import Foundation

/// A color as a `.color` file has it: three numbers from 0 to 255.
struct RGB: Equatable {
    var red: Int
    var green: Int
    var blue: Int

    /// What a new document starts with.
    static let seaGreen = RGB(red: 46, green: 139, blue: 118)

    init(red: Int, green: Int, blue: Int) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Reads `r,g,b`; blanks around the numbers and a line break at the end do no harm.
    init(text: String) throws {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        guard parts.count == 3, numbers.count == 3, numbers.allSatisfy((0...255).contains) else {
            throw ColorTextError(text: text)
        }
        self.init(red: numbers[0], green: numbers[1], blue: numbers[2])
    }

    var text: String { "\(red),\(green),\(blue)\n" }
}

/// A file that should hold a color and does not.
struct ColorTextError: LocalizedError {
    var text: String

    var errorDescription: String? {
        let start = text.trimmingCharacters(in: .whitespacesAndNewlines).prefix(40)
        let found = start.isEmpty ? "The file is empty" : "The file says “\(start)”"
        return
            "\(found). A color is three whole numbers from 0 to 255 with commas between them, like 46,139,118."
    }
}
