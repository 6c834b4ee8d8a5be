internal import DocumentFoundation
internal import Foundation

/// Where something is kept that lost against a document.
enum ConflictLoser: Sendable {
    /// Among the document's versions, unresolved.
    case version(NSFileVersion)
    /// Beside the document, where no versions are kept.
    case copy(URL)
}

/// What lost against a document, and nobody has settled yet.
struct DocumentConflicts {
    /// The oldest first.
    private(set) var versions: [NSFileVersion] = []
    private(set) var copies: [URL] = []

    var isEmpty: Bool { versions.isEmpty && copies.isEmpty }

    mutating func insert(_ loser: ConflictLoser) {
        switch loser {
        case .copy(let url): copies.append(url)
        case .version(let version): if !versions.contains(version) { versions.append(version) }
        }
    }

    /// Those of the versions that bear one of some names, and the copies; nil for all.
    func limited(to names: Set<String>?) -> DocumentConflicts {
        guard let names else { return self }
        var conflicts = self
        conflicts.versions.removeAll { version in version.name.map { !names.contains($0) } ?? true }
        return conflicts
    }

    /// The versions alone.
    var withoutCopies: DocumentConflicts {
        var conflicts = self
        conflicts.copies = []
        return conflicts
    }

    /// What of this is still so.
    func stillIn(_ now: DocumentConflicts) -> DocumentConflicts {
        var conflicts = self
        conflicts.versions.removeAll { !now.versions.contains($0) }
        conflicts.copies.removeAll { !now.copies.contains($0) }
        return conflicts
    }

    /// Lets copies be what they are: documents.
    mutating func forgetCopies(of settled: DocumentConflicts) {
        copies.removeAll { settled.copies.contains($0) }
    }

    /// Takes over which versions are unresolved now, and forgets copies that somebody has moved or removed.
    ///
    /// - Parameter unresolved: Nil where that cannot be known: then it is what it was.
    mutating func review(_ unresolved: [NSFileVersion]?, isThere: (URL) -> Bool) {
        if let unresolved { versions = unresolved }
        copies.removeAll { !isThere($0) }
    }
}
