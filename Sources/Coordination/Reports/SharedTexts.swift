/// Texts that many bear, each kept once: presenters by the thousand are of few types and registered in few places.
package struct SharedTexts: Sendable {
    private var counts: [String: Int] = [:]

    package init() {}

    /// How many different ones there are.
    package var count: Int { counts.count }

    /// Counts one more who bears the text.
    ///
    /// - Returns: The text in the room of the first one.
    package mutating func share(_ text: String) -> String {
        if let index = counts.index(forKey: text) {
            counts.values[index] += 1
            return counts.keys[index]
        }
        counts[text] = 1
        return text
    }

    /// Counts one less; the last one's goes.
    package mutating func drop(_ text: String) {
        guard let index = counts.index(forKey: text) else { return }
        if counts.values[index] == 1 { counts.remove(at: index) } else { counts.values[index] -= 1 }
    }
}
