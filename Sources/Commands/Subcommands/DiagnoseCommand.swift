internal import Foundation

/// What makes a report for those who mend this program.
package struct DiagnosisRole: Sendable {
    let report: @Sendable (_ folder: String?) throws -> any Encodable & Sendable
    let write: @Sendable (_ text: String, _ path: String) throws -> Void

    /// - Parameters:
    ///   - report: Looks at a folder, or at all of them. Nothing in it names a document, a person, a device or a host.
    ///   - write: Writes a file that only the user can read.
    package init(
        report: @escaping @Sendable (_ folder: String?) throws -> any Encodable & Sendable,
        write: @escaping @Sendable (_ text: String, _ path: String) throws -> Void
    ) {
        (self.report, self.write) = (report, write)
    }
}

extension Command {
    /// `sheaf diagnose`
    package static func diagnose(_ role: DiagnosisRole?) -> Command {
        let output = ValueOption("output", "FILE", "write it into a file that only you can read")
        return Command(
            "diagnose",
            summary: "make a report that may go along with a bug report",
            details: """
                Says how the machine, the folders in step, their hub and what is stored about them stand. It names no document, \
                person, device or host, and has no path and no secret in it: items are item-1, item-2, ... and of what errors \
                say only common words are left. Read it before you pass it on.
                """,
            [
                .flag(ReportParameters.jsonWithDates), .option(output),
                .positional(
                    Positional("FOLDER", "the folder that is kept in step; else all", count: .optional)
                ),
            ]
        ) { arguments, console in
            guard let role else { throw ReportError(description: "this program makes no reports") }
            let json = try ReportParameters.json(try role.report(arguments.items.first))
            let text = arguments[ReportParameters.jsonWithDates] ? json : try PlainReport(json: json).text
            guard let path = arguments[output].last else {
                console.say(text)
                return .success
            }
            try role.write(text, path)
            return .success
        }
    }
}
