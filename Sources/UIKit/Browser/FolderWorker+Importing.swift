internal import DocumentFoundation
internal import FileSystem
internal import Foundation

extension FolderWorker {
    func importItems(
        at urls: [URL],
        into folderID: String,
        mode: ItemImportMode
    ) throws -> BrowserOutcome {
        let folder = try location.folder(folderID)
        var kept: [BrowserError] = []
        var outcome = each(urls, name: \.lastPathComponent) { url in
            guard let path = FilePath(url) else {
                throw BrowserError(CocoaError(.fileReadUnsupportedScheme), item: url.lastPathComponent)
            }
            let original = try path.resolvedInFolder()
            guard !folder.isInside(original) else { throw BrowserError(.intoItself, item: original.name) }
            let name = try importedName(of: original)
            let isDirectory = try FileStamp(of: original, followsSymbolicLink: true).kind == .directory
            let isPlainFolder = isDirectory && !location.kinds.isPackage(original.url(isDirectory: true))
            let target = try placing(name, hasExtension: !isPlainFolder, in: folder) { target in
                switch mode {
                case .copy: try bringCopy(of: original, to: target, isDirectory: isDirectory)
                case .move:
                    let failure = try bring(original, to: target, isDirectory: isDirectory)
                    if let failure { kept.append(failure) }
                }
            }
            return try item(BrowserLocation.id(target.name, in: folderID))
        }
        outcome.failures += kept
        outcome.inverse = outcome.items.isEmpty ? nil : .trash(outcome.items.map(\.id))
        return outcome
    }

    /// A name that would hide the item is refused; any other that another volume has allowed is kept.
    private func importedName(of original: FilePath) throws(ItemNameError) -> String {
        guard BrowserLocation.isShown(original.name) else {
            throw ItemNameError(code: .leadingDot, name: original.name)
        }
        return original.name
    }

    /// A link's target is copied: the link itself would lead out of the location.
    private func bringCopy(of original: FilePath, to target: FilePath, isDirectory: Bool) throws {
        let source = try original.resolved()
        try Coordinated.copying(source, to: target, isDirectory: isDirectory) {
            try ItemCopy.copyWhole($0, toFree: $1)
        }
    }

    /// - Returns: What kept the original from being removed, after a move to another volume.
    private func bring(
        _ original: FilePath,
        to target: FilePath,
        isDirectory: Bool
    ) throws -> BrowserError? {
        do {
            try Coordinated.moving(original, to: target, isDirectory: isDirectory) {
                try Self.moveWhole($0, to: $1)
            }
            return nil
        } catch let error as SystemError where error.isAcrossVolumes {
            let isLink = try FileStamp(of: original, followsSymbolicLink: false).kind == .symbolicLink
            let across = isLink ? bringAcrossFromLink : bringAcross
            do {
                try across(original, target, isDirectory)
                return nil
            } catch let kept as OriginalKept {
                let code: BrowserError.Code = kept.reason == nil ? .originalChanged : .originalKept
                return BrowserError(code, item: original.name, underlying: kept.reason)
            }
        }
    }

    /// What an upload or an app has just written, and nobody has synced, is not to be an empty file after a power cut.
    private static func moveWhole(_ source: FilePath, to target: FilePath) throws {
        if try FileStamp.ifPresent(at: source) != nil {
            try ItemSync.sync([source], folders: [], onVolumeOf: source.parent)
        }
        try ItemMoves.move(source, toFree: target)
    }

    /// Moves to another volume: one access, in which the copy is complete before the original goes, so that open
    /// documents are told of a move and not of an end. What others have written since the copying began may not be in the copy.
    private func bringAcross(_ original: FilePath, to target: FilePath, isDirectory: Bool) throws {
        // A move takes what is here; a copy needs all of it.
        try Coordinated.fetching(original, isDirectory: isDirectory)
        try Coordinated.moving(original, to: target, isDirectory: isDirectory) { source, target in
            let looks = try ItemLooks(of: source)
            try ItemCopy.copyWhole(source, toFree: target)
            guard looks.isAtRest(at: source) else { throw OriginalKept(reason: nil) }
            try Self.removeOriginal(source, isDirectory: isDirectory)
        }
    }

    /// What the link leads to stays, and its documents with it.
    private func bringAcrossFromLink(_ link: FilePath, to target: FilePath, isDirectory: Bool) throws {
        try bringCopy(of: link, to: target, isDirectory: isDirectory)
        do {
            try Coordinated.deleting(link, isDirectory: false) {
                try Self.removeOriginal($0, isDirectory: false)
            }
        } catch let kept as OriginalKept { throw kept } catch { throw OriginalKept(reason: error) }
    }

    private static func removeOriginal(_ path: FilePath, isDirectory: Bool) throws(OriginalKept) {
        do { try FileManager.default.removeItem(at: path.url(isDirectory: isDirectory)) } catch {
            throw OriginalKept(reason: error)
        }
    }
}

/// The copy is in place, but its original is still there.
private struct OriginalKept: Error {
    /// What kept it from being removed; nil where it was changed meanwhile.
    let reason: (any Error)?
}
