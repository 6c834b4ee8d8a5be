internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import SyncMessages

/// How the items of one folder stand that is kept in step with other devices, until it is dropped.
@MainActor
final class FolderSync {
    private let states: UbiquityStates
    private let folder: FilePath
    private let changed: @MainActor () -> Void
    /// What was said of items, by their names, byte for byte. Of a large folder most are in step, and nothing is said of them.
    private var known: [FilePath: ItemSyncState] = [:]
    /// Since when items have been on their way to the hub, by their names.
    private var leaving: [FilePath: DispatchTime] = [:]
    /// Whether somebody answers.
    private(set) var isAnswered = false

    /// Nil for a folder that is not kept in step.
    ///
    /// - Parameters:
    ///   - folder: Where it is, without a link on the way.
    ///   - account: Whose.
    ///   - changed: Called when an item stands otherwise.
    init?(
        _ folder: FilePath,
        _ account: UbiquityAccount = .shared,
        changed: @escaping @MainActor () -> Void
    ) {
        guard account.joined.folder(of: folder) != nil else { return nil }
        (self.folder, self.changed) = (folder, changed)
        states = UbiquityStates(account, below: [folder], isDeep: false)
        states.follow { [weak self] _ in
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.look() } }
        }
    }

    deinit { states.end() }

    private func look() {
        isAnswered = states.isAnswered
        known = Dictionary(
            states.all.map { (FilePath($0.path), $0) }
                // The folder itself may be called like something in it.
                .filter { $0.parent == folder && !$1.isSimplyHere }.map { (FilePath($0.name), $1) },
            uniquingKeysWith: { $1 }
        )
        let now = DispatchTime.now()
        leaving = known.filter { $0.value.isLeaving }.mapValues { _ in now }.merging(leaving) { $1 }
            .filter { known[$0.key]?.isLeaving == true }
        if leaving.values.contains(now) {
            DispatchQueue.main.asyncAfter(deadline: now + Self.quietInterval) { [weak self] in
                MainActor.assumeIsolated { self?.changed() }
            }
        }
        changed()
    }

    /// What every save brings for a moment is not shown: an item is on its way to the hub for so long first.
    private static let quietInterval = DispatchTimeInterval.milliseconds(700)

    private func isQuiet(_ name: FilePath) -> Bool {
        leaving[name].map { DispatchTime.now() < $0 + Self.quietInterval } ?? false
    }

    /// How an item stands; nil when nobody says.
    func standing(of item: FolderItem) -> ItemSyncState.Standing? {
        let name = FilePath(item.name)
        guard let state = known[name] else {
            return item.isEvicted ? .remote : isAnswered ? .settled : nil
        }
        // The list is younger than what was said of the item: it has just come, or gone.
        switch state.standing {
        case .waiting where isQuiet(name), .uploading where isQuiet(name): return .settled
        case .settled where item.isEvicted: return .remote
        case .remote where !item.isEvicted && !state.isWorseInside: return .settled
        case let standing: return standing
        }
    }

    /// What was said of an item; nil for one that is simply here as it is at the hub.
    func state(of item: FolderItem) -> ItemSyncState? { known[FilePath(item.name)] }
}

extension ItemSyncState {
    fileprivate var isLeaving: Bool {
        switch standing {
        case .waiting, .uploading: true
        default: false
        }
    }

    fileprivate var isSimplyHere: Bool { standing == .settled && pause == nil }
}
