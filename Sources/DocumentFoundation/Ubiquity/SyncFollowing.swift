internal import Dispatch
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import Locks
package import SyncMessages

/// A question whose answers go on, asked of the process that keeps folders in step until whoever wants the answers ends it.
///
/// Nobody need be there to answer: the question is asked whenever that process has come, also anew, which the folder tells that its
/// socket is in. Nothing runs while nothing happens.
///
/// One thread asks, waits, and tells; one struct under one lock has the rest.
package final class SyncFollowing: Sendable {
    package enum News: Sendable {
        /// - isFirst: Whether it is the first one since somebody answers.
        case said(SyncAnswer, isFirst: Bool)
        /// Who has answered answers no more.
        case silence
    }

    private struct State {
        var conversation: SyncConversation?
        var watch: DirectoryWatch?
        var isEnded = false
    }

    private let state = Locked(State())
    private let comeBack = DispatchSemaphore(value: 0)

    /// Begins to ask.
    ///
    /// - Parameters:
    ///   - question: Which.
    ///   - account: Whose process is asked.
    ///   - threadName: What the thread is called that waits for answers.
    ///   - told: Told on that thread, one thing after another, until it is ended.
    package init(
        _ question: SyncQuestion,
        of account: UbiquityAccount,
        threadName: String,
        told: @escaping @Sendable (News) -> Void
    ) {
        guard let runtime = try? account.runtime() else { return }
        // A socket that comes is told by its folder; one that was there before that was watched is found below.
        let watch = try? DirectoryWatch(FilePath(runtime.path), on: DispatchQueue(label: "sheaf.following")) {
            [comeBack] events in
            if events.contains(where: { $0.name == SyncQuery.socketName || $0.name == nil }) {
                comeBack.signal()
            }
        }
        state.withLock { $0.watch = watch }
        let thread = Thread { [self] in
            var seconds = Self.refusedSeconds.lowerBound
            while !isEnded {
                let isRefused = !ask(question, runtime, told)
                if isEnded { return }
                if isRefused, comeBack.wait(timeout: .now() + seconds) == .timedOut {
                    seconds = min(2 * seconds, Self.refusedSeconds.upperBound)
                } else {
                    if !isRefused { comeBack.wait() }
                    seconds = Self.refusedSeconds.lowerBound
                }
            }
        }
        thread.name = threadName
        thread.start()
    }

    /// Ends it; also where it is told something.
    package func end() {
        let conversation = state.withLock { state in
            (state.isEnded, state.watch) = (true, nil)
            return state.conversation
        }
        conversation?.end()
        comeBack.signal()
    }

    private var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Who is there and says nothing, as he or this process has too many connections, or he knows no such question, is asked again
    /// after so long, less and less often.
    private static let refusedSeconds = 1.0...64.0

    /// Returns when nobody answers any more.
    ///
    /// - Returns: False where somebody is there and has said nothing.
    private func ask(_ question: SyncQuestion, _ runtime: RuntimeFolder, _ told: (News) -> Void) -> Bool {
        let conversation: SyncConversation
        do { conversation = try SyncConversation(question, in: runtime) } catch {
            return error as? SyncServiceError == .notRunning
        }
        let isEnded = state.withLock { state in
            state.conversation = conversation
            return state.isEnded
        }
        defer { state.withLock { $0.conversation = nil } }
        if isEnded { return true }
        var isFirst = true
        while let answer = try? conversation.next(milliseconds: -1), !self.isEnded {
            told(.said(answer, isFirst: isFirst))
            isFirst = false
        }
        if isFirst { return false }
        if !self.isEnded { told(.silence) }
        return true
    }
}
