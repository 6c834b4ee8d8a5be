import DocumentFoundation
import FileSystem
import Foundation
import LocalSockets
import Locks
import SyncMessages
import Testing

@testable import UIKit

/// A location that is kept in step: says how its items stand, and withholds contents until a test lets them come.
final class SyncedShelf: Sendable {
    private struct State {
        var followers: [LocalSocket] = []
        /// Who waits for contents, and whether somebody does.
        var downloads: [LocalSocket] = []
        var asked: [CheckedContinuation<Void, Never>] = []
        var isEnded = false
    }

    private let place: JoinedPlace
    private let states: [ItemSyncState]
    private let bell: SocketBell
    private let state = Locked(State())

    /// - Parameters:
    ///   - shelf: The location.
    ///   - states: How those of its items stand that are not simply here, with their paths below it.
    init(_ shelf: Shelf, _ states: [ItemSyncState] = []) throws {
        place = try JoinedPlace(shelf.url)
        let root = place.folder.path
        self.states = states.map { state in
            var state = state
            state.path = root + "/" + state.path
            return state
        }
        bell = try SocketBell()
        Thread.detachNewThread { [self] in
            while place.waitForQuestion(or: bell), !state.withLock({ $0.isEnded }) {
                do { try answer(place.question()) } catch { Issue.record(error) }
            }
        }
    }

    func end() {
        state.withLock { $0 = State(isEnded: true) }
        bell.ring()
    }

    /// Runs what a browser does, in this user's account.
    @MainActor
    func run<Value>(_ body: @MainActor () async throws -> Value) async rethrows -> Value {
        try await UbiquityAccount.$shared.withValue(place.account, operation: body)
    }

    /// Returns when somebody waits for contents.
    func whenAsked() async {
        await withCheckedContinuation { continuation in
            let isAsked = state.withLock { state in
                if state.downloads.isEmpty { state.asked.append(continuation) }
                return !state.downloads.isEmpty
            }
            if isAsked { continuation.resume() }
        }
    }

    private func answer(_ asked: (question: SyncQuestion, socket: LocalSocket)) throws {
        switch asked.question {
        case .follow:
            try say(.changed([], isSettled: false), to: asked.socket)
            state.withLock { $0.followers.append(asked.socket) }
        case .followLargeChanges:
            try say(.largeChanges(LargeChanges()), to: asked.socket)
            state.withLock { $0.followers.append(asked.socket) }
        case .item: try say(.item(nil), to: asked.socket)
        case .unsettled: try say(.items(states), to: asked.socket)
        case .download:
            try say(.progress(.init(1, of: 4)), to: asked.socket)
            let waiting = state.withLock { state in
                state.downloads.append(asked.socket)
                defer { state.asked = [] }
                return state.asked
            }
            for continuation in waiting { continuation.resume() }
        case let other: Issue.record("nobody answers \(other)")
        }
    }

    private func say(_ answer: SyncAnswer, to socket: LocalSocket) throws {
        let bytes = try SyncLine.bytes(answer)
        _ = bytes.withUnsafeBytes { socket.send($0) }
    }
}
