import DocumentFoundation
import Foundation
import Locks

/// One process that presents some files, reads one anew when it is told of a change, and says what it has read.
enum HarnessWatcher {
    /// Presents files until it is killed.
    static func run(_ arguments: [String]) throws {
        let indices = arguments.dropFirst(3).compactMap { Int($0) }
        guard arguments.count == indices.count + 3, !indices.isEmpty else {
            throw HarnessFailure("usage: watcher FOLDER NAME VERSIONS INDEX...")
        }
        let folder = URL(fileURLWithPath: arguments[0], isDirectory: true)
        let registry = try HarnessClient.registry(
            in: folder,
            speaking: try SpokenVersions.range(arguments[2])
        )
        let watchers = indices.map { FileWatcher(folder, $0, name: arguments[1], registry) }
        for watcher in watchers {
            registry.add(watcher)
            watcher.presentedItemDidChange()
        }
        withExtendedLifetime(watchers) { while true { pause() } }
    }
}

/// The presenter of one file.
///
/// It says `given` when it lets a writer at the file and `back` when that one has done, `heard` with the version that it
/// has read after it was told of a change, and `half` of one that is not whole.
private final class FileWatcher: NSObject, NSFilePresenter, Sendable {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    private let place: (name: String, index: Int)
    private let registry: FileAccessRegistry
    /// What is read does not keep messages waiting.
    private let reading = OperationQueue()

    init(_ folder: URL, _ index: Int, name: String, _ registry: FileAccessRegistry) {
        presentedItemURL = KillRun.file(index, in: folder).url
        (place, self.registry) = ((name, index), registry)
        for queue in [presentedItemOperationQueue, reading] { queue.maxConcurrentOperationCount = 1 }
    }

    private func say(_ word: String, _ rest: String = "") {
        LinePipe.say("\(word) \(place.name) \(place.index) \(rest)")
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        say("given")
        writer { self.say("back") }
    }

    func presentedItemDidChange() {
        guard let url = presentedItemURL else { return }
        let intent = NSFileAccessIntent.readingIntent(with: url)
        NSFileCoordinator(filePresenter: self, registry: registry)
            .coordinate(with: [intent], queue: reading) { error in self.read(intent.url, error as NSError?) }
    }

    private func read(_ url: URL, _ error: NSError?) {
        if let error {
            guard HarnessClient.isClaimLost(error) else { return fail(error) }
            return presentedItemDidChange()
        }
        do {
            let contents = try TokenFile(url: url).contents()
            if !contents.isWhole { say("half", "\(contents.writer)") }
            say("heard", contents.generation)
        } catch { fail(error) }
    }

    private func fail(_ error: any Error) {
        FileHandle.standardError.write(Data("coordination-harness: \(place): \(error)\n".utf8))
        exit(1)
    }
}
