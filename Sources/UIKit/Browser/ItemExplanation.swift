internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Locks
internal import SyncMessages

/// Why one item is as it is, for as long as somebody looks at that: what `sheaf explain` says, and says anew.
@MainActor
final class ItemExplanation {
    let item: FolderItem
    private(set) var causes: [String] = []
    private(set) var next = ""
    /// On which devices it is, in sentences.
    private(set) var whereabouts: [String] = []
    private(set) var isSettled = false
    /// Whether the process answers that keeps folders in step.
    private(set) var isAnswered = false

    private let conversation = Locked<SyncConversation?>(nil)
    private let isEnded = Locked(false)
    private let changed: () -> Void

    /// - Parameter changed: Called when it is something else.
    init(_ item: FolderItem, _ account: UbiquityAccount = .shared, changed: @escaping () -> Void) {
        (self.item, self.changed) = (item, changed)
        let path = item.folder.appending(item.name).string
        let (conversation, isEnded) = (conversation, isEnded)
        let tell: @Sendable (Result<Explanation, any Error>) -> Void = { [weak self] result in
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.take(result) } }
        }
        let thread = Thread {
            do {
                let asked = try SyncConversation(.followExplanation(path: path), in: try account.runtime())
                conversation.withLock { $0 = asked }
                while !isEnded.withLock({ $0 }) {
                    switch try asked.next(milliseconds: -1) {
                    case .explanation(let explanation?): tell(.success(explanation))
                    case .refused(let refusal): return tell(.failure(refusal))
                    default: continue
                    }
                }
            } catch {
                if !isEnded.withLock({ $0 }) { tell(.failure(error)) }
            }
        }
        thread.name = "sheaf explanation"
        thread.start()
    }

    deinit {
        isEnded.withLock { $0 = true }
        conversation.withLock { $0 }?.end()
    }

    private func take(_ result: Result<Explanation, any Error>) {
        switch result {
        case .success(let explanation):
            isAnswered = true
            isSettled = explanation.isSettled
            (causes, next) = (explanation.causes, explanation.next)
            whereabouts = explanation.whereabouts
        case .failure(let error):
            (isAnswered, isSettled) = (false, false)
            (causes, whereabouts) = ([], [])
            next = (error as? SyncServiceError ?? .notRunning).description
            if let refusal = error as? SyncRefusal { next = refusal.description }
        }
        changed()
    }
}
