internal import DocumentMerging
internal import FileSystem
internal import Foundation
internal import Merging
internal import Vault

/// Merges three versions of a file or a package on disk that nobody else touches: to what `PackageMerger` makes of them where
/// that comes to no conflict.
///
/// What one side alone has changed is compared piece by piece, and copied. Only what both have changed is read as a whole, if
/// its merger looks inside. Names are bytes, and no date is looked at: what comes of it depends on no clock.
struct ItemMerge {
    /// So many bytes are merged of one document, of each file that both have changed those of the largest version: a merger
    /// needs several times that in memory, and a process that is killed for it begins the same merge again. Of JSON and
    /// property lists the values need far more than their bytes; their mergers take so many only.
    static let byteCountMax: Int64 = 64 << 20

    /// Both have changed the same, or nobody can tell.
    private struct Conflict: Error {}

    /// What a version has at a place.
    private struct Member {
        let path: FilePath
        let stamp: FileStamp

        init(_ path: FilePath) throws {
            self.path = path
            stamp = try FileStamp(of: path)
        }

        var kind: FileStamp.Kind { stamp.kind }

        /// Of a folder.
        func members() throws -> [MemberName: Member] {
            var members: [MemberName: Member] = [:]
            for entry in try FileReading.entries(in: path) {
                members[MemberName(entry.name)] = try Member(path.appending(entry.name))
            }
            return members
        }

        /// Of a file.
        func bytes() throws -> [UInt8] { [UInt8](try FileReading.contents(of: path)) }
    }

    /// What the base has at a place.
    private enum Known {
        case absent
        case present(Member)
        /// Nobody knows what was there.
        case unknown
    }

    /// What becomes of a place.
    private indirect enum Outcome {
        case nothing
        /// A copy of what one version has.
        case taken(FilePath)
        case merged([UInt8])
        case folder([(name: String, outcome: Outcome)])
    }

    /// How much was merged.
    private var byteCount: Int64 = 0

    private init() {}

    /// Merges, and puts the outcome where nothing is.
    ///
    /// - Returns: False for a conflict, for links, and for what is not of one kind; then nothing is put there.
    static func merge(
        base: FilePath?,
        mine: FilePath,
        theirs: FilePath,
        to target: FilePath
    ) throws -> Bool {
        let (own, other) = (try Member(mine), try Member(theirs))
        guard own.kind == other.kind, [.regular, .directory].contains(own.kind) else { return false }
        var known = Known.unknown
        // What was of another kind tells nothing of what is in this.
        if let base, case let old = try Member(base), old.kind == own.kind { known = .present(old) }
        var merge = ItemMerge()
        do {
            let outcome = try merge.outcome(known, own, other)
            try put(outcome, at: target)
            return true
        } catch is Conflict {
            return false
        }
    }

    /// Whether `merge` is certain to come to a conflict for lone files, by what is known of them without their bytes: what it is
    /// told here it need not be shown. Files that are gigabytes long are not laid out for that.
    static func areInConflict(
        _ name: String,
        base: DocumentContents?,
        mine: DocumentContents,
        theirs: DocumentContents
    ) -> Bool {
        let old = base.flatMap { $0.kind == .regular ? $0 : nil }
        // What only one has changed is taken, and what neither has; what the document bears is merged then.
        if mine.isAlike(to: theirs) { return false }
        if let old, old.isAlike(to: mine) || old.isAlike(to: theirs) { return false }
        let merger = DocumentMergers.standardMerger(ofFileNamed: name)
        guard merger.looksInside, old != nil || !merger.needsBase else { return true }
        return max(mine.byteCount, theirs.byteCount, old?.byteCount ?? 0) > UInt64(byteCountMax)
    }

    /// The same of packages, by what both have made of one place in them.
    static func areInConflict(_ contest: PackageContest) -> Bool {
        switch contest {
        case .files(let name, let byteCount, let isBaseKnown):
            let merger = DocumentMergers.standardMerger(ofFileNamed: name)
            guard merger.looksInside, isBaseKnown || !merger.needsBase else { return true }
            return byteCount > UInt64(byteCountMax)
        case .others: return true
        }
    }

    // MARK: Deciding

