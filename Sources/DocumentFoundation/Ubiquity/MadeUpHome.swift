package import FileSystem
internal import Foundation
internal import Locks

/// What apps on a make-believe device keep for its user beside documents and versions: the key and the hints of bookmarks, and the
/// folders of groups.
///
/// One struct under one lock; any thread.
package final class MadeUpHome: Sendable {
    private struct State {
        var keeper: BookmarkKeeper?
        var isOver = false
    }

    private let environment: [String: String]
    private let documents: FilePath
    private let state = Locked(State())

    /// - Parameters:
    ///   - folder: The user's home on the device; made when something is kept in it.
    ///   - documents: Where the user's documents are.
    package init(_ folder: FilePath, documents: FilePath) {
        environment = ["HOME": folder.string]
        self.documents = documents
    }

    var bookmarks: BookmarkKeeper {
        state.withLock { state in
            if let keeper = state.keeper { return keeper }
            var settings = BookmarkSettings(environment: environment, userID: geteuid())
            settings.documentFolders = [documents]
            let keeper = BookmarkKeeper(settings)
            if state.isOver { keeper.end() }
            state.keeper = keeper
            return keeper
        }
    }

    /// Where groups' folders are; nil for a device that is none any more.
    var groups: GroupContainers? {
        state.withLock { $0.isOver } ? nil : GroupContainers(environment: environment)
    }

    /// Returns when what is noted beside what apps do has been written.
    func finishNoting() { state.withLock { $0.keeper }?.finishNotingMoves() }

    /// What was in memory is gone, as with the memory of an app.
    ///
    /// - Parameter isOver: Whether nothing is kept any more, as the device is none any more.
    func forget(isOver: Bool = false) {
        let former = state.withLock { state in
            defer { state = State(isOver: state.isOver || isOver) }
            return state.keeper
        }
        former?.end()
    }
}

extension UbiquityAccount {
    /// Has apps on a make-believe device begin anew: what they had not written down is gone.
    package func forgetApps() {
        forgetKeyValues()
        madeUpHome?.forget()
    }

    /// A make-believe device is none any more: nothing is written in its folder, nor in its user's home.
    package func endApps() {
        endKeyValues()
        madeUpHome?.forget(isOver: true)
    }

    /// Returns when what is noted beside what apps on a make-believe device do has been written.
    package func finishNotesOfApps() { madeUpHome?.finishNoting() }
}

extension BookmarkKeeper {
    /// The one of whoever asks: of the make-believe device in whose `run` that is, else the user's.
    private static var current: BookmarkKeeper { UbiquityAccount.shared.madeUpHome?.bookmarks ?? .shared }

    /// The one for an item: its make-believe device's, else that of whoever asks.
    static func of(_ url: URL) -> BookmarkKeeper { UbiquityAccount.of(url).madeUpHome?.bookmarks ?? .shared }

    /// The one that opens a bookmark: that of whoever asks, else, on no make-believe device, that of the device that has made it.
    static func opening(_ data: Data) -> BookmarkKeeper {
        guard UbiquityAccount.shared.madeUpHome == nil else { return current }
        return MakeBelieveDevices.accounts.lazy.compactMap(\.madeUpHome?.bookmarks)
            .first { $0.hasSealed(data) } ?? .shared
    }

    /// Notes where an item has gone, for whose it is. Returns at once.
    ///
    /// - Parameters:
    ///   - source: Where it was; nil when that is not known.
    ///   - target: Where it is now.
    package static func noteMove(from source: FilePath?, to target: FilePath) {
        // What leaves a device's folder, as for the trash, is that device's still.
        let owner =
            MakeBelieveDevices.account(of: target.url(isDirectory: false))
            ?? source.flatMap { MakeBelieveDevices.account(of: $0.url(isDirectory: false)) }
        (owner?.madeUpHome?.bookmarks ?? current).noteMove(from: source, to: target)
    }
}
