internal import StandardStreams

/// What is known of former states of documents, for the command about them.
package struct VersionsRole: Sendable {
    /// One version that is not the current one.
    package struct Version: Codable, Hashable, Sendable {
        /// Hexadecimal digits. The first ones do, if no other version begins so.
        package var id: String
        /// As ISO 8601 has it.
        package var date: String
        package var device: String?
        package var reason: String?
        package var byteCount: Int?
        /// Whether it lost a conflict that nobody has settled.
        package var isConflict: Bool

        package init(
            id: String,
            date: String,
            device: String?,
            reason: String?,
            byteCount: Int?,
            isConflict: Bool
        ) {
            (self.id, self.date, self.device, self.reason) = (id, date, device, reason)
            (self.byteCount, self.isConflict) = (byteCount, isConflict)
        }
    }

    let list: @Sendable (_ path: String) throws -> [Version]
    let restore: @Sendable (_ path: String, _ id: String, _ target: String?) throws -> Void
    let settle: @Sendable (_ path: String) throws -> Int

    /// - Parameters:
    ///   - list: The versions of an item, the newest first.
    ///   - restore: Makes an item what a version is, or writes that to a place where nothing is.
    ///   - settle: Says that an item is right as it is; gives how many conflicts were settled by it.
    package init(
        list: @escaping @Sendable (_ path: String) throws -> [Version],
        restore: @escaping @Sendable (_ path: String, _ id: String, _ target: String?) throws -> Void,
        settle: @escaping @Sendable (_ path: String) throws -> Int
    ) {
        (self.list, self.restore, self.settle) = (list, restore, settle)
    }
}

/// What has come of `--restore`: which place holds which version now.
private struct RestoreOutcome: Encodable {
    var path: String
    var version: String
}

/// What has come of `--settle`: how many conflicts of an item were settled.
private struct SettleOutcome: Encodable {
    var path: String
    var settledCount: Int
}

extension Command {
    /// `sheaf versions`
    package static func versions(_ role: VersionsRole?) -> Command {
        let restore = ValueOption(
            "restore",
            "ID",
            "have the item be that version again; what it is now is kept"
        )
        let target = ValueOption(
            "to",
            "PATH",
            "with --restore: write the version there, and leave the item alone"
        )
        let settle = Flag(
            "settle",
            "what the item is now is right: its conflicts are settled, on every device"
        )
        return Command(
            "versions",
            summary: "show what a document was before, and have it be that again",
            details: """
                The newest comes first. A line with “conflict” is a version that was made at the same time as another and \
                could not be merged: nothing of it is lost until somebody has settled it.
                """,
            [
                .flag(ReportParameters.jsonWithDates), .option(restore), .option(target), .flag(settle),
                .positional(Positional("ITEM", "a file or a package")),
            ]
        ) { arguments, console in
            guard let role else { throw ReportError(description: "this program knows no versions") }
            let path = arguments.items[0]
            let isJSON = arguments[ReportParameters.jsonWithDates]
            if let id = arguments[restore].last {
                guard !arguments[settle] else {
                    throw UsageError(description: "give either --restore or --settle")
                }
                let target = arguments[target].last
                let version = try only(id, of: role.list(path), path)
                try role.restore(path, version, target)
                let outcome = RestoreOutcome(path: target ?? path, version: version)
                console.say(
                    isJSON
                        ? try ReportParameters.json(outcome)
                        : ["“\(outcome.path)” is that version now."].printableLines
                )
                return .success
            }
            guard arguments[target].isEmpty else {
                throw UsageError(description: "--to says where --restore writes: give both")
            }
            if arguments[settle] {
                let count = try role.settle(path)
                console.say(
                    isJSON
                        ? try ReportParameters.json(SettleOutcome(path: path, settledCount: count))
                        : count == 0 ? "Nothing was in conflict.\n" : "Settled: \(count).\n"
                )
                return .success
            }
            let versions = try role.list(path)
            console.say(isJSON ? try ReportParameters.json(versions) : text(versions))
            return .success
        }
    }

    /// The one version that begins with what somebody has typed.
    private static func only(
        _ typed: String,
        of versions: [VersionsRole.Version],
        _ path: String
    ) throws -> String {
        let found = versions.filter { $0.id.hasPrefix(typed.lowercased()) }
        guard let first = found.first, found.count == 1 else {
            let why = found.isEmpty ? "no version of “\(path)” begins" : "several versions of “\(path)” begin"
            throw ReportError(description: "\(why) with “\(typed)”; see sheaf versions \(path.shellWord)")
        }
        return first.id
    }

    private static func text(_ versions: [VersionsRole.Version]) -> String {
        guard !versions.isEmpty else { return "No other version is known.\n" }
        return versions.map { version in
            // Why it was kept, which stays so when somebody has settled it.
            let reason = version.reason == "in conflict" ? "conflict, settled" : version.reason
            let parts = [
                String(version.id.prefix(8)), version.date, version.byteCount.map { "\($0) bytes" },
                version.device, version.isConflict ? "conflict" : reason,
            ]
            return parts.compactMap { $0 }.joined(separator: "  ")
        }.printableLines
    }
}
