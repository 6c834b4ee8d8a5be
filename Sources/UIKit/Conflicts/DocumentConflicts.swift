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

    /// Lets copies be what they are: documents.
    mutating func forgetCopies() { copies = [] }

    /// Takes over which versions are unresolved now, and forgets copies that somebody has moved or removed.
    mutating func review(_ unresolved: [NSFileVersion], isThere: (URL) -> Bool) {
        versions = unresolved
        copies.removeAll { !isThere($0) }
    }
}
