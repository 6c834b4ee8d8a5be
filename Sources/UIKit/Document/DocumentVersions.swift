internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Locks
internal import Vault

/// What of a document's states is in the user's vault.
///
///     read or saved ──▶ kept: the state on disk is the newest version ──▶ willWrite ──▶ didWrite ──▶ kept again
///                            │                                                             ▲
///                            └── others wrote: nobody knows which members changed ─────────┘ all are looked at
///
/// State: one struct under one lock. What is kept is kept in a document's turns, one after another.
final class DocumentVersions: Sendable {
    let store: VersionStore
    /// Where large states are kept, while the file queue makes way for others.
    let queue = DispatchQueue(label: "UIDocument versions", qos: .utility)
    private let state = Locked(State())

    private struct State {
        /// How the item looked when it was kept last.
        var keptStamp: FileStamp?
        var mark: FileMark?
        /// The state kept last that the document has itself read or written, and how the item looked then.
        var latest: (stamp: FileStamp, version: NSFileVersion)?
        /// Which members may differ from what was kept last; nil when nobody knows.
        var changed: Set<MemberPath>?
        /// How often others have written.
        var othersCount = 0
        var hasFailed = false
        var isWanted = true
    }

    init(_ store: VersionStore) {
        self.store = store
    }

    /// Says whether the document's class wants versions.
    func setWanted(_ isWanted: Bool) {
        state.withLock { $0.isWanted = isWanted }
    }

    /// Whether versions of the document are kept.
    var isKeeping: Bool { store.isOn && state.withLock { $0.isWanted } }

    /// Whether the newest version is the state in which the item looks so.
    func isKept(_ stamp: FileStamp) -> Bool { state.withLock { $0.keptStamp == stamp } }

    /// The mark of the item when it was kept last; nil when it never was.
    var mark: FileMark? { state.withLock { $0.mark } }

    /// The members that may differ from what was kept last; nil when nobody knows.
    var changed: Set<MemberPath>? { state.withLock { $0.changed } }

    /// Notes that the item may be in a state that is not kept, and of which the document does not know how it came
    /// about.
    func othersWrote() {
        state.withLock { state in
            state.keptStamp = nil
            state.changed = nil
            state.othersCount += 1
        }
    }

    /// Notes that the document is another item from now on: what is known of the one that it was says nothing about this one.
    func becameAnotherItem() {
        state.withLock { state in
            (state.mark, state.latest) = (nil, nil)
            (state.keptStamp, state.changed) = (nil, nil)
            state.othersCount += 1
        }
    }

    /// Tells states apart that others have written between.
    var othersCount: Int { state.withLock { $0.othersCount } }

    /// Notes that a save puts something in place from now on.
    func willWrite() {
        state.withLock { $0.keptStamp = nil }
    }

    /// Notes what a save has put in place.
    ///
    /// - Parameter members: What it changed; nil for everything.
    func didWrite(_ members: [MemberPath]?) {
        state.withLock { state in state.changed = members.flatMap { state.changed?.union($0) } }
    }

    /// Notes that the state is kept in which the item looks so.
    ///
    /// - Parameters:
    ///   - isKnown: Whether the document has itself read or written that state. A package looks the same with others'
    ///     members in it.
    ///   - othersCount: What it was before; when it is another now, nobody knows what was kept.
    func kept(
        _ stamp: FileStamp,
        as kept: (mark: FileMark, version: NSFileVersion),
        isKnown: Bool,
        _ othersCount: Int
    ) {
        state.withLock { state in
            state.mark = kept.mark
            guard state.othersCount == othersCount else { return }
            if isKnown { state.latest = (stamp, kept.version) }
            state.keptStamp = stamp
            state.changed = []
        }
    }

    /// The version of the state that the document read or wrote when the item looked so; nil when that was not the last
    /// such state to be kept.
    func version(lookingLike stamp: FileStamp?) -> NSFileVersion? {
        state.withLock { state in state.latest.flatMap { $0.stamp == stamp ? $0.version : nil } }
    }

    /// The state kept last that the document has itself read or written.
    var latest: NSFileVersion? { state.withLock { $0.latest?.version } }

    /// Notes that something of the document was not kept.
    ///
    /// - Returns: Whether that is news.
    func failed() -> Bool {
        state.withLock { state in
            defer { state.hasFailed = true }
            state.changed = nil
            return !state.hasFailed
        }
    }
}
