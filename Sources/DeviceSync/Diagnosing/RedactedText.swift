internal import Foundation

/// What may be said of an error to those who mend this program: the words that errors have in common, and nothing else.
///
/// Names of documents, people, devices and hosts, paths, addresses and secrets may stand anywhere in a sentence. So it is not
/// looked for them: all goes that is not known to be harmless.
package enum RedactedText {
    /// What stands for all that is left out.
    package static let gap = "…"
    /// Longer numbers may say something of somebody.
    private static let digitCountMax = 3

    package static func of(_ text: String) -> String {
        var words: [String] = []
        for word in unquoted(text).split(whereSeparator: \.isWhitespace) {
            let core = word.trimmingCharacters(in: .punctuationCharacters)
            if isHarmless(core) {
                words.append(String(word))
            } else if words.last != gap {
                words.append(gap)
            }
        }
        return words.joined(separator: " ")
    }

    /// Names stand between quotation marks, with whatever words and marks are in them.
    private static func unquoted(_ text: String) -> String {
        guard let first = text.firstIndex(of: "“"), let last = text.lastIndex(of: "”"), first < last else {
            return text
        }
        return text[..<first] + gap + text[text.index(after: last)...]
    }

    private static func isHarmless(_ word: String) -> Bool {
        if word.allSatisfy({ ("0"..."9").contains($0) }) { return word.count <= digitCountMax }
        return words.contains(word.lowercased())
    }

    private static let words = Set(
        """
        a address again all an and another answer answered answers are as asked at be been before beyond busy but by came \
        cannot certificate changed client closed code connect connected connecting connection contents corrupt could couldn't curl \
        damaged database denied device directory disk do does down eacces ebusy eio emfile enoent enospc entry eperm erofs \
        error errno exist exists expired failed failure file filesystem find first folder for forbidden fork forked from \
        full gone had has have host http https hub in input inside interrupted into invalid io is it item items its key keys \
        kept large later left limit line link lock locked log lost made malformed memory message missing moment more \
        network no nobody not nothing of on once open operation or other out output over peer permission permitted \
        position process put quota reached read read-only reading received refused remains replayed request reset resolve \
        resolved revoked room run runs same sealed sent server shut signature space sqlite state stopped such supported \
        system tampered than that the then there this time timed timeout to token too transfer tried truncated try \
        unauthorized unavailable unknown unreachable until up update updated version volume wait waited waiting waits was \
        when where which whole with without write writing written wrong yet
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )
}

/// Gives items names that say nothing: the same to the same in one report.
struct ItemPlaceholders {
    private var numbers: [String: Int] = [:]

    mutating func name(of path: String) -> String {
        let number = numbers[path] ?? numbers.count + 1
        numbers[path] = number
        return "item-\(number)"
    }
}
