internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Locks
internal import Vault

// Where what lost against a document is kept: as a version in conflict, or beside the document where that cannot be.
extension DocumentFileAccess {
    /// Keeps what is at a place, which is about to lose against the document.
    ///
    /// - Returns: Where it is kept, on stable storage.
    func keepOthers(at url: URL) throws -> ConflictLoser {
        confined()
        versions.othersWrote()
        if versions.isKeeping {
            let keeping = VersionKeeping(
                others.reason,
                lastKnown: others.isOwnPlace ? versions.mark : nil,
                mayBeWritten: true
            )
            do { return .version(try versions.store.keepConflict(url, keeping)) } catch {
                // What is gone, or being written, is told by the attempt to copy it.
                reportOnce(error)
            }
        }
        return .copy(try keepAside(url))
    }

    /// Keeps what a program has written into a file that a save has replaced: in the state that the document was in
    /// then.
    func keepLate(_ contents: Data, of replaced: OthersWork.Replaced) throws -> ConflictLoser {
        let member = replaced.member.flatMap { path in replaced.former.map { (path: path, former: $0) } }
        // A member of a package alone, where no state is kept that it was in, is no version of the document.
        if versions.isKeeping, replaced.member == nil || member != nil {
            do {
                let version = try versions.store.keepConflict(
                    contents: contents,
                    of: replaced.item.url(isDirectory: member != nil),
                    in: member,
                    dated: replaced.date,
                    others.reason
                )
                return .version(version)
            } catch { reportOnce(error) }
        }
        guard let path = replaced.member else {
            return .copy(try keep(.file(.data(contents)), as: replaced.path, isDirectory: false))
        }
        return .copy(try keepPackage(replaced.item, with: contents, at: path))
    }

    /// Keeps a package as it is now, but for one file of it, beside it.
    private func keepPackage(_ item: FilePath, with contents: Data, at member: MemberPath) throws -> URL {
        for _ in 0..<OthersWork.attemptsMax {
            do {
                let tree = try wholeTree(at: item.url(isDirectory: true), item, isDirectory: true)
                let path = member.components[...]
                return try keep(tree.replacing(path, with: contents), as: item, isDirectory: true)
            } catch {
                // Changed while it was copied, or gone: look again.
                let code = Self.systemCode(of: error)
                guard [ESTALE, ENOENT, ENOTDIR].contains(code) else { throw error }
            }
        }
        // There is no package to be had; what was written is a file all the same.
        let place = item.parent.appending(member.components.last ?? item.name)
        return try keep(.file(.data(contents)), as: place, isDirectory: false)
    }

    /// Says once for each document that something of it was not kept as a version.
    func reportOnce(_ error: any Error) {
        // A vault that cannot be opened has been reported, for all documents. What has gone elsewhere is kept there.
        let isAbsent = (error as? SystemError)?.isAbsent ?? false
        if isAbsent || (error as? FileVersionError).map({ $0.code != .notKept }) ?? false {
            versions.othersWrote()
            return
        }
        guard versions.failed() else { return }
        versions.store.report((error as? SystemError)?.description ?? error.localizedDescription)
    }

    // MARK: Beside the document

    /// Keeps what is at a place under a name of its own beside it.
    ///
    /// - Returns: Where it is kept, on stable storage.
    func keepAside(_ url: URL) throws -> URL {
        let path = try path(of: url)
        let isDirectory = try stamp(of: url).kind == .directory
        return try keep(
            try wholeTree(at: url, path, isDirectory: isDirectory),
            as: path,
            isDirectory: isDirectory
        )
    }

    /// Keeps something beside an item, under a name of its own.
    func keep(_ tree: MemberTree, as path: FilePath, isDirectory: Bool) throws -> URL {
        try putBeside(path, isDirectory: isDirectory, dated: Date()) { save in try save.write(tree) }
    }

    /// Makes a document of a version, beside an item.
    func put(_ version: NSFileVersion, beside url: URL) throws {
        let date = version.modificationDate ?? Date()
        let isDirectory = try stamp(of: version.url).kind == .directory
        _ = try putBeside(try path(of: url), isDirectory: isDirectory, dated: date) { save in
            try versions.store.restore(version, to: try save.stagedPath())
        }
    }

    private func putBeside(
        _ path: FilePath,
        isDirectory: Bool,
        dated date: Date,
        _ write: (StagedSave) throws -> Void
    ) throws -> URL {
        for number in 1... {
            let copy = path.parent.appending(ConflictName.make(for: path.name, at: date, number: number))
            do {
                let save = try StagedSave(item: copy, mustNotExist: true)
                try write(save)
                _ = try save.commit()
                return copy.url(isDirectory: isDirectory)
            } catch let error as SystemError {
                guard error.errno == EEXIST else { throw CocoaError(error, while: .writing) }
            }
        }
        preconditionFailure("every name is taken")
    }

    private func wholeTree(at url: URL, _ path: FilePath, isDirectory: Bool) throws -> MemberTree {
        guard isDirectory else { return .file(.existing(path, nil)) }
        let capture = try FileWrapper(url: url, options: []).captureForSave()
        guard case .tree(let tree) = try capture.plan(linkingFrom: nil).work else {
            preconditionFailure("a plan for a new place is a whole tree")
        }
        return tree
    }
}

extension MemberTree {
    /// The same with a file's bytes at a path, in folders where they have to be; a file keeps its permissions.
    fileprivate func replacing(_ path: ArraySlice<String>, with contents: Data) -> MemberTree {
        guard let name = path.first else {
            guard case .file(_, let attributes) = self else { return .file(.data(contents)) }
            return .file(.data(contents), MemberAttributes(permissions: attributes.permissions))
        }
        guard case .directory(var members, let attributes) = self else {
            return MemberTree.directory([:]).replacing(path, with: contents)
        }
        members[name] = (members[name] ?? .directory([:])).replacing(path.dropFirst(), with: contents)
        return .directory(members, attributes)
    }
}