    private mutating func outcome(_ base: Known, _ mine: Member?, _ theirs: Member?) throws -> Outcome {
        guard let own = mine, let other = theirs else { return try oneSided(base, mine ?? theirs) }
        if own.kind == .directory, other.kind == .directory { return try folder(base, own, other) }
        if try isSame(own, other) { return .taken(other.path) }
        if case .present(let old) = base {
            if try isSame(old, own) { return .taken(other.path) }
            if try isSame(old, other) { return .taken(own.path) }
        }
        guard own.kind == .regular, other.kind == .regular else { throw Conflict() }
        return .merged(try merged(base, own, other))
    }

    private mutating func folder(_ base: Known, _ mine: Member, _ theirs: Member) throws -> Outcome {
        let olds: [MemberName: Member]?
        switch base {
        case .unknown: olds = nil
        case .present(let old) where old.kind == .directory: olds = try old.members()
        case .present, .absent: olds = [:]
        }
        let (owns, others) = (try mine.members(), try theirs.members())
        var members: [(name: String, outcome: Outcome)] = []
        for name in Set(owns.keys).union(others.keys).sorted() {
            let old = olds.map { Self.known(name, in: $0) } ?? .unknown
            let outcome = try outcome(old, owns[name], others[name])
            if case .nothing = outcome { continue }
            members.append((name: name.text, outcome: outcome))
        }
        return .folder(members)
    }

    private static func known(_ name: MemberName, in members: [MemberName: Member]) -> Known {
        guard let member = members[name] else { return .absent }
        return .present(member)
    }

    /// What one side has at a place at which the other one has nothing.
    private func oneSided(_ base: Known, _ left: Member?) throws -> Outcome {
        guard let left else { return .nothing }
        switch base {
        case .unknown: throw Conflict()
        case .absent: return .taken(left.path)
        case .present(let old) where old.kind == .directory && left.kind == .directory:
            return try addition(to: old, in: left)
        case .present(let old):
            guard try isSame(old, left) else { throw Conflict() }
            return .nothing
        }
    }

    /// What one side has put into a folder that the other one has taken away.
    private func addition(to old: Member, in folder: Member) throws -> Outcome {
        let olds = try old.members()
        var members: [(name: String, outcome: Outcome)] = []
        for (name, member) in try folder.members().sorted(by: { $0.key < $1.key }) {
            let outcome = try oneSided(Self.known(name, in: olds), member)
            if case .nothing = outcome { continue }
            members.append((name: name.text, outcome: outcome))
        }
        return members.isEmpty ? .nothing : .folder(members)
    }

    private func isSame(_ one: Member, _ other: Member) throws -> Bool {
        guard one.kind == other.kind else { return false }
        switch one.kind {
        case .regular: return try FileReading.haveSameBytes(one.path, other.path)
        case .symbolicLink:
            let text = try FileReading.symbolicLinkText(at: one.path)
            return text.isSameInBytes(try FileReading.symbolicLinkText(at: other.path))
        case .directory:
            let (members, others) = (try one.members(), try other.members())
            guard members.count == others.count else { return false }
            for (name, member) in members {
                guard let twin = others[name], try isSame(member, twin) else { return false }
            }
            return true
        case .other: return false
        }
    }

    /// Both sides have changed a file, or have made one each.
    private mutating func merged(_ base: Known, _ mine: Member, _ theirs: Member) throws -> [UInt8] {
        let merger = DocumentMergers.standardMerger(ofFileNamed: mine.path.name)
        guard merger.looksInside else { throw Conflict() }
        var old: Member?
        switch base {
        case .present(let member): old = member.kind == .regular ? member : nil
        case .absent: break
        case .unknown: guard !merger.needsBase else { throw Conflict() }
        }
        let versions = [mine, theirs] + (old.map { [$0] } ?? [])
        byteCount += versions.map(\.stamp.byteCount).max() ?? 0
        guard byteCount <= Self.byteCountMax else { throw Conflict() }
        let merged = merger.merge(
            base: try old.map { try $0.bytes() },
            mine: try mine.bytes(),
            theirs: try theirs.bytes()
        )
        guard merged.conflicts.isEmpty else { throw Conflict() }
        return merged.contents
    }

    // MARK: Writing

    private static func put(_ outcome: Outcome, at target: FilePath) throws {
        switch outcome {
        case .nothing: break
        case .taken(let source): try ItemCopy.copy(source, toFree: target)
        case .merged(let bytes): try ItemMoves.createFile(target, contents: Data(bytes))
        case .folder(let members):
            try ItemMoves.createFolder(target, permissions: 0o700)
            for member in members { try put(member.outcome, at: target.appending(member.name)) }
        }
    }
}
