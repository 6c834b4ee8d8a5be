internal import Coordination
internal import Foundation

extension AgentCore {
    /// Sends who uses what now.
    mutating func report(to connection: ConnectionID) throws {
        let report = CoordinationReport(of: arbiter, labels, brokenCycles: brokenCycles)
        var rest = try Self.json(report)[...]
        repeat {
            let part = Array(rest.prefix(Self.partByteCount))
            rest = rest.dropFirst(part.count)
            actions.append(.send(.report(part, isLast: rest.isEmpty), connection))
        } while !rest.isEmpty
    }

    /// Names all who are in a cycle that was just broken, says so in the log, and keeps it for reports.
    mutating func note(_ cycle: WaitCycle) -> [UInt8] {
        let broken = BrokenCycle(cycle, in: arbiter, labels)
        brokenCycles.insert(broken, at: 0)
        if brokenCycles.count > Self.brokenCyclesKeptMax { brokenCycles.removeLast() }
        actions.append(.log(broken.notice))
        do {
            return try Self.json(broken)
        } catch {
            preconditionFailure("a cycle consists of texts and finite numbers: \(error)")
        }
    }

    /// Keeps what is said of a presenter that is added.
    mutating func note(_ id: PresenterID, _ typeName: String, _ registration: PresenterRegistration?) {
        forgetLabel(of: id)
        presenterLabels[id] = CoordinationLabels.Presenter(
            typeName: texts.share(typeName),
            since: registration?.since ?? arbiter.now,
            place: registration?.place.map { texts.share($0) }
        )
    }

    mutating func forgetLabel(of id: PresenterID) {
        guard let label = presenterLabels.removeValue(forKey: id) else { return }
        texts.drop(label.typeName)
        if let place = label.place { texts.drop(place) }
    }

    private var labels: CoordinationLabels {
        let processes = clients.values.map { client in
            (
                client.id,
                CoordinationLabels.Process(id: Int32(clamping: client.processID), name: client.processName)
            )
        }
        return CoordinationLabels(
            processes: Dictionary(uniqueKeysWithValues: processes),
            presenters: presenterLabels
        )
    }

    private static func json(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// A report has no limit, a frame has.
    private static let partByteCount = 512 * 1024
    /// Enough to see a pattern.
    private static let brokenCyclesKeptMax = 16
}
