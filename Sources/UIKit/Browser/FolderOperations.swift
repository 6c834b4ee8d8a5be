internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// What came of an act on several items: as many as could be done are done.
package struct BrowserOutcome: Sendable {
    /// The items as they are now, in the order of the request; those in the trash are not among them.
    package var items: [FolderItem] = []
    /// One for each item that could not be done.
    package var failures: [BrowserError] = []
    /// What takes back what has been done; nil when that is nothing.
    package var inverse: BrowserCommand?

    /// Where items have been moved, and from where.
    var relocations: [ItemRelocation] {
        if case .relocate(let ways) = inverse { ways.map(\.reversed) } else { [] }
    }
}

/// Does things to the items of a location: what a person may do in a browser.
///
/// 1. Nothing is ever replaced: a taken name is passed over or refused, in one step with the deed.
/// 2. Whoever looks sees an item whole or not at all: copies are made out of sight and put in place in one
///    step.
/// 3. Everything is done under file coordination, so that whoever has an item open is asked and told.
///
/// Deeds are done one after the other on a queue of their own, and may block there. Every call may be made
/// from any actor, and returns on it. Calls do not stop when their task is cancelled: what was begun is
/// ended.
package final class FolderOperations: Sendable {
    private let worker: FolderWorker
    private let queue = DispatchQueue(label: "sheaf.browser.operations", qos: .userInitiated)

    /// - Parameters:
    ///   - location: Whose items.
    ///   - trash: Where items go that are put into the trash; nil for where all of the location go.
    package init(location: BrowserLocation, trash: Trash? = nil) {
        let usual = TrashSettings.forItem(at: location.root.url(isDirectory: true))
        worker = FolderWorker(location: location, trash: trash ?? Trash(usual))
    }

    /// Makes a folder; under the next free name when that one is taken.
    ///
    /// - Parameters:
    ///   - name: As a person typed it.
    ///   - folderID: The folder that is to hold it.
    package func createFolder(
        named name: String,
        in folderID: String
    ) async throws -> BrowserOutcome {
        try await perform { try $0.createFolder(named: name, in: folderID) }
    }

    /// Gives an item another name.
    ///
    /// - Parameters:
    ///   - id: The item.
    ///   - typed: As a person typed it.
    ///   - showsExtension: Whether the person saw the extension; if not, it stays.
    /// - Throws: `BrowserError` with code `nameTaken` or `nameRefused`, among others.
    package func rename(
        _ id: String,
        to typed: String,
        showsExtension: Bool
    ) async throws -> BrowserOutcome {
        try await perform { try $0.rename(id, to: typed, showsExtension: showsExtension) }
    }

    /// Moves items into a folder, under the next free name where one is taken there.
    ///
    /// - Throws: `BrowserError` when the folder is none; what concerns single items is in the outcome.
    package func move(_ ids: [String], into folderID: String) async throws -> BrowserOutcome {
        try await perform { try $0.move(ids, into: folderID) }
    }

    /// Makes a copy of each item beside it, under the next free name.
    package func duplicate(_ ids: [String]) async -> BrowserOutcome {
        await perform { $0.duplicate(ids) }
    }

    /// Puts items into the trash.
    package func trash(_ ids: [String]) async -> BrowserOutcome {
        await perform { $0.trash(ids) }
    }

    /// Brings items in from elsewhere, files or whole directories, under the next free name where one is
    /// taken.
    ///
    /// - Parameters:
    ///   - urls: Where they are now.
    ///   - folderID: The folder that is to hold them.
    ///   - mode: Whether the originals stay. Across volumes a move is a copy, after which the original goes, unless others have
    ///     changed it meanwhile or have it open for writing.
    /// - Throws: `BrowserError` when the folder is none; what concerns single items is in the outcome.
    package func importItems(
        at urls: [URL],
        into folderID: String,
        mode: ItemImportMode
    ) async throws -> BrowserOutcome {
        try await perform { try $0.importItems(at: urls, into: folderID, mode: mode) }
    }

    /// Carries out what undoes an act, or does it again.
    package func perform(_ command: BrowserCommand) async -> BrowserOutcome {
        await perform { $0.perform(command) }
    }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (FolderWorker) -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { [worker] in continuation.resume(returning: body(worker)) }
        }
    }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (FolderWorker) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [worker] in continuation.resume(with: Result { try body(worker) }) }
        }
    }
}

/// What becomes of the original of an item that is brought in.
package enum ItemImportMode: Hashable, Sendable {
    case copy, move
}

/// An item that was put into the trash.
package struct TrashedItem: Hashable, Sendable {
    /// Its id, as long as it was in the location.
    package var id: String
    /// Where it is now.
    package var url: URL

    package init(id: String, url: URL) {
        self.id = id
        self.url = url
    }
}
