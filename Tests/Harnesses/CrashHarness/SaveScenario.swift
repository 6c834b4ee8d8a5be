package import FileSystem
internal import Foundation

/// One kind of save to be cut short at every call, and what may be found afterwards.
package struct SaveScenario: Sendable {
    package var name: String
    /// What is there before; nil for nothing.
    package var old: DiskTree?
    /// What is to be there after.
    package var new: DiskTree
    /// Whether the volume is to behave as one that cannot exchange names.
    package var refusesExchange = false
    /// Does the save; calls the second argument when the commit has returned.
    package var save: @Sendable (FilePath, () -> Void) throws -> Void

    /// The name of the item in its folder.
    package static let itemName = "item.doc"

    private static let package: DiskTree = [
        "Info": "info", "Pages": ["1": "one", "2": "two", "Deep": ["x": "X"]], "Media": ["a": "A", "b": "B"],
    ]

    /// All kinds.
    package static let all: [SaveScenario] =
        [
            whole("file create", nil, .file("new contents")),
            whole("file overwrite", .file("old contents"), .file("new contents")),
            whole("package create", nil, package),
            whole("package overwrite", package, ["Info": "new", "Pages": ["9": "nine"]]),
            whole("file becomes package", .file("old contents"), package),
            whole("package becomes file", package, .file("new contents")),
        ] + changing() + [
            changing("journal: many changed", many.placed, many.removed, many.new, refusesExchange: true),
            changing(
                "journal: two in a folder",
                ["Pages/1": "ONE", "Pages/2": "TWO"],
                [],
                ["Info": "info", "Pages": ["1": "ONE", "2": "TWO", "Deep": ["x": "X"]], "Media": media],
                refusesExchange: true
            ),
            whole(
                "journal: package overwrite",
                package,
                ["Info": "new", "Pages": ["9": "nine"]],
                refusesExchange: true
            ),
            whole("journal: package becomes file", package, .file("new contents"), refusesExchange: true),
        ] + looking(refusesExchange: false) + looking(refusesExchange: true)

    /// Saves as a document does them: what a file has taken the place of is looked at before it goes.
    private static func looking(refusesExchange: Bool) -> [SaveScenario] {
        let prefix = refusesExchange ? "without exchange: looked at, " : "looked at: "
        var scenarios = [whole("file overwrite", .file("old contents"), .file("new contents"), looks: true)]
        scenarios.append(whole("file create", nil, .file("new contents"), looks: true))
        scenarios += changing(looks: true).filter { $0.name.hasPrefix("one member") }
        for index in scenarios.indices {
            scenarios[index].name = prefix + scenarios[index].name
            scenarios[index].refusesExchange = refusesExchange
        }
        return scenarios
    }

    private static let media: DiskTree = ["a": "A", "b": "B"]

    private static let many: (placed: [String: DiskTree], removed: [String], new: DiskTree) = (
        ["Info": "INFO", "Pages/1": "ONE", "Pages/Deep/y": "Y", "Media/c": "C", "New": ["z": "Z"]],
        ["Media/a", "Pages/2"],
        [
            "Info": "INFO", "Pages": ["1": "ONE", "Deep": ["x": "X", "y": "Y"]],
            "Media": ["b": "B", "c": "C"],
            "New": ["z": "Z"],
        ]
    )

    private static func changing(looks: Bool = false) -> [SaveScenario] {
        let pages: DiskTree = ["1": "one", "2": "two", "Deep": ["x": "X"]]
        return [
            changing(
                "one member changed",
                ["Pages/1": "ONE"],
                [],
                ["Info": "info", "Pages": ["1": "ONE", "2": "two", "Deep": ["x": "X"]], "Media": media],
                looks: looks
            ),
            changing(
                "one member added",
                ["Media/c": "C"],
                [],
                ["Info": "info", "Pages": pages, "Media": ["a": "A", "b": "B", "c": "C"]],
                looks: looks
            ),
            changing(
                "one folder added",
                ["New": ["z": "Z", "w": ["v": "V"]]],
                [],
                ["Info": "info", "Pages": pages, "Media": media, "New": ["z": "Z", "w": ["v": "V"]]],
                looks: looks
            ),
            changing(
                "one folder replaced",
                ["Pages": ["3": "three"]],
                [],
                ["Info": "info", "Pages": ["3": "three"], "Media": media],
                looks: looks
            ),
            changing(
                "one member removed",
                [:],
                ["Media/a"],
                ["Info": "info", "Pages": pages, "Media": ["b": "B"]],
                looks: looks
            ),
            changing("one folder removed", [:], ["Pages"], ["Info": "info", "Media": media], looks: looks),
            changing("many changed", many.placed, many.removed, many.new, looks: looks),
        ]
    }

    private static func whole(
        _ name: String,
        _ old: DiskTree?,
        _ new: DiskTree,
        refusesExchange: Bool = false,
        looks: Bool = false
    ) -> SaveScenario {
        SaveScenario(name: name, old: old, new: new, refusesExchange: refusesExchange) { item, didCommit in
            let save = try StagedSave(item: item)
            if looks { save.didReplace = { _, _ in } }
            try save.write(new.memberTree)
            try save.commit()
            didCommit()
            try save.removeRemains()
        }
    }

    private static func changing(
        _ name: String,
        _ placed: [String: DiskTree],
        _ removed: [String],
        _ new: DiskTree,
        refusesExchange: Bool = false,
        looks: Bool = false
    ) -> SaveScenario {
        let changes = PackageChanges(
            placed: Dictionary(uniqueKeysWithValues: placed.map { (member($0), $1.memberTree) }),
            removed: Set(removed.map(member))
        )
        return SaveScenario(
            name: name,
            old: package,
            new: new,
            refusesExchange: refusesExchange
        ) { item, didCommit in
            let save = try StagedSave(item: item)
            if looks { save.didReplace = { _, _ in } }
            try save.write(changes)
            try save.commit()
            didCommit()
            try save.removeRemains()
        }
    }

    private static func member(_ path: String) -> MemberPath {
        path.split(separator: "/").reduce(.top) { $0.appending(String($1)) ?? $0 }
    }

    /// Says what is wrong with what recovery left in a folder; nil when all is well.
    ///
    /// - Parameter mustBeNew: Whether the old version is no longer good enough.
    package func complaint(about folder: FilePath, mustBeNew: Bool) throws -> String? {
        let item = folder.appending(Self.itemName)
        try SaveRecovery.recover(item: item)
        let found = try DiskTree(at: item)
        guard found == new || (found == old && !mustBeNew) else {
            return "\(name): found \(String(describing: found))"
        }
        let names = try FileReading.entries(in: folder).map(\.name).filter { $0 != Self.itemName }
        return names.isEmpty ? nil : "\(name): left \(names)"
    }
}

/// What a harness found.
package struct HarnessReport: CustomStringConvertible, Sendable {
    package var title: String
    package var scenarioCount = 0
    package var stateCount = 0
    /// One sentence for each state in which the item was not whole.
    package var lost: [String] = []

    package init(title: String) {
        self.title = title
    }

    package var description: String {
        "\(title): scenarios \(scenarioCount), states \(stateCount), lost \(lost.count)"
    }
}
