internal import Foundation

/// What is kept of a scene so that it can be shown again.
struct RestorationState: Codable, Hashable, Sendable {
    /// What the scene's delegate gave, archived.
    var activity: Data?
    /// What view controllers and the app's delegate encoded.
    var archive: ViewArchive?
    /// The folder that the document browser showed, below its location; nil for the location itself.
    var folder: String?

    var isEmpty: Bool { self == RestorationState() }
}

/// The states of an app's tabs, by the tabs' identities.
///
/// Pure.
///
/// 1. The entry that changed last is the last one.
/// 2. An entry whose restoring began and did not end when the process did has brought it down: it goes.
struct SavedSessions: Codable, Hashable, Sendable {
    /// More tabs than anyone has open; the one that changed longest ago goes first.
    static let entryCountMax = 32
    static let currentVersion = 1

    struct Entry: Codable, Hashable, Sendable {
        var identifier: String
        var state: RestorationState
        var isRestoring = false
    }

    private(set) var version = Self.currentVersion
    private(set) var entries: [Entry] = []

    /// Whether anything is known of a tab.
    func knows(_ identifier: String) -> Bool { entries.contains { $0.identifier == identifier } }

    /// What is known of a tab.
    func state(of identifier: String) -> RestorationState? {
        entries.first { $0.identifier == identifier }?.state
    }

    /// The tab whose state changed last.
    var latest: String? { entries.last?.identifier }

    /// Notes a tab's state.
    mutating func put(_ state: RestorationState, for identifier: String) {
        let known = entries.first { $0.identifier == identifier }
        guard known?.state != state else { return }
        entries.removeAll { $0.identifier == identifier }
        entries.append(
            Entry(identifier: identifier, state: state, isRestoring: known?.isRestoring ?? false)
        )
        if entries.count > Self.entryCountMax { entries.removeFirst() }
    }

    /// Begins to restore a tab's state.
    ///
    /// - Returns: Nil when there is nothing to restore.
    mutating func beginRestoring(_ identifier: String) -> RestorationState? {
        guard let at = entries.firstIndex(where: { $0.identifier == identifier }),
            !entries[at].state.isEmpty
        else { return nil }
        entries[at].isRestoring = true
        return entries[at].state
    }

    /// The state was restored, and nothing broke.
    mutating func endRestoring(_ identifier: String) {
        for at in entries.indices where entries[at].identifier == identifier {
            entries[at].isRestoring = false
        }
    }

    /// The process ends, and over none of them.
    mutating func endRestoring() {
        for at in entries.indices { entries[at].isRestoring = false }
    }

    /// Forgets what a process ended over.
    mutating func dropInterrupted() {
        entries.removeAll(where: \.isRestoring)
    }
}
