package import FileSystem
internal import Foundation

/// How a captured tree is written, and what the wrappers have to know once it is.
///
///     capture ── plan(over:) ──▶ plan ── the caller writes `work` ──▶ noteWritten(at:)
///
/// Made and used on the thread that writes files.
package struct WrapperSavePlan {
    /// What is to be written.
    package enum Work: Sendable {
        /// These members of the package that is there; it may be none.
        case changes(PackageChanges)
        /// All of it.
        case tree(MemberTree)
    }

    package let work: Work
    let top: FileWrapper
    let serial: UInt64
    /// What is on disk when the work is done: the top first, parents before their members.
    let written: [WrittenMember]
    /// What was there before and is not any more.
    let forgotten: [ForgottenMember]
    /// Members of the package on disk that are replaced or removed, also those whose wrappers nobody holds.
    let replaced: [ReplacedMember]
    /// Directories that stay what they are, with those of their members that changed.
    let visited: [VisitedDirectory]
}

// Sendable because the wrappers in it are only used through `TreeLock`.
extension WrapperSavePlan: @unchecked Sendable {}

/// A wrapper that stands for an item which a save writes, or finds to be written already.
struct WrittenMember {
    let captured: CapturedWrapper
    /// The wrapper of the directory the item is in; nil for the top.
    let parent: FileWrapper?
    let path: MemberPath
    /// The wrapper that stood for an equal directory until now.
    let successorOf: FileWrapper?

    /// Its key in the parent, which is its name on disk; nil for the top.
    var key: String? { path.components.last }
}

struct ForgottenMember {
    let wrapper: FileWrapper
    let folder: DiskDirectory
    let name: String
}

struct ReplacedMember {
    let path: MemberPath
    /// A wrapper for what was there; nil when that is not known, or is what is written again.
    let wrapper: FileWrapper?
}

struct VisitedDirectory {
    let wrapper: FileWrapper
    let path: MemberPath
    let members: [String: FileWrapper]
    let keys: Set<String>
}

extension WrapperCapture {
    /// Finds what has to be written to a document, reading what must be compared.
    ///
    /// - Parameter original: Where the document is, and is to be written. Changes are what differs from that;
    ///   unchanged files of a whole tree are linked from there.
    /// - Throws: `CocoaError` with a reading code when contents that were never read have changed on disk;
    ///   `fileWriteInvalidFileName` for a key that cannot be a file's name.
    package func plan(over original: FilePath) throws -> WrapperSavePlan {
        try Self.bridging {
            if let plan = try incrementalPlan(over: original) { return plan }
            return try plan(linkingFrom: original)
        }
    }

    /// Plans to write the tree to a new place.
    ///
    /// - Parameter original: From where unchanged files are linked. Nil copies them, so that nothing is
    ///   shared.
    /// - Throws: As `plan(over:)`.
    package func plan(linkingFrom original: FilePath?) throws -> WrapperSavePlan {
        try Self.bridging {
            // What was captured for its changes only is captured again, whole and at one moment as before.
            let (whole, serial) =
                isWhole
                ? (top, self.serial)
                : TreeLock.with { (top.wrapper.captured(isWhole: true), TreeLock.nextSerial()) }
            var planner = WrapperPlanner(linkingFrom: original)
            let tree = try planner.tree(of: whole, in: nil, at: .top)
            return planner.plan(.tree(tree), of: top.wrapper, serial: serial)
        }
    }

    private static func bridging(_ body: () throws -> WrapperSavePlan) throws -> WrapperSavePlan {
        do { return try body() } catch let error as SystemError {
            throw CocoaError(error, while: .reading)
        }
    }

    /// The changes to the package at a place; nil if they cannot be told, and all has to be written.
    private func incrementalPlan(over original: FilePath) throws -> WrapperSavePlan? {
        var planner = WrapperPlanner(linkingFrom: original)
        do {
            if try top.wrapper.stands(for: original, record: top.record) {
                guard top.attributes == nil, case .directory(let directory?) = top.contents else {
                    return nil
                }
                try planner.compareInPlace(top.wrapper, directory, at: .top)
            } else if let known, top.attributes == nil, try known.stands(for: original, record: known.record)
            {
                guard case .directory(let directory?) = top.contents else { return nil }
                try planner.compare(top, directory, with: known, in: nil, at: .top)
            } else {
                return nil
            }
        } catch is WrapperPlanner.NeedsWholeTree {
            return nil
        }
        return planner.plan(.changes(planner.changes), of: top.wrapper, serial: serial)
    }
}

extension FileWrapper {
    var record: DiskRecord? { TreeLock.with { state.record } }

    /// Whether the directory at a place is the one that the record of a top is about.
    ///
    /// Members that others have put there meanwhile do not matter: they are left alone.
    func stands(for path: FilePath, record: DiskRecord?) throws(SystemError) -> Bool {
        guard let record, record.folder == nil, case .stamped(let known) = record.mark else { return false }
        guard TreeLock.with({ record.origin.itemPath }) == path else { return false }
        guard let stamp = try FileStamp.ifPresent(at: path) else { return false }
        return stamp.kind == .directory && stamp.device == known.device && stamp.inode == known.inode
    }
}
