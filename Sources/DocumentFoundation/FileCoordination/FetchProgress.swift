internal import Dispatch
internal import Foundation
internal import SyncMessages

/// How far contents have come that are fetched, for whoever shows it.
///
/// `Progress` has no lock of its own. One that is shown is changed where it is looked at, on the main actor; another on the thread
/// that waits for the contents.
struct FetchProgress {
    private let progress: Progress
    private let show: (@MainActor @Sendable (Progress) -> Void)?

    /// - Parameters:
    ///   - show: Shows it, again whenever it has come further; nil for one that is the current thread's.
    ///   - cancel: Called when it is cancelled.
    init(
        _ progress: Progress,
        _ show: (@MainActor @Sendable (Progress) -> Void)?,
        cancel: @escaping @Sendable () -> Void
    ) {
        (self.progress, self.show) = (progress, show)
        change { progress in
            progress.kind = .file
            progress.isCancellable = true
            progress.cancellationHandler = cancel
        }
    }

    func note(_ share: ItemSyncState.Share) {
        change { progress in
            progress.totalUnitCount = Int64(clamping: share.totalByteCount)
            // The end is when it is in place.
            progress.completedUnitCount = Int64(clamping: min(share.doneByteCount, share.totalByteCount))
        }
    }

    func end() { change { $0.completedUnitCount = $0.totalUnitCount } }

    private func change(_ body: @escaping @Sendable (Progress) -> Void) {
        guard let show else { return body(progress) }
        let shown = Transferred(progress)
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                body(shown.value)
                show(shown.value)
            }
        }
    }
}
