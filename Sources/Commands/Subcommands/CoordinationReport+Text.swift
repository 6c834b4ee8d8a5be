package import Coordination

extension CoordinationReport {
    /// From when on a wait is long: as long as a presenter may take to answer.
    package static let longWaitSeconds: Double = 5

    /// Claims, waits and presenters as a list.
    package var locksText: String {
        var lines: [String] = []
        for (title, entries) in [
            ("held", heldLines), ("waiting", waitingLines), ("presented", presentedLines),
        ] {
            lines.append("\(title):" + (entries.isEmpty ? " nothing" : ""))
            lines += entries
        }
        return lines.printableLines
    }

    /// What the doctor has to say: deadlocks that were broken, the latest first; then long waits.
    package var findings: [String] {
        let deadlocks = brokenCycles.map { cycle in
            "A deadlock was broken \(span(since: cycle.time)) ago: \(cycle.sentence)"
        }
        let long = waits.filter { time - $0.since >= Self.longWaitSeconds }.map { wait in
            let items = wait.items.map { "\($0.use.rawValue) “\($0.path)”" }.joined(separator: " and ")
            return "\(wait.party.description(at: time)) has waited \(span(since: wait.since)) to \(items): "
                + wait.waitsFor.map(cause).joined(separator: "; ")
        }
        return (deadlocks + long).map(\.printable)
    }

    private var heldLines: [String] {
        claims.flatMap { claim in
            claim.items.map { item($0) } + [
                "         \(claim.party.name), for \(span(since: claim.since))"
                    + (claim.isPreparation ? ", reserved for accesses to come" : "")
            ]
        }
    }

    private var waitingLines: [String] {
        waits.flatMap { wait in
            wait.items.map { item($0) }
                + ["         \(wait.party.name), for \(span(since: wait.since))"]
                + wait.waitsFor.map { "         because \(cause($0))" }
        }
    }

    private var presentedLines: [String] {
        presenters.flatMap { presenter in
            [
                "  \(presenter.path ?? "nothing yet")",
                "         \(presenter.name)" + (presenter.since.map { ", for \(span(since: $0))" } ?? "")
                    + (presenter.registeredAt.map { ", registered at \($0)" } ?? ""),
            ]
        }
    }

    private func item(_ item: Item) -> String {
        let use = item.use.rawValue
        return "  \(use)\(String(repeating: " ", count: max(1, 7 - use.count)))\(item.path)"
    }

    /// What a wait is for: "Color (process 72) has had it for 3.0 s".
    private func cause(_ reason: Wait.Reason) -> String {
        holder(reason) { "has had it for \(span(since: $0.since))" }
    }

    private func span(since start: Double) -> String { Self.spanText(seconds: time - start) }
}
