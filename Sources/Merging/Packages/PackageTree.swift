/// A file, a folder or a link, as a tree in memory.
public indirect enum PackageTree: Hashable, Sendable {
    /// A file's bytes.
    case file([UInt8])
    /// A folder's members by name.
    case folder([MemberName: PackageTree])
    /// Where a symbolic link leads: by its bytes, as a volume has it. What only looks alike is another place.
    case link(String)

    /// Whether both are the same, byte for byte.
    public static func == (left: PackageTree, right: PackageTree) -> Bool {
        switch (left, right) {
        case (.file(let own), .file(let other)): own == other
        case (.folder(let own), .folder(let other)): own == other
        case (.link(let own), .link(let other)): own.utf8.elementsEqual(other.utf8)
        default: false
        }
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .file(let bytes): hasher.combine(bytes)
        case .folder(let members): hasher.combine(members)
        case .link(let target): hasher.combine(Array(target.utf8))
        }
    }
}

/// What a merge of two packages came to.
public struct MergedPackage: Hashable, Sendable {
    /// The merged package; nil when both took it away.
    public var contents: PackageTree?
    /// Where both changed the same.
    public var conflicts: [MergeConflict]

    /// - Parameters:
    ///   - contents: The merged package.
    ///   - conflicts: Where both changed the same.
    public init(contents: PackageTree?, conflicts: [MergeConflict] = []) {
        self.contents = contents
        self.conflicts = conflicts
    }
}

/// Merges packages member by member, each by a merger for its own type. Members that only one side has touched always
/// merge, whatever the other one did elsewhere.
///
/// - A member that one side took away and the other one changed stays, and is a conflict.
/// - A member that became something else on one side (a folder from a file), while the other one changed it, is a
///   conflict as a whole; the side stands whose member is the greater: a folder before a link before a file, then by
///   bytes.
/// - Renaming is taking away and adding: edits of the old name by the other side are a conflict, and stay under it. A name
///   in another form of Unicode is another name.
public struct PackageMerger: Sendable {
    private let merger: @Sendable ([String]) -> any Merger

    /// - Parameter merger: Chooses a file's merger by its path in the package; no name for a package that is a file.
    public init(merger: @escaping @Sendable (_ path: [String]) -> any Merger) {
        self.merger = merger
    }

    /// Merges three versions of a package; nil stands for one that is not there.
    public func merge(base: PackageTree?, mine: PackageTree?, theirs: PackageTree?) -> MergedPackage {
        var merge = PackageMerge(merger: merger)
        let contents = merge.merge([], base, mine, theirs)
        return MergedPackage(contents: contents, conflicts: merge.conflicts)
    }
}

private struct PackageMerge {
    let merger: @Sendable ([String]) -> any Merger
    private(set) var conflicts: [MergeConflict] = []

    init(merger: @escaping @Sendable ([String]) -> any Merger) {
        self.merger = merger
    }

    mutating func merge(
        _ path: [String],
        _ base: PackageTree?,
        _ mine: PackageTree?,
        _ theirs: PackageTree?
    ) -> PackageTree? {
        if mine == theirs || theirs == base { return mine }
        if mine == base { return theirs }
        switch (mine, theirs) {
        case (.folder(let own), .folder(let other)): return mergeFolders(path, base, own, other)
        case (.file(let own), .file(let other)): return .file(mergeFiles(path, base, own, other))
        case (nil, .some), (.some, nil): return mergeDeletion(path, base, mine, theirs)
        default: break
        }
        let standing: MergeSide = Self.precedes(mine, theirs) ? .theirs : .mine
        conflict(path, base, mine, theirs, standing)
        return standing == .mine ? mine : theirs
    }

    private mutating func mergeFolders(
        _ path: [String],
        _ base: PackageTree?,
        _ mine: [MemberName: PackageTree],
        _ theirs: [MemberName: PackageTree]
    ) -> PackageTree {
        var old: [MemberName: PackageTree] = [:]
        if case .folder(let members) = base { old = members }
        var merged: [MemberName: PackageTree] = [:]
        for name in Set(mine.keys).union(theirs.keys).sorted() {
            merged[name] = merge(path + [name.text], old[name], mine[name], theirs[name])
        }
        return .folder(merged)
    }

    private mutating func mergeFiles(
        _ path: [String],
        _ base: PackageTree?,
        _ mine: [UInt8],
        _ theirs: [UInt8]
    ) -> [UInt8] {
        var old: [UInt8]?
        if case .file(let bytes) = base { old = bytes }
        let merged = merger(path).merge(base: old, mine: mine, theirs: theirs)
        conflicts += merged.conflicts.map { conflict in
            var conflict = conflict
            conflict.place = path.map { .member($0) } + conflict.place
            return conflict
        }
        return merged.contents
    }

    /// One side took away what the other one changed, or parts of it. What was changed stays.
    private mutating func mergeDeletion(
        _ path: [String],
        _ base: PackageTree?,
        _ mine: PackageTree?,
        _ theirs: PackageTree?
    ) -> PackageTree? {
        let isMine = mine != nil
        guard case .folder(let members) = mine ?? theirs, case .folder(let old) = base else {
            conflict(path, base, mine, theirs, isMine ? .mine : .theirs)
            return mine ?? theirs
        }
        var merged: [MemberName: PackageTree] = [:]
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            merged[name] = merge(path + [name.text], old[name], isMine ? member : nil, isMine ? nil : member)
        }
        // Members were only taken away on both sides: the folder goes.
        return merged.isEmpty ? nil : .folder(merged)
    }

    private mutating func conflict(
        _ path: [String],
        _ base: PackageTree?,
        _ mine: PackageTree?,
        _ theirs: PackageTree?,
        _ standing: MergeSide
    ) {
        let parts = [base, mine, theirs].map { $0.map(Self.part) }
        conflicts.append(
            MergeConflict(
                place: path.map { .member($0) },
                base: parts[0],
                mine: parts[1],
                theirs: parts[2],
                standing: standing
            )
        )
    }

    /// A link's part is where it leads.
    private static func part(_ tree: PackageTree) -> MergeConflict.Part {
        switch tree {
        case .file(let bytes): MergeConflict.Part(range: 0..<bytes.count, bytes: bytes)
        case .link(let target): MergeConflict.Part(range: nil, bytes: Array(target.utf8))
        case .folder: MergeConflict.Part(range: nil, bytes: [])
        }
    }

    private static func precedes(_ left: PackageTree?, _ right: PackageTree?) -> Bool {
        let (first, second) = (rank(left), rank(right))
        if first != second { return first < second }
        switch (left, right) {
        case (.file(let own), .file(let other)): return own.lexicographicallyPrecedes(other)
        case (.link(let own), .link(let other)): return own.utf8.lexicographicallyPrecedes(other.utf8)
        default: return false
        }
    }

    private static func rank(_ tree: PackageTree?) -> Int {
        switch tree {
        case nil: 0
        case .file: 1
        case .link: 2
        case .folder: 3
        }
    }
}
