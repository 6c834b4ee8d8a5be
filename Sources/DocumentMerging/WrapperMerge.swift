internal import DocumentFoundation
internal import Foundation
internal import Merging

/// Merges three versions of a package as ``PackageMerger`` does, but reads only what both sides have changed.
///
/// A member that is the same wrapper as in the base was not changed here, and one whose item on disk is as it was when
/// the base was read was not changed there: either is decided without a look inside.
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

        var folder: FileWrapper? {
            guard case .present(let wrapper) = self, wrapper.isDirectory else { return nil }
            return wrapper
        }
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
        let olds = base.folder.flatMap(\.fileWrappers)
        let isUnknown = if case .absent = base { false } else { olds == nil }
        let (owns, others) = try (members(of: mine), members(of: theirs))
        var merged: [String: FileWrapper] = [:]
        var isTheirs = true
        let names = Set(owns.keys).union(others.keys)
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let old: Known = isUnknown ? .unknown : olds?[name].map { .present($0) } ?? .absent
            merged[name] = try member(path + [name], old, owns[name], others[name])
            if merged[name] !== others[name] { isTheirs = false }
        }
        return isTheirs ? theirs : .directory(of: merged)
    }

    private func members(of folder: FileWrapper) throws -> [String: FileWrapper] {
        guard let members = folder.fileWrappers else { throw Self.unreadable(folder) }
        return members
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
            let isFolder = if case .present(let old) = base { old.isDirectory } else { true }
            if mine.isDirectory, theirs.isDirectory, isFolder {
                return try folder(path, base, mine, theirs)
            }
            if mine.holdsSame(as: theirs) { return theirs }
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

    /// Both sides have changed a member: all of it is read and merged.
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
        if wrapper.isDirectory {
            return .folder(try members(of: wrapper).compactMapValues { try tree($0, isBase: isBase) })
        }
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
        case .folder(let members): return .directory(of: members.mapValues(wrapper))
        case .link(let target):
            return FileWrapper(symbolicLinkWithDestinationURL: FileWrapper.destinationURL(ofLinkText: target))
        }
    }
}
