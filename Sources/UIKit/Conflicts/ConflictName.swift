internal import Foundation

/// The name under which someone else's version of an item is kept beside it.
enum ConflictName {
    /// - Parameters:
    ///   - name: The item's name; its extension stays.
    ///   - number: 1 for the first try; others are told in the name.
    static func make(for name: String, at date: Date, number: Int) -> String {
        let parts = Calendar(identifier: .gregorian)
            .dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func two(_ value: Int?) -> String {
            let value = value ?? 0
            return value < 10 ? "0\(value)" : "\(value)"
        }
        let day = "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
        let time = "\(two(parts.hour)).\(two(parts.minute)).\(two(parts.second))"
        let count = number == 1 ? "" : " \(number)"
        let note = " (other version \(day) \(time)\(count))"
        var stem = Substring(name)
        var end = Substring()
        if let dot = name.lastIndex(of: "."), dot != name.startIndex {
            stem = name[..<dot]
            end = name[dot...]
        }
        while stem.utf8.count + note.utf8.count + end.utf8.count > nameByteCountMax, !stem.isEmpty {
            stem.removeLast()
        }
        return stem + note + end
    }

    /// What Linux allows a name to have.
    private static let nameByteCountMax = 255
}
