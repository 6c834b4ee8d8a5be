internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks

/// Scopes that are not there: no folder above them is searched and would tell of them, so one is watched for that.
extension QueryRun {
    /// Has everything be looked at when something comes to be on the way to a folder that is not there, if that is a scope.
    ///
    /// - Parameters:
    ///   - number: Of any folder; what of it can be watched is.
    ///   - path: Where it is.
    func awaitScope(_ number: Int, _ path: FilePath) {
        guard state.withLock({ $0.catalogue.folders[number]?.root != nil }) else { return }
        watchesAbove[number] = nil
        guard watches[number] == nil, !Self.isThere(path) else { return }
        var place = path
        while place.parent != place {
            do {
                watchesAbove[number] = try watchAbove(place)
                // What has come before that was watched is looked at as if it had been told.
                if Self.isThere(place) { needsLookAtAll = true }
                return
            } catch {
                // There may be no more watches: then all is looked at now and then.
                lacksWatches = lacksWatches || [ENOSPC, EMFILE, ENFILE].contains(error.errno)
                guard error.isAbsent || error.errno == ENOTDIR else { return }
                place = place.parent
            }
        }
    }

    private func watchAbove(_ place: FilePath) throws(SystemError) -> FileEvents.Watch {
        try events.watch(place.parent, namesOnly: true) { [weak self] events in
            guard let self, events.contains(where: { $0.name == place.name || Self.isEnd($0) }) else {
                return
            }
            queue.async {
                self.needsLookAtAll = true
                self.lookSoon()
            }
        }
    }

    private static func isThere(_ path: FilePath) -> Bool {
        // What cannot be looked at is not there for a search either.
        (try? FolderScan.status(at: path)) != nil
    }

    /// Whether nothing more is told of what is watched, or not all was.
    private static func isEnd(_ event: WatchEvent) -> Bool {
        switch event.kind {
        case .selfDeleted, .selfMoved, .overflowed: true
        default: false
        }
    }
}
