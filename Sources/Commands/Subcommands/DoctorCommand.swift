internal import Coordination
internal import Foundation

/// What knows of wrongs with folders that are kept in step.
package struct DoctorRole: Sendable {
    /// Something that is wrong.
    package struct Finding: Codable, Hashable, Sendable {
        /// The kind of those about accesses of the machine's programs.
        package static let ofAccesses = "accesses"

        /// What it comes to, in a word: for scripts.
        package var kind: String
        /// The folder that it is about; nil for the machine.
        package var folder: String?
        package var text: String
        /// What helps; nil where the text says it.
        package var remedy: String?

        package init(_ kind: String, folder: String? = nil, _ text: String, remedy: String?) {
            (self.kind, self.folder, self.text, self.remedy) = (kind, folder, text, remedy)
        }

        fileprivate var lines: String {
            let place = folder.map { "\($0): " } ?? ""
            return (["\(place)\(text)"] + (remedy.map { ["  Next: \($0)"] } ?? [])).printableLines
        }
    }

    let findings: @Sendable () throws -> [Finding]

    /// - Parameter findings: Looks at all folders of the user; none where nothing is joined.
    package init(_ findings: @escaping @Sendable () throws -> [Finding]) { self.findings = findings }
}

/// All that the doctor has found.
private struct DoctorReport: Encodable {
    /// Who accesses what; nil where nobody was there to say.
    var accesses: CoordinationReport?
    var findings: [DoctorRole.Finding]

    private enum CodingKeys: String, CodingKey { case findings }

    func encode(to encoder: any Encoder) throws {
        try accesses?.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(findings, forKey: .findings)
    }
}

extension Command {
    /// `sheaf doctor`
    package static func doctor(_ source: ReportSource?, _ role: DoctorRole?) -> Command {
        Command(
            "doctor",
            summary: "find what is wrong: with folders in step, and with programs that wait for one another",
            details: """
                Looks at each folder that is kept in step, and says what helps, one after the other: whether it is there, \
                sheaf up runs, the hub answers, and its clock and this device's agree; whether this device was shut out; \
                whether there is room on the disk and at the hub, and the kernel has enough watches; which items are held up, \
                or were changed here ten minutes ago and are not sent, and why; conflicts that nobody has settled; databases that are \
                damaged.

                A deadlock is broken when it arises: of those who would have waited for one another for ever, \
                the one that asked last fails. What is shown here is who they were. A wait is long after \
                \(Int(CoordinationReport.longWaitSeconds)) seconds.

                With --from a report of sheaf locks alone is looked at. Ends with 1 when it finds anything.
                """,
            [.flag(ReportParameters.json), .option(ReportParameters.from)]
        ) { arguments, console in
            let isSaved = arguments[ReportParameters.from].last != nil
            var accesses: CoordinationReport?
            do { accesses = try ReportParameters.report(arguments, source) } catch {
                // Where nobody coordinates nobody waits; the folders are looked at all the same.
                guard !isSaved, role != nil else { throw error }
                console.complain(["Accesses are not looked at: \(error)"].printableLines)
            }
            var findings = (accesses?.findings ?? []).map {
                DoctorRole.Finding(DoctorRole.Finding.ofAccesses, $0 + ".", remedy: nil)
            }
            if !isSaved, let role { findings += try role.findings() }
            if arguments[ReportParameters.json] {
                console.say(
                    try ReportParameters.json(DoctorReport(accesses: accesses, findings: findings))
                )
            } else {
                console.say(
                    findings.isEmpty
                        ? "Nothing is wrong.\n" : findings.map(\.lines).joined(separator: "\n")
                )
            }
            return findings.isEmpty ? .success : .failure
        }
    }
}
