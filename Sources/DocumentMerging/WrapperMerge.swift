internal import DocumentFoundation
internal import Foundation
internal import Merging

/// Merges three versions of a package as ``PackageMerger`` does, but reads only what both sides have changed.
///
/// A member that is the same wrapper as in the base was not changed here, and one whose item on disk is as it was when
/// the base was read was not changed there: either is decided without a look inside.
///
/// Members are told apart by the bytes of their names. A wrapper cannot have two names that are one in another form of
/// Unicode: what would have to is a conflict.
struct WrapperMerge {
    private let merger: @Sendable (_ name: String) -> any Merger
    private(set) var conflicts: [MergeConflict] = []

    /// A member of the base.
    private enum Known {
        /// There was none.
        case absent
        case present(FileWrapper)
        /// Nobody knows what was there.
        case unknown

        var wrapper: FileWrapper? {
            guard case .present(let wrapper) = self else { return nil }
            return wrapper
        }

        var folder: FileWrapper? { wrapper.flatMap { $0.isDirectory ? $0 : nil } }
    }

    /// - Parameter merger: Chooses a file's merger by its name.
    init(merger: @escaping @Sendable (_ name: String) -> any Merger) {
        self.merger = merger
    }

    /// Merges packages; nil stands for a base that is not known.
    ///
    /// - Returns: A new tree that shares members with mine and theirs, or theirs itself when all of it is as there.
    mutating func merge(base: FileWrapper?, mine: FileWrapper, theirs: FileWrapper) throws -> FileWrapper {
        try folder([], base.map { .present($0) } ?? .unknown, mine, theirs)
    }

    // MARK: Folders

    private mutating func folder(
        _ path: [String],
        _ base: Known,
        _ mine: FileWrapper,
        _ theirs: FileWrapper
    ) throws -> FileWrapper {
        // A base that cannot be listed any more tells nothing of any member.
        let listed = base.folder.flatMap(\.fileWrappers)
        let olds = Self.named(listed ?? [:])
        let isListed = if case .absent = base { true } else { listed != nil }
        let (owns, others) = try (members(of: mine), members(of: theirs))
        // Nor does it where names are not those on disk: which member has which may be another in each tree.
        let isUnknown = !isListed || [base.folder, mine, theirs].contains { $0?.hasClashingNames ?? false }
        var merged: [(name: MemberName, wrapper: FileWrapper)] = []
        var isTheirs = true
        for name in Set(owns.keys).union(others.keys).sorted() {
            let old: Known = isUnknown ? .unknown : olds[name].map { .present($0) } ?? .absent
            let outcome = try member(path + [name.text], old, owns[name], others[name])
            if outcome !== others[name] { isTheirs = false }
            if let outcome { merged.append((name: name, wrapper: outcome)) }
        }
        if isTheirs { return theirs }
        noteClashes(of: merged.map { $0.name }, at: path, mine: owns)
        return .directory(of: merged.map { (name: $0.name.text, wrapper: $0.wrapper) })
    }

    private func members(of folder: FileWrapper) throws -> [MemberName: FileWrapper] {
        guard let members = folder.fileWrappers else { throw Self.unreadable(folder) }
        return Self.named(members)
    }

    private static func named(_ members: [String: FileWrapper]) -> [MemberName: FileWrapper] {
        Dictionary(uniqueKeysWithValues: members.map { (MemberName($0.key), $0.value) })
    }

    /// Has names be conflicts that are one in another form: one is mine, the other theirs, and the later gets a number.
    private mutating func noteClashes(
        of names: [MemberName],
        at path: [String],
        mine: [MemberName: FileWrapper]
    ) {
        var taken: [String: MemberName] = [:]
        for name in names {
            guard let first = taken[name.text] else {
                taken[name.text] = name
                continue
            }
            let isMineFirst = mine[first] != nil
            let (own, other) = isMineFirst ? (first, name) : (name, first)
            conflicts.append(
                MergeConflict(
                    place: (path + [first.text]).map { .member($0) },
                    base: nil,
                    mine: MergeConflict.Part(range: nil, bytes: Array(own.text.utf8)),
                    theirs: MergeConflict.Part(range: nil, bytes: Array(other.text.utf8)),
                    standing: isMineFirst ? .mine : .theirs
                )
            )
        }
    }

