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
        for word in withoutPlaces(unquoted(text)).split(whereSeparator: \.isWhitespace) {
            let core = word.trimmingCharacters(in: .punctuationCharacters)
            if word != gap, isHarmless(core) {
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

    /// Paths and hosts may have spaces in them, and so any words: each goes with all that follows, up to what the system says of
    /// it, or to the end.
    private static func withoutPlaces(_ text: String) -> String {
        var (kept, rest) = ("", text[...])
        while let start = placeStart(in: rest) {
            kept += "\(rest[..<start])\(gap) "
            rest = reason(in: rest[start...])
        }
        return kept + String(rest)
    }

    /// Where the first path or host begins; nil for none.
    private static func placeStart(in text: Substring) -> Substring.Index? {
        let words = text.split(whereSeparator: \.isWhitespace)
        for (number, word) in words.enumerated() {
            if isPath(word) { return word.startIndex }
            guard number > 0 else { continue }
            let former = words[number - 1].lowercased()
            let isCall = former == "on" && number > 1 && words[number - 2].hasSuffix("(2)")
            if isCall || former == "host:" { return word.startIndex }
        }
        return nil
    }

    private static func isPath(_ word: Substring) -> Bool {
        guard word.contains("/") else { return false }
        let core = word.lowercased().trimmingCharacters(in: .punctuationCharacters)
        if core == "input/output" || core.hasPrefix("http/") { return false }
        // An address has no space in it.
        guard !word.hasPrefix("/"), let scheme = core.range(of: "://") else { return true }
        return !core[..<scheme.lowerBound].allSatisfy(\.isLetter)
    }

    /// The last thing that is said by the system; empty for nothing. A name may have a colon in it, too.
    private static func reason(in text: Substring) -> Substring {
        var before = text
        while let colon = before.range(of: ": ", options: .backwards) {
            let behind = text[colon.upperBound...]
            if reasons.contains(where: { behind.hasPrefix($0) }) { return behind }
            before = before[..<colon.lowerBound]
        }
        return text[text.endIndex...]
    }

    /// What the system says of its errors.
    private static let reasons = (CInt(1)...133).map { String(cString: strerror($0)) }

    private static func isHarmless(_ word: String) -> Bool {
        if word.allSatisfy({ ("0"..."9").contains($0) }) { return word.count <= digitCountMax }
        return words.contains(word.lowercased())
    }

    private static let words = Set(
        """
        a address again all an and another answer answered answers are as asked at be been before between beyond busy but by came \
        cannot certificate changed client closed code connect connected connecting connection contents corrupt could couldn't curl \
        damaged database denied device directory disk do does down eacces ebusy eio emfile enoent enospc entry eperm erofs \
        error errno exist exists expired failed failure file filesystem find first folder for forbidden fork forked from \
        full gone had has have host http https hub in input inside interrupted into invalid io is it item items its key keys \
        kept large later left limit line link lock locked log lost made malformed memory message missing moment more \
        network no nobody not nothing of on once open operation or other out output over peer people permission permitted \
        position process proxy put quota reached read read-only reading received refused remains replayed request reset \
        resolve resolved revoked room run runs same sealed sent server shut sign signature something space sqlite state stopped \
        such supported system tampered than that the then there this time timed timeout to token too transfer tried truncated try \
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
