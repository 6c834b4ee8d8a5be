public import Foundation

/// How long versions of a document are kept: all of them at first, ever fewer as they grow old.
///
/// A rule says how far apart versions stand that are of a certain age. The newest version of a document, what an
/// app has said must stay, and the losers of a conflict that nobody has resolved, with what they come from, are kept
/// whatever the rules say.
///
/// - Source: ours; macOS thins its versions in a like way and lets nobody choose.
public struct VersionRetention: Hashable, Sendable {
    /// How far apart versions up to an age stand.
    public struct Rule: Hashable, Sendable {
        /// Up to which age the rule holds, in seconds; versions older than the last rule's go.
        public var ageMax: TimeInterval
        /// One version is kept for each stretch of so many seconds, the newest; 0 keeps all.
        public var interval: TimeInterval

        /// A rule for versions up to an age.
        ///
        /// - Parameters:
        ///   - ageMax: Up to which age, in seconds; infinite for any.
        ///   - interval: How many seconds one version stands for; 0 keeps all.
        public init(ageMax: TimeInterval, interval: TimeInterval) {
            self.ageMax = ageMax
            self.interval = interval
        }
    }

    /// The rules; the first whose age a version has not passed is the one for it.
    public var rules: [Rule] {
        didSet { rules.sort { $0.ageMax < $1.ageMax } }
    }

    /// Keeps versions as these rules say.
    ///
    /// - Parameter rules: In any order; none keeps nothing but what is kept whatever the rules say.
    public init(rules: [Rule]) {
        self.rules = rules.sorted { $0.ageMax < $1.ageMax }
    }

    /// All of the last hour, one an hour for a day, one a day for a month of thirty days, one a week after that.
    public static let standard = VersionRetention(rules: [
        Rule(ageMax: 3600, interval: 0),
        Rule(ageMax: 86400, interval: 3600),
        Rule(ageMax: 30 * 86400, interval: 86400),
        Rule(ageMax: .infinity, interval: 7 * 86400),
    ])

    /// Keeps every version for ever.
    public static let everything = VersionRetention(rules: [Rule(ageMax: .infinity, interval: 0)])
}

extension VersionRetention {
    /// What thinning looks at.
    package struct Candidate: Hashable, Sendable {
        package var date: Date
        package var isProtected: Bool

        package init(date: Date, isProtected: Bool) {
            self.date = date
            self.isProtected = isProtected
        }
    }

    /// Which versions of one document may go now. Pure.
    ///
    /// Stretches begin at fixed times, not at the versions: thinning often comes to the same as thinning once.
    ///
    /// - Parameters:
    ///   - versions: All that there are, in any order.
    ///   - now: The time. Versions from the future are kept: the clock may have been wrong then or be so now.
    /// - Returns: Their indices, ascending.
    package func superfluous(of versions: [Candidate], now: Date) -> [Int] {
        struct Stretch: Hashable {
            var rule: Int
            var number: Double
        }
        let newestFirst = versions.indices.sorted { versions[$0].date > versions[$1].date }
        var taken: Set<Stretch> = []
        var superfluous: [Int] = []
        for (rank, index) in newestFirst.enumerated() {
            let version = versions[index]
            let age = now.timeIntervalSince(version.date)
            if age < 0 { continue }
            let rule = rules.firstIndex { age <= $0.ageMax }
            if let rule, rules[rule].interval > 0 {
                let number = (version.date.timeIntervalSince1970 / rules[rule].interval).rounded(.down)
                // What is kept anyway stands for its stretch, too.
                let isFirst = taken.insert(Stretch(rule: rule, number: number)).inserted
                if isFirst { continue }
            } else if rule != nil {
                continue
            }
            if rank > 0, !version.isProtected { superfluous.append(index) }
        }
        return superfluous.sorted()
    }
}
