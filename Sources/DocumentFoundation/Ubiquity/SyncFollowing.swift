internal import Dispatch
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import Locks
package import SyncMessages
internal import Threads

/// A question whose answers go on, asked of the process that keeps folders in step until whoever wants the answers ends it.
///
/// Nobody need be there to answer: the question is asked whenever that process has come, also anew, which the folder tells that its
/// socket is in. One that has ended the conversation and is there still is asked again. Nothing runs while nothing happens.
///
/// One thread asks, waits, and tells; one struct under one lock has the rest.
package final class SyncFollowing: Sendable {
    package enum News: Sendable {
        /// - isFirst: Whether it is the first one since somebody answers.
        case said(SyncAnswer, isFirst: Bool)
        /// Nobody is there, or answers any more.
        case silence
    }

    private struct State {
        var conversation: SyncConversation?
        var watches: [DirectoryWatch] = []
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
        // Where there is no place that is the user's alone, nobody can be asked.
        guard let own = try? account.ownRuntime() else {
            told(.silence)
            return
        }
        // A socket that comes is told by its folder, and where that is another one, by the note of it; one that was there before these
        // were watched is found below. Without a watch, as there are too few, it is looked for now and then. Where nothing has ever
        // been joined there is no home.
        let watch = watch(FilePath(own.path), for: SyncQuery.socketName)
        let watches = [watch, self.watch(account.home, for: SyncMeeting.fileName)].compactMap { $0 }
        state.withLock { $0.watches = watches }
        OwnThread.startInTime(threadName) { [self] in
            // It may be another one's turn, elsewhere, by now.
            run(isWatched: watch != nil) { ask(question, (try? account.runtime()) ?? own, told) }
        }
    }

    private func watch(_ folder: FilePath, for name: String) -> DirectoryWatch? {
        try? DirectoryWatch(folder, on: DispatchQueue(label: "sheaf.following")) { [comeBack] events in
            if events.contains(where: { $0.name == name || $0.name == nil }) { comeBack.signal() }
        }
    }

    /// Asks again and again, until it is ended.
    private func run(isWatched: Bool, _ ask: () -> Outcome) {
        var seconds = Self.pauseSeconds.lowerBound
        while true {
            let begun = MonotonicClock.now
            let outcome = ask()
            if isEnded { return }
            // Who has answered for long is not one who ends every conversation.
            let lasted = Double(MonotonicClock.now - begun) / 1e9
            if outcome == .ended, lasted > seconds { seconds = Self.pauseSeconds.lowerBound }
            let isToCome = outcome == .alone || outcome == .refused
            guard !isToCome || !isWatched else {
                comeBack.wait()
                seconds = Self.pauseSeconds.lowerBound
                continue
            }
            if comeBack.wait(timeout: .now() + seconds) == .timedOut {
                seconds = min(2 * seconds, Self.pauseSeconds.upperBound)
            } else {
                seconds = Self.pauseSeconds.lowerBound
            }
        }
    }

    /// Ends it; also where it is told something.
    package func end() {
        let conversation = state.withLock { state in
            (state.isEnded, state.watches) = (true, [])
            return state.conversation
        }
        conversation?.end()
        comeBack.signal()
    }

    private var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Who is there and says nothing, as he or this process has too many connections, or he knows no such question, is asked again
    /// after so long, less and less often. So is who says nothing more: he lets go of those who take nothing for a while.
    private static let pauseSeconds = 1.0...64.0

    private enum Outcome {
        /// Nobody was there.
        case alone
        /// Somebody is, and has said nothing.
        case unanswered
        /// Somebody has answered, and does so no more.
        case ended
        /// Somebody has refused to, which stands for as long as he is there.
        case refused
    }

    /// Returns when nobody answers any more.
    private func ask(_ question: SyncQuestion, _ runtime: RuntimeFolder, _ told: (News) -> Void) -> Outcome {
        let conversation: SyncConversation
        do { conversation = try SyncConversation(question, in: runtime) } catch {
            if !isEnded { told(.silence) }
            return (error as? SyncServiceError)?.isNobodyListening == true ? .alone : .unanswered
        }
        let wasEnded = state.withLock { state in
            state.conversation = conversation
            return state.isEnded
        }
        defer { state.withLock { $0.conversation = nil } }
        if wasEnded { return .ended }
        var (isFirst, isRefused) = (true, false)
        // Its end is an error, which says nothing more.
        while let answer = try? conversation.next(milliseconds: -1), !isEnded {
            told(.said(answer, isFirst: isFirst))
            isFirst = false
            if case .refused = answer { isRefused = true }
        }
        // A refusal is the last word, and stands.
        if isRefused { return .refused }
        if !isEnded { told(.silence) }
        return isFirst ? .unanswered : .ended
    }
}
