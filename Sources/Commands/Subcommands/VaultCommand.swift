/// What holds former states of documents, for the command about it.
package struct VaultRole: Sendable {
    /// What was found when all of it was looked at.
    package struct Condition: Codable, Hashable, Sendable {
        /// A version that cannot be restored whole.
        package struct Version: Codable, Hashable, Sendable {
            /// Hexadecimal digits.
            package var id: String
            /// Where its document was seen last; what it was called, where nobody knows.
            package var item: String
            /// As ISO 8601 has it.
            package var date: String

            package init(id: String, item: String, date: String) {
                (self.id, self.item, self.date) = (id, item, date)
            }
        }

        package var checkedByteCount: Int
        package var versionCount: Int
        /// What is not as it was written, each in a few words.
        package var faults: [String]
        package var brokenVersions: [Version]

        package init(
            checkedByteCount: Int,
            versionCount: Int,
            faults: [String],
            brokenVersions: [Version]
        ) {
            (self.checkedByteCount, self.versionCount) = (checkedByteCount, versionCount)
            (self.faults, self.brokenVersions) = (faults, brokenVersions)
        }
    }

    let verify: @Sendable () throws -> Condition
    let repair: @Sendable (_ vaults: [String]) throws -> Condition

    /// - Parameters:
    ///   - verify: Looks at every byte.
    ///   - repair: Puts back what is damaged, from the documents as they are and from other vaults; gives what is left.
    package init(
        verify: @escaping @Sendable () throws -> Condition,
        repair: @escaping @Sendable (_ vaults: [String]) throws -> Condition
    ) {
        (self.verify, self.repair) = (verify, repair)
    }
}

extension Command {
    /// `sheaf vault`
    package static func vault(_ role: VaultRole?) -> Command {
        let repair = Flag("repair", "put back what is damaged, from the documents as they are now")
        let source = ValueOption(
            "from",
            "DIR",
            "with --repair: take it from another copy of the vault, too"
        )
        return Command(
            "vault",
            summary: "look whether all former states of documents are whole, and mend them",
            details: """
                Every byte is read, which takes about as long as copying the vault. Programs can go on meanwhile. What \
                nobody has is left as it is: nothing is removed by a repair.

                Ends with 1 when something is damaged, after a repair when something still is.
                """,
            [.flag(ReportParameters.jsonWithDates), .flag(repair), .option(source)]
        ) { arguments, console in
            guard let role else { throw ReportError(description: "this program knows no versions") }
            let vaults = arguments[source]
            guard arguments[repair] || vaults.isEmpty else {
                throw UsageError(description: "--from says what --repair takes: give both")
            }
            let condition = try arguments[repair] ? role.repair(vaults) : role.verify()
            console.say(
                arguments[ReportParameters.jsonWithDates]
                    ? try ReportParameters.json(condition) : text(condition)
            )
            return condition.faults.isEmpty ? .success : .failure
        }
    }

    private static func text(_ condition: VaultRole.Condition) -> String {
        let looked = "\(condition.versionCount) versions, \(condition.checkedByteCount) bytes"
        guard !condition.faults.isEmpty else { return "All is whole: \(looked).\n" }
        var lines = ["Of \(looked), not all is whole."] + condition.faults
        for version in condition.brokenVersions {
            lines.append("\(version.id.prefix(8))  \(version.date)  \(version.item)")
        }
        return lines.printableLines
    }
}
