internal import Dispatch
internal import DocumentFoundation
internal import Foundation
internal import Sync
internal import SyncMessages

/// A step that waits for others to make way.
struct AwaitedStep {
    enum Step {
        case effect(SyncEngine.Effect)
        /// Contents take the place of a placeholder.
        case filling
    }

    var step: Step
    let access: FolderAccess.Awaited
    /// Who that is, a clause for each; none while nobody has said.
    var holders: [String] = []
    /// When it was asked who; nil for never.
    var asked: DispatchTime?
    /// Since when it waits, in seconds since 1970.
    var sinceSeconds: Double

    /// What is waited for.
    var text: String {
        holders.isEmpty
            ? "It is to be put in place, and waits for others that use it."
            : "It is to be put in place, and waits for others that use it: \(holders.joined(separator: "; "))."
    }
}

// Steps that wait for others to make way, while the queue goes on with other items.
extension SyncRun {
    /// Who is in the way is asked again after so many seconds, if somebody wants to know.
    private static let holderSeconds = 1.0
    /// Of more items than these it is asked only then: the answer tells of all that wait.
    private static let askedAtOnceCountMax = 16

    /// Puts a step off.
    func wait(_ item: ItemID, _ step: AwaitedStep.Step, _ access: FolderAccess.Awaited) {
        let since = contents.now.timeIntervalSince1970
        awaited[item] = AwaitedStep(step: step, access: access, sinceSeconds: since)
        stuck[item] = nil
        news.insert(item)
        if awaited.count <= Self.askedAtOnceCountMax { findHolders(of: item) }
    }

    /// Does what is to be done with an item, or puts it off where the item is waited for already.
    func carryOut(_ effect: Effect) {
        switch effect {
        case .place, .remove: break
        case .become, .merge, .upload, .fetch, .commit: return carryOutNow(effect)
        }
        let item = effect.item
        switch awaited[item]?.step {
        case nil: carryOutNow(effect)
        case .effect: awaited[item]?.step = .effect(effect)
        case .filling:
            // It is filled where it will be.
            endWaiting(item)
            carryOutNow(effect)
            if awaited[item] == nil { requestContents(of: item) }
        }
    }

    /// Does what waited for others, who have made way or refused to.
    func takeAccess(_ number: UInt64, _ result: Result<HeldAccess, any Error>) {
        // What is not waited for any more ends with what holds it.
        guard !isStopped, let (item, step) = awaited.first(where: { $0.value.access.number == number }) else {
            return
        }
        awaited[item] = nil
        news.insert(item)
        retryLater()
        switch result {
        case .success(let access):
            let granted = FolderAccess.Granted(targets: step.access.targets, access: access)
            placer.access.with(granted) { carryOut(step.step, of: item) }
            // What is to go into a folder could not.
            if table[item]?.state.kind == .folder, stuck[item] == nil { retryStuck() }
        case .failure(let error): fail(step.step, of: item, error)
        }
        if downloads[item] != nil { requestContents(of: item) }
        take([])
        tellFollowers()
    }

    private func carryOut(_ step: AwaitedStep.Step, of item: ItemID) {
        switch step {
        case .effect(let effect): carryOut(effect)
        case .filling: requestContents(of: item)
        }
    }

    private func fail(_ step: AwaitedStep.Step, of item: ItemID, _ error: any Error) {
        switch step {
        case .effect(let effect): fail(effect, error)
        case .filling: endFilling(item, error)
        }
    }

    /// Does not wait for an item any more.
    ///
    /// - Returns: Whether it was to be placed or removed.
    @discardableResult
    func endWaiting(_ item: ItemID) -> Bool {
        guard let former = awaited.removeValue(forKey: item) else { return false }
        former.access.pending.cancel()
        if case .effect = former.step { return true }
        return false
    }

    func endAllWaiting() { for item in awaited.keys { endWaiting(item) } }

    // MARK: Who is in the way

    /// Finds out again who is in an item's way, if that was not asked a moment ago.
    func refreshHolders(of item: ItemID) {
        guard let step = awaited[item] else { return }
        if let asked = step.asked, .now() < asked + Self.holderSeconds { return }
        findHolders(of: item)
    }

    private func findHolders(of item: ItemID) {
        guard let access = awaited[item]?.access else { return }
        awaited[item]?.asked = .now()
        access.pending.findHolders { [queue, box = Confined(Weak(self)), number = access.number] holders in
            queue.async { box.value.value?.takeHolders(holders, of: item, number) }
        }
    }

    private func takeHolders(_ holders: [String], of item: ItemID, _ number: UInt64) {
        guard let step = awaited[item], step.access.number == number, step.holders != holders else { return }
        awaited[item]?.holders = holders
        news.insert(item)
        tellFollowers()
    }
}
