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
        /// Where what was asked for has gone while its contents came.
        var movedPlace: FilePath?
    }

    private let url: URL
    /// What is asked for: an item, or a folder with all in it.
    private let item: FilePath
    /// The items that only placeholders are here of: `item`, or what is in it.
    private let lacking: [FilePath]
    private let account: UbiquityAccount
    /// Whether `url` names `item`, and not what is in it, nor a link to it.
    private let isNamed: Bool
    private let state = Locked(State())

    private init(_ url: URL, _ item: FilePath, lacking: [FilePath], _ account: UbiquityAccount) {
        (self.url, self.item, self.lacking, self.account) = (url, item, lacking, account)
        // What cannot be resolved is named by nothing.
        isNamed = (try? FilePath(url)?.resolvedInFolder()) == item
    }

    /// What has to be fetched for an access; nothing, at the price of one look at each item, when all is here. Of folders with
    /// all in them it takes one at each name below.
    static func missing(for items: [RequestedItem]) -> [ContentsFetch] {
        items.compactMap { item -> ContentsFetch? in
            let needed: RequestedItem.NeededContents =
                leavesContainer(item, items) ? .everything : item.needed
            guard needed != .nothing else { return nil }
            // Found in a third of the time that the path of a URL takes otherwise, where all is here, as it mostly is.
            guard item.item?.isThere != true else {
                return needed == .everything ? fetch(below: item.url) : nil
            }
            guard let path = FilePath(item.url),
                let evicted = evicted(path, throughLink: item.isMeantThroughLink)
            else { return nil }
            let account = UbiquityAccount.of(evicted)
            guard let (_, place) = account.place(of: evicted) else { return nil }
            return ContentsFetch(item.url, place, lacking: [place], account)
        }
    }

    /// Whether an item is moved out of its container: nobody fetches there what only placeholders stand for.
    private static func leavesContainer(_ item: RequestedItem, _ items: [RequestedItem]) -> Bool {
        guard item.isMoving else { return false }
        let targets = items.filter(\.isReplacing)
        guard !targets.isEmpty, let container = UbiquityAccount.of(item.url).place(of: item.url)?.folder
        else { return false }
        return targets.contains {
            UbiquityAccount.of($0.url).place(of: $0.url)?.folder.folder != container.folder
        }
    }

    /// What has to be fetched for all in a folder to be here; nil for nothing, as of folders in no container.
    private static func fetch(below url: URL) -> ContentsFetch? {
        let account = UbiquityAccount.of(url)
        // A folder that is not there has nothing in it.
        guard let place = try? FilePath(url)?.resolvedInFolder(), account.joined.folder(of: place) != nil
        else { return nil }
        let lacking = EvictedItems.below(place)
        return lacking.isEmpty ? nil : ContentsFetch(url, place, lacking: lacking, account)
    }

    /// The item itself, or the package that it is in, if only a placeholder of that is here.
    ///
    /// - Parameter throughLink: Whether a symbolic link at the end of the path stands for what it leads to, as one on the way does.
    private static func evicted(_ path: FilePath, throughLink: Bool) -> URL? {
        var path = path
        // A loop of links ends with this: the accessor finds out that it is one.
        for _ in 0...RequestedItem.symbolicLinksMax {
            var (at, rest): (FilePath, [String]) = (path, [])
            // What cannot be looked at is for the accessor to find out, too.
            while at != at.parent, (try? FileStamp.ifPresent(at: at)) ?? nil == nil {
                if Placeholder(standingFor: at) != nil {
                    return ((try? at.resolvedInFolder()) ?? at).url(isDirectory: false)
                }
                rest.append(at.name)
                at = at.parent
            }
            // A link is there, though what it leads to may not be.
            guard throughLink || !rest.isEmpty, let text = try? FileReading.symbolicLinkText(at: at) else {
                return nil
            }
            let target = text.hasPrefix("/") ? FilePath(text) : at.parent.appending(text)
            path = rest.reversed().reduce(target) { $0.appending($1) }
        }
        return nil
    }

    /// Sees to it that the contents can come while this thread waits: they are put in place in an access of `sheaf up`, which would
    /// wait for ever for one that the thread is inside of.
    ///
    /// - Throws: `FileCoordinationError` with code `deadlock`.
    func checkThatTheyMayCome(_ registry: FileAccessRegistry) throws {
        let claims = ThreadNesting.claims(of: registry)
        guard !claims.isEmpty else { return }
        for item in lacking {
            guard let path = ItemPath(item.string) else { continue }
            let filling = AccessClaim(
                path,
                inside: PackageDirectories.enclosing(path),
                use: .writing(.updating)
            )
            if let holder = claims.first(where: { $0.conflicts(with: filling) }) {
                throw FileCoordinationError(contentsOf: item.name, awaitedInside: holder.item, url: url)
            }
        }
    }

    /// What was asked for, where it is once its contents have come: it may have been moved meanwhile.
    func following(_ asked: RequestedItem) -> RequestedItem {
        guard isNamed, asked.url == url, let place = state.withLock({ $0.movedPlace }),
            let moved = ItemPath(place.string), let path = FilePath(url), Self.isNothing(at: path)
        else { return asked }
        return asked.moved(to: place.url(isDirectory: url.hasDirectoryPath), moved)
    }

    /// Whether neither an item is at a place nor a placeholder of it: anything that is there is what was asked for by its name.
    private static func isNothing(at path: FilePath) -> Bool {
        // What cannot be looked at is for the accessor to find out.
        let isThere = (try? FileStamp.ifPresent(at: path) != nil) ?? true
        return !isThere && Placeholder(standingFor: path) == nil
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
    ///   - show: Shows it; from then on it is changed on the main actor alone. Nil for a progress that is this thread's.
    ///   - handleMessages: What the thread does meanwhile, again and again, for the queue that it keeps from running; nil
    ///     for one that keeps none.
    /// - Throws: `CocoaError`: `userCancelled`; `ubiquitousFileUbiquityServerNotAvailable` when `sheaf up` does not run
    ///   or the hub does not answer; `ubiquitousFileUnavailable`.
    func run(
        _ progress: Progress,
        show: (@MainActor @Sendable (Progress) -> Void)? = nil,
        handleMessages: (() -> Void)?
    ) throws {
        let progress = FetchProgress(progress, show) { [weak self] in self?.cancel() }
        do {
            try converse(progress, handleMessages)
            try checkThatTheyAreHere()
        } catch {
            if state.withLock({ $0.isCancelled }) {
                throw CocoaError(.userCancelled, userInfo: [NSURLErrorKey: url])
            }
            throw CocoaError.asking(about: url, error)
        }
    }

    /// A placeholder in a folder may be none of its container's, as a copy of one is, and what it stands for never comes.
    private func checkThatTheyAreHere() throws {
        guard lacking != [item] else { return }
        let left = Set(EvictedItems.below(item))
        guard let one = lacking.first(where: left.contains), let place = Placeholder.place(for: one) else {
            return
        }
        throw SyncRefusal(
            .failed,
            """
            “\(one.name)” in “\(one.parent.name)” is not on this device, and does not come. Where \
            “\(place.name)” was copied there, or has come from elsewhere, remove it or move it back; else \
            try again.
            """
        )
    }

    private func converse(_ progress: FetchProgress, _ handleMessages: (() -> Void)?) throws {
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
            switch try conversation.next(handleMessages) {
            case .progress(let share): progress.note(share)
            case .moved(let place): state.withLock { $0.movedPlace = FilePath(place) }
            case .done: return progress.end()
            case .refused(let refusal): throw refusal
            case .status, .diagnosis, .explanation, .item, .items, .event, .changed, .version,
                .goesBack, .largeChanges:
                continue
            }
        }
    }
}
