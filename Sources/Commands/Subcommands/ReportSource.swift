package import Coordination
internal import Foundation

/// Where reports come from.
package struct ReportSource: Sendable {
    let report: @Sendable () throws -> CoordinationReport

    /// - Parameter report: Gets the present state; its error's description is shown.
    package init(_ report: @escaping @Sendable () throws -> CoordinationReport) {
        self.report = report
    }
}

/// The parameters of commands that show a report.
enum ReportParameters {
    /// For what tells of accesses.
    static let json = Flag("json", "print the whole report as JSON, times in seconds since 1970")
    /// For what tells of documents, folders and devices.
    static let jsonWithDates = Flag("json", "print the whole report as JSON, times as ISO 8601 has them")
    /// For what tells of one event after another.
    static let jsonLines = Flag("json", "print each event as a line of JSON, times as in ISO 8601")
    /// For what lists the folders of a hub, among other things that it does.
    static let jsonOfFolders = Flag("json", "with “folders”: print them as JSON, times as ISO 8601 has them")
    /// For what only says what has come of it.
    static let jsonOutcome = Flag("json", "print what has come of it as JSON")
    static let from = ValueOption(
        "from",
        "FILE",
        "show a report that was saved with --json; - is standard input"
    )

    /// The report that is asked for.
    static func report(_ arguments: Arguments, _ source: ReportSource?) throws -> CoordinationReport {
        guard let path = arguments[from].last else {
            guard let source else {
                throw ReportError(description: "there is nobody to ask; give a report with --from FILE")
            }
            return try source.report()
        }
        let file = path == "-" ? FileHandle.standardInput : try open(path)
        let name = path == "-" ? "standard input" : path
        let bytes: Data
        // A folder is opened and not read.
        do { bytes = try file.readToEnd() ?? Data() } catch {
            throw ReportError(description: "\(name) cannot be read")
        }
        do { return try JSONDecoder().decode(CoordinationReport.self, from: bytes) } catch is DecodingError {
            throw ReportError(description: "\(name) is no report as “sheaf locks --json” prints it")
        }
    }

    static func json(_ report: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(report), as: UTF8.self) + "\n"
    }

    /// On one line.
    static func jsonLine(_ report: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(report), as: UTF8.self) + "\n"
    }

    private static func open(_ path: String) throws -> FileHandle {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw ReportError(description: "\(path) cannot be read")
        }
        return file
    }
}

/// Why there is no report, in one sentence.
struct ReportError: Error, CustomStringConvertible {
    let description: String
}
