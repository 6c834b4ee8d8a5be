internal import Coordination
internal import Dispatch
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import Locks
internal import SyncMessages

/// Contents that are not here, of which placeholders stand: fetched before access to them is asked for.
///
/// One struct under one lock. `cancel()` may come from any thread.
final class ContentsFetch: Sendable {
    private struct State {
        var conversation: SyncConversation?
        var isCancelled = false
    }

    private let url: URL
    private let item: FilePath
    private let account: UbiquityAccount
    private let state = Locked(State())

    private init(_ url: URL, _ item: FilePath, _ account: UbiquityAccount) {
        (self.url, self.item, self.account) = (url, item, account)
    }

    /// What has to be fetched for an access; nothing, at the price of one look at each item, when all is here.
    static func missing(for items: [RequestedItem]) -> [ContentsFetch] {
        items.compactMap { item in
            // Found in a third of the time that the path of a URL takes otherwise, where all is here, as it mostly is.
            guard item.needsContents, item.item?.isThere != true,
                let path = FilePath(item.url), let evicted = evicted(path)
            else { return nil }
            let account = UbiquityAccount.shared
            guard let (_, place) = account.place(of: evicted.url(isDirectory: false)) else { return nil }
            return ContentsFetch(item.url, place, account)
        }
    }

    /// The item itself, or the package that it is in, if only a placeholder of that is here.
    private static func evicted(_ path: FilePath) -> FilePath? {
        var at = path
        // What cannot be looked at is for the accessor to find out.
        while at != at.parent, (try? FileStamp.ifPresent(at: at)) ?? nil == nil {
            if Placeholder(standingFor: at) != nil { return at }
            at = at.parent
        }
        return nil
    }

    /// Fails the waiting with `CocoaError.userCancelled`. Once it is over it does nothing.
    func cancel() {
        let conversation = state.withLock { state in
            state.isCancelled = true
            return state.conversation
        }
        conversation?.end()
    }

    /// Waits until the contents are here, blocking the thread.
    ///
    /// - Parameters:
    ///   - progress: Gets how far it has come, in bytes. Cancelling it cancels this.
    ///   - handleMessages: What the thread does meanwhile, again and again, for the queue that it keeps from running; nil
    ///     for one that keeps none.
    /// - Throws: `CocoaError`: `userCancelled`; `ubiquitousFileUbiquityServerNotAvailable` when `sheaf up` does not run
    ///   or the hub does not answer; `ubiquitousFileUnavailable`.
    func run(_ progress: Progress, handleMessages: (() -> Void)?) throws {
        progress.kind = .file
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        do {
            try converse(progress, handleMessages)
        } catch {
            if state.withLock({ $0.isCancelled }) {
                throw CocoaError(.userCancelled, userInfo: [NSURLErrorKey: url])
            }
            throw CocoaError.asking(about: url, error)
        }
    }

    /// So long the thread waits before it looks for messages.
    private static let lookMilliseconds: Int32 = 20

    private func converse(_ progress: Progress, _ handleMessages: (() -> Void)?) throws {
        let conversation = try SyncConversation(
            .download(path: item.string, isAwaited: true),
            in: try account.runtime()
        )
        let isCancelled = state.withLock { state in
            state.conversation = conversation
            return state.isCancelled
        }
        defer { state.withLock { $0.conversation = nil } }
        if isCancelled { throw SyncServiceError.ended }
        while true {
            handleMessages?()
            let answer = try conversation.next(
                milliseconds: handleMessages == nil ? -1 : Self.lookMilliseconds
            )
            switch answer {
            case .progress(let share):
                progress.totalUnitCount = Int64(clamping: share.totalByteCount)
                // The end is when it is in place.
                progress.completedUnitCount = Int64(clamping: min(share.doneByteCount, share.totalByteCount))
            case .done:
                progress.completedUnitCount = progress.totalUnitCount
                return
            case .refused(let refusal): throw refusal
            case nil, .status, .diagnosis, .explanation, .item, .items, .event, .changed, .version,
                .goesBack, .largeChanges:
                continue
            }
        }
    }
}
