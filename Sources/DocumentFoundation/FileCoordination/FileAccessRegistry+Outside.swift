internal import Coordination
internal import FileSystem
package import Foundation
internal import Locks

extension FileAccessRegistry {
    /// Which items this process writes now inside a coordinated access.
    func itemsBeingWritten(_ items: [ItemPath]) -> Set<ItemPath> {
        state.withLock { state in
            Set(items.filter { state.arbiter.isBeingWritten($0) || state.joining.isBeingWritten($0) })
        }
    }

    /// Whether no other process writes any of some items in a coordinated access.
    ///
    /// If one may, `body` is run once none does, after all that it tells has been taken. Where the only one who knows says nothing,
    /// nobody waits for that.
    func isQuietElsewhere(_ items: [ItemPath], then body: @escaping @Sendable () -> Void) -> Bool {
        change { state in
            switch state.joining.mode {
            case .unlinked, .resting, .alone: return ([], true)
            case .searching: state.joining.waitForQuiet(of: items, body)
            case .joined where state.joining.isSilent:
                state.joining.noteToldInSilence(items)
                return ([], true)
            case .joined(let connection):
                let number = state.joining.waitForQuiet(of: items, body)
                guard state.joining.askForQuiet(number, at: connection) else {
                    // So many items are in no message; to hear of some twice is better than not at all.
                    state.joining.quietWaits[number] = nil
                    return ([], true)
                }
            }
            return ([], false)
        }
    }

    /// Tells presenters what others have done who coordinate nothing.
    func tell(_ reports: [OutsideReport]) {
        for report in reports {
            switch report {
            case .changed(let id): notify(id, .itemDidChange)
            case .subitemAppeared(let id, let item): notify(id, .subitemDidAppear(item))
            case .subitemChanged(let id, let item): notify(id, .subitemDidChange(item))
            case .deleted(let id): post(id) { .goneItem($0) }
            case .mayHaveChanged(let id, let hint):
                let presenter = state.withLock { $0.presenters[id] }?.presenter
                (presenter as? any OutsideChangeReceiver)?.itemMayHaveChanged(hint)
            case .moved(let source, let target):
                itemMoved(
                    from: source,
                    to: target,
                    inside: PackageDirectories.enclosingContents(of: target),
                    purpose: .outsideChanges,
                    presenter: nil
                )
            }
        }
    }

    /// Finds out where a presenter's item is that is not at its place.
    ///
    /// - Parameter answer: Gets where it is now, on any thread, when it has had the time to come back; nil when
    ///   it is gone. Its presenters have been sent the news by then.
    package func settle(
        _ presenter: any NSFilePresenter,
        then answer: @escaping @Sendable (URL?) -> Void
    ) {
        guard let outsideWatcher else { return answer(presenter.presentedItemURL) }
        outsideWatcher.settle(PresenterHandle.id(of: presenter)) { answer($0?.fileURL) }
    }

    /// Takes in that a presenter has put another item in the place of its own. Called within the access and before anybody is
    /// told of that, who may move the item at once: what is at its place then is what is followed.
    package func hold(_ presenter: any NSFilePresenter) {
        guard let path = presenter.presentedItemURL.flatMap(ItemPath.init(fileURL:)) else { return }
        outsideWatcher?.hold(path, of: PresenterHandle.id(of: presenter))
    }

    /// Compares all that presenters present with what is known, and tells them: as when the system lost events.
    package func lookAtAllItems() { outsideWatcher?.lookAtAll() }

    private func notify(_ id: PresenterID, _ notice: PresenterNotice) {
        post(id) { .notice(notice, $0) }
    }

    private func post(_ id: PresenterID, _ delivery: @escaping @Sendable (PresenterHandle) -> Delivery) {
        change { state in
            if let handle = state.presenters[id] { state.outbox.append(delivery(handle)) }
            return ([], ())
        }
    }
}
