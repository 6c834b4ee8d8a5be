extension BrokenCycle {
    /// What a log says of it, the agent's as that of the process whose access failed.
    package var notice: String { "a deadlock was broken: \(sentence)." }

    /// Who waited for whom, in one sentence without a full stop, from the one that failed to itself again.
    ///
    /// Where and when a presenter was registered is said where it is named first.
    package var sentence: String {
        var clauses: [String] = []
        var beginning = ""
        var named: Set<String> = []
        for (index, member) in members.enumerated() {
            switch member.waitsFor {
            case .inner: beginning = "inside that, "
            case .item(let path):
                let next = members[(index + 1) % members.count]
                clauses.append(beginning + wait(of: member, for: path, and: next, &named))
                beginning = ""
            case .answer(let presenter, let message):
                let waiting = name(member.party, &named)
                let place = presenter.path.map { " of “\($0)”" } ?? ""
                clauses.append(
                    beginning + "\(waiting) waits for \(name(presenter, &named))\(place) to answer \(message)"
                )
                beginning = "before it answers, "
            }
        }
        if !beginning.isEmpty { clauses.append(beginning + "the first was asked for") }
        return clauses.joined(separator: "; ")
    }

    private func wait(
        of member: Member,
        for path: String,
        and next: Member,
        _ named: inout Set<String>
    ) -> String {
        let use = member.items.first { $0.path == path }?.use ?? .write
        let span = CoordinationReport.spanText(seconds: time - next.since)
        let held =
            next.isRunning ? "has been \(next.doing) for \(span)" : "asked \(span) ago and comes first"
        let waiting = name(member.party, &named)
        return "\(waiting) waits to \(use.rawValue) “\(path)”, where \(name(next.party, &named)) \(held)"
    }

    private func name(_ party: CoordinationReport.Party, _ named: inout Set<String>) -> String {
        let description = party.description(at: time)
        return named.insert(description).inserted ? description : party.name
    }

    private func name(_ presenter: CoordinationReport.Presenter, _ named: inout Set<String>) -> String {
        let description = presenter.description(at: time)
        return named.insert(description).inserted ? description : presenter.name
    }
}

extension BrokenCycle.Member {
    /// What it does with its items: "reading", "writing".
    fileprivate var doing: String {
        let uses = Set(items.map(\.use))
        if uses == [.read] { return "reading" }
        return uses == [.delete] ? "deleting" : "writing"
    }
}

extension CoordinationReport.Party {
    /// Who it is, in a few words: "Note in Scrapbook (process 71)".
    package var name: String {
        let process = process?.text ?? "a process"
        return presenter.map { "\($0) in \(process)" } ?? process
    }

    /// The same with where and when its presenter was registered: "Note (registered at Scrapbook/Note.swift:12, 4 min ago)
    /// in Scrapbook (process 71)".
    package func description(at time: Double) -> String {
        let process = process?.text ?? "a process"
        let registration = CoordinationReport.registration(at: registeredAt, since: registeredSince, time)
        return presenter.map { "\($0)\(registration) in \(process)" } ?? process
    }
}

extension CoordinationReport.Presenter {
    /// Who it is, in a few words: "Note in Scrapbook (process 71)".
    package var name: String { "\(typeName) in \(process?.text ?? "a process")" }

    /// The same with where and when it was registered.
    package func description(at time: Double) -> String {
        let registration = CoordinationReport.registration(at: registeredAt, since: since, time)
        return "\(typeName)\(registration) in \(process?.text ?? "a process")"
    }
}

extension CoordinationLabels.Process {
    /// "Scrapbook (process 71)".
    package var text: String { "\(name) (process \(id))" }
}

extension CoordinationReport {
    /// Where and when a presenter was registered, in brackets and after a space; empty when neither is known.
    fileprivate static func registration(at place: String?, since: Double?, _ time: Double) -> String {
        let facts = [
            place.map { "at \($0)" },
            since.map { "\(spanText(seconds: time - $0)) ago" },
        ].compactMap(\.self)
        return facts.isEmpty ? "" : " (registered \(facts.joined(separator: ", ")))"
    }

    /// A time span that a person can read: "250 ms", "3.2 s", "4 min", "7 h".
    package static func spanText(seconds: Double) -> String {
        let milliseconds = Int((max(0, min(seconds, 1e9)) * 1000).rounded())
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        if milliseconds < 60_000 { return "\(milliseconds / 1000).\(milliseconds / 100 % 10) s" }
        return milliseconds < 7_200_000 ? "\(milliseconds / 60_000) min" : "\(milliseconds / 3_600_000) h"
    }
}