    private static func unreadable(_ wrapper: FileWrapper) -> CocoaError {
        CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: wrapper.filename ?? "a package's member"])
    }

    // MARK: Members

    private mutating func member(
        _ path: [String],
        _ base: Known,
        _ mine: FileWrapper?,
        _ theirs: FileWrapper?
    ) throws -> FileWrapper? {
        var base = base
        if case .present(let old) = base {
            if old === mine { return theirs }
            // Before anything looks at it: what is noted then would be taken for what was there.
            if !isKnown(old) { base = .unknown }
        }
        switch base {
        case .absent where mine == nil || theirs == nil: return mine ?? theirs
        case .present(let old):
            if let mine, mine.holdsSame(as: old) { return theirs }
            if let theirs, isUnchanged(theirs, since: old) { return mine }
            if mine == nil, theirs == nil { return nil }
        default: break
        }
        if let mine, let theirs {
            if mine.isDirectory, theirs.isDirectory {
                // What was no folder had no members.
                let isFolder = if case .present(let old) = base { old.isDirectory } else { true }
                return try folder(path, isFolder ? base : .absent, mine, theirs)
            }
            if mine.holdsSame(as: theirs) { return theirs }
            if mine.isDirectory != theirs.isDirectory { return try ofTwoKinds(path, base, mine, theirs) }
        } else if let left = mine ?? theirs, left.isDirectory {
            return try removedFolder(path, base, left, of: mine == nil ? .theirs : .mine)
        }
        return try changedTwice(path, base, mine, theirs)
    }

    /// Whether a member of the base is in memory, or still on disk.
    private func isKnown(_ base: FileWrapper) -> Bool {
        base.isDirectory || base.bytesInMemory != nil || base.isSettledOnDisk
    }

    /// Whether what is on disk now is what was there when the base was read.
    private func isUnchanged(_ theirs: FileWrapper, since base: FileWrapper) -> Bool {
        guard !base.isDirectory, base.isRegularFile == theirs.isRegularFile,
            base.isSymbolicLink == theirs.isSymbolicLink
        else { return false }
        return theirs.isUnchangedOnDisk(since: base) || theirs.holdsSame(as: base)
    }

    /// One side has taken a folder away, the other one has it: what that has changed or added stays.
    private mutating func removedFolder(
        _ path: [String],
        _ base: Known,
        _ left: FileWrapper,
        of side: MergeSide
    ) throws -> FileWrapper? {
        guard let old = base.folder, let listed = old.fileWrappers,
            ![old, left].contains(where: \.hasClashingNames)
        else {
            // What it was is not known, or was no folder: that the other one has not changed it cannot be told.
            return try wholeConflict(
                path,
                base,
                side == .mine ? left : nil,
                side == .theirs ? left : nil,
                side
            )
        }
        let (olds, members) = (Self.named(listed), try members(of: left))
        var staying: [(name: String, wrapper: FileWrapper)] = []
        var isWhole = true
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let outcome = try self.member(
                path + [name.text],
                olds[name].map { .present($0) } ?? .absent,
                side == .mine ? member : nil,
                side == .theirs ? member : nil
            )
            if outcome !== member { isWhole = false }
            if let outcome { staying.append((name: name.text, wrapper: outcome)) }
        }
        if staying.isEmpty { return nil }
        return isWhole ? left : .directory(of: staying)
    }

    /// One side has a folder where the other one has none.
    private mutating func ofTwoKinds(
        _ path: [String],
        _ base: Known,
        _ mine: FileWrapper,
        _ theirs: FileWrapper
    ) throws -> FileWrapper? {
        if let old = base.folder {
            if isFolder(mine, as: old) { return theirs }
            if isFolder(theirs, as: old) { return mine }
        }
        return try wholeConflict(path, base, mine, theirs, mine.isDirectory ? .mine : .theirs)
    }

    /// Whether a folder holds, all through, what an earlier one did.
    private func isFolder(_ folder: FileWrapper, as old: FileWrapper) -> Bool {
        guard folder.isDirectory, let members = folder.fileWrappers, let listed = old.fileWrappers,
            members.count == listed.count, ![old, folder].contains(where: \.hasClashingNames)
        else { return false }
        let olds = Self.named(listed)
        return Self.named(members).allSatisfy { name, member in
            guard let old = olds[name] else { return false }
            if member === old { return true }
            if old.isDirectory { return isFolder(member, as: old) }
            return isKnown(old) && (member.holdsSame(as: old) || isUnchanged(member, since: old))
        }
    }

    /// A conflict about a member as a whole. Of folders nothing is read for it.
    private mutating func wholeConflict(
        _ path: [String],
        _ base: Known,
        _ mine: FileWrapper?,
        _ theirs: FileWrapper?,
        _ standing: MergeSide
    ) throws -> FileWrapper? {
        // What cannot be read is not known.
        let old = try? base.wrapper.flatMap { try tree($0, isBase: true) }
        let isListed = base.folder.map { $0.fileWrappers != nil } ?? true
        conflicts.append(
            MergeConflict(
                place: path.map { .member($0) },
                base: isListed ? old.map(Self.part) : nil,
                mine: try mine.map { Self.part(try tree($0)) },
                theirs: try theirs.map { Self.part(try tree($0)) },
                standing: standing
            )
        )
        return standing == .mine ? mine : theirs
    }

    /// Both sides have changed a member that is no folder: all of it is read and merged.
    private mutating func changedTwice(
        _ path: [String],
        _ base: Known,
        _ mine: FileWrapper?,
        _ theirs: FileWrapper?
    ) throws -> FileWrapper? {
        let (own, other) = try (tree(mine), tree(theirs))
        let merger = self.merger
        let packages = PackageMerger { below in merger(below.last ?? path.last ?? "") }
        let merged: MergedPackage
        switch base {
        case .absent: merged = packages.merge(base: nil, mine: own, theirs: other)
        case .present(let old):
            // What cannot be read is not known.
            if let old = try? tree(old, isBase: true) {
                merged = packages.merge(base: old, mine: own, theirs: other)
            } else {
                // It was not read before it was changed on disk: what it was is not known any more.
                merged = withoutBase(path, own, other)
            }
        case .unknown: merged = withoutBase(path, own, other)
        }
        conflicts += merged.conflicts.map { conflict in
            var conflict = conflict
            conflict.place = path.map { .member($0) } + conflict.place
            return conflict
        }
        if merged.contents == other { return theirs }
        return merged.contents == own ? mine : merged.contents.map(wrapper)
    }

    /// What two have of which nobody knows what it was.
    private func withoutBase(_ path: [String], _ mine: PackageTree?, _ theirs: PackageTree?) -> MergedPackage
    {
        let merger = self.merger
        if let mine, let theirs {
            let packages = PackageMerger { below in
                let found = merger(below.last ?? path.last ?? "")
                return found.needsBase ? BytesMerger() : found
            }
            return packages.merge(base: nil, mine: mine, theirs: theirs)
        }
        // Gone on one side; that the other one has not changed it cannot be told.
        let conflict = MergeConflict(
            base: nil,
            mine: mine.map { _ in Self.part(mine) },
            theirs: theirs.map { _ in Self.part(theirs) },
            standing: mine == nil ? .theirs : .mine
        )
        return MergedPackage(contents: mine ?? theirs, conflicts: [conflict])
    }

    private static func part(_ tree: PackageTree?) -> MergeConflict.Part {
        switch tree {
        case .file(let bytes): MergeConflict.Part(range: 0..<bytes.count, bytes: bytes)
        case .link(let target): MergeConflict.Part(range: nil, bytes: Array(target.utf8))
        case .folder, nil: MergeConflict.Part(range: nil, bytes: [])
        }
    }

    // MARK: Trees

    /// - Parameter isBase: Whether it is an earlier version: what was not read of it must be as it was.
    private func tree(_ wrapper: FileWrapper?, isBase: Bool = false) throws -> PackageTree? {
        guard let wrapper else { return nil }
        // What is in it is gone through elsewhere: here a folder is only another kind than what it is held against.
        if wrapper.isDirectory { return .folder([:]) }
        if isBase, !isKnown(wrapper) { throw Self.unreadable(wrapper) }
        if wrapper.isSymbolicLink {
            guard let target = wrapper.symbolicLinkDestinationURL else { throw Self.unreadable(wrapper) }
            return .link(target.relativePath)
        }
        guard let bytes = wrapper.regularFileContents else { throw Self.unreadable(wrapper) }
        return .file(Array(bytes))
    }

    private func wrapper(_ tree: PackageTree) -> FileWrapper {
        switch tree {
        case .file(let bytes): return FileWrapper(regularFileWithContents: Data(bytes))
        case .folder: return .directory(of: [])
        case .link(let target):
            return FileWrapper(symbolicLinkWithDestinationURL: FileWrapper.destinationURL(ofLinkText: target))
        }
    }
}
