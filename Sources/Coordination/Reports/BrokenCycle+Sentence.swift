extension BrokenCycle {
    /// Who waited for whom, in one sentence without a full stop, from the one that failed to itself again.
    package var sentence: String {
        var clauses: [String] = []
        var beginning = ""
        for (index, member) in members.enumerated() {
            switch member.waitsFor {
            case .inner: beginning = "inside that, "
            case .item(let path):
                let next = members[(index + 1) % members.count]
                clauses.append(beginning + wait(of: member, for: path, and: next))
                beginning = ""
            case .answer(let presenter, let message):
                clauses.append(
                    beginning + "\(member.party.name) waits for \(presenter.name) to answer \(message)"
                )
                beginning = "before it answers, "
            }
        }
        if !beginning.isEmpty { clauses.append(beginning + "the first was asked for") }
        return clauses.joined(separator: "; ")
    }

    private func wait(of member: Member, for path: String, and next: Member) -> String {
        let use = member.items.first { $0.path == path }?.use ?? .write
        let span = CoordinationReport.spanText(seconds: time - next.since)
        let held =
            next.isRunning ? "has been \(next.doing) for \(span)" : "comes first"
        return "\(member.party.name) waits to \(use.rawValue) “\(path)”, where \(next.party.name) \(held)"
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
}

extension CoordinationReport.Presenter {
    /// Who it is, in a few words: "Note in Scrapbook (process 71)".
    package var name: String { "\(typeName) in \(process?.text ?? "a process")" }
}

extension CoordinationLabels.Process {
    /// "Scrapbook (process 71)".
    package var text: String { "\(name) (process \(id))" }
}

extension CoordinationReport {
    /// A time span that a person can read: "250 ms", "3.2 s", "4 min", "7 h".
    package static func spanText(seconds: Double) -> String {
        let milliseconds = Int((max(0, min(seconds, 1e9)) * 1000).rounded())
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        if milliseconds < 60_000 { return "\(milliseconds / 1000).\(milliseconds / 100 % 10) s" }
        return milliseconds < 7_200_000 ? "\(milliseconds / 60_000) min" : "\(milliseconds / 3_600_000) h"
    }
}
