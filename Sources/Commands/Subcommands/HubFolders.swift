internal import StandardStreams

extension HubRole {
    /// A folder that devices keep in step at a hub, as far as that can know it.
    package struct Folder: Codable, Hashable, Sendable {
        /// A device that has read or written it.
        package struct Device: Codable, Hashable, Sendable {
            package var name: String
            /// When it asked last what is new, as ISO 8601 has it; nil where that is not known.
            package var asked: String?

            package init(name: String, asked: String? = nil) { (self.name, self.asked) = (name, asked) }
        }

        package enum Standing: String, Codable, Hashable, Sendable {
            case kept
            /// It was removed, and can be kept again.
            case removed
            /// It was removed, and nothing of it is left.
            case gone
        }

        package var id: String
        package var account: Int
        package var commitCount: Int
        /// What it takes of its account's quota.
        package var byteCount: Int
        package var devices: [Device]
        /// When it was changed last, as ISO 8601 has it; nil where that is not known.
        package var changed: String?
        package var standing: Standing

        package init(
            id: String,
            account: Int,
            commitCount: Int = 0,
            byteCount: Int = 0,
            devices: [Device] = [],
            changed: String? = nil,
            standing: Standing = .kept
        ) {
            (self.id, self.account, self.commitCount, self.byteCount) = (id, account, commitCount, byteCount)
            (self.devices, self.changed, self.standing) = (devices, changed, standing)
        }

        /// What is said of it in one line.
        var line: String {
            switch standing {
            case .gone: "\(id)  account \(account)  removed, and nothing of it is left"
            case .removed: "\(id)  account \(account)  \(contents)  (removed; “keep” has it back)"
            case .kept: "\(id)  account \(account)  \(contents)"
            }
        }

        /// How much there is in it, and whose.
        private var contents: String {
            let commits = commitCount == 1 ? "1 commit" : "\(commitCount) commits"
            let names = devices.isEmpty ? "no device" : devices.map(\.name).joined(separator: ", ")
            let date = changed.map { "  changed \($0)" } ?? ""
            return "\(commits)  \(Self.text(byteCount: byteCount))\(date)  \(names)"
        }

        /// With one digit behind the point.
        static func text(byteCount: Int) -> String {
            guard byteCount >= 1000 else { return byteCount == 1 ? "1 byte" : "\(byteCount) bytes" }
            var (tenths, unit) = (byteCount / 100, 0)
            let units = ["kB", "MB", "GB", "TB"]
            while tenths >= 10_000, unit < units.count - 1 { (tenths, unit) = (tenths / 1000, unit + 1) }
            return "\(tenths / 10).\(tenths % 10) \(units[unit])"
        }
    }
}

// Folders at a hub, for whoever hosts it.
extension Command {
    static func list(_ role: HubRole, _ choices: HubChoices, _ console: Console) throws {
        let folders = try role.folders(choices)
        console.say(choices.isJSON ? try ReportParameters.json(folders) : folders.map(\.line).printableLines)
    }

    static func remove(
        _ name: String,
        _ role: HubRole,
        _ choices: HubChoices,
        _ console: Console
    ) throws -> ExitCode {
        let folder = try folder(name, role, choices)
        guard folder.standing == .kept else {
            console.say([folder.line].printableLines)
            return .success
        }
        let keeping = command("keep", folder, choices)
        console.say(
            [
                folder.line,
                "Its devices reach it no more, and say so; what is in their folders stays as it is. They do not begin it again.",
                "The hub keeps it for as long as what devices have deleted, and has it back until then: \(keeping)",
                "After that only a backup from before has it.",
            ].printableLines
        )
        guard choices.isSure || role.ask("Remove it from the hub? [yes/no] ", console) == .yes else {
            console.say("Nothing was changed.\n")
            return .failure
        }
        try role.remove(choices, folder.id)
        console.say("It is removed from the hub.\n")
        return .success
    }

    static func keep(
        _ name: String,
        _ role: HubRole,
        _ choices: HubChoices,
        _ console: Console
    ) throws {
        let folder = try folder(name, role, choices)
        try role.keep(choices, folder.id)
        console.say(
            folder.standing == .kept
                ? "The hub has it.\n" : "The hub has it again; its devices go on with it by themselves.\n"
        )
    }

    /// - Throws: `ReportError` where no folder is so called, or several are.
    private static func folder(
        _ name: String,
        _ role: HubRole,
        _ choices: HubChoices
    ) throws -> HubRole.Folder {
        let begin = name.lowercased()
        let found = try role.folders(choices).filter {
            $0.id == begin || begin.count >= 4 && $0.id.hasPrefix(begin)
        }
        guard let folder = found.first else {
            throw ReportError(
                description:
                    "the hub has no folder “\(name)”; “\(command("folders", nil, choices))” lists those that it has"
            )
        }
        guard found.count == 1 else {
            throw ReportError(
                description: "“\(name)” may be \(found.map(\.id).joined(separator: " or ")); give more of it"
            )
        }
        return folder
    }

    /// A command about the same hub, to be typed.
    private static func command(_ action: String, _ folder: HubRole.Folder?, _ choices: HubChoices) -> String
    {
        let words = ["sheaf hub \(action)", folder?.id, choices.data.map { "--data \($0.shellWord)" }]
        return words.compactMap(\.self).joined(separator: " ")
    }
}
