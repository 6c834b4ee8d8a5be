internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks
internal import StandardStreams

/// Comparing everything with what is known, where events were lost or cannot be had.
extension QueryRun {
    /// How long to wait between looks at all where the system gives no more watches: a look takes one part in fifty
    /// of the time at most.
    private static let looksIntervalSecondsMin = 10.0
    private static let restPerLook = 50.0
    /// The kernel's file times are as coarse as its tick, and its clock may be set back a little.
    private static let clockSlackSeconds = 1.0

    private typealias Gone = (place: Place, member: ItemCatalogue.Member)
    private typealias Appeared = (place: Place, item: ListedItem)

    /// Compares everything with what is known: some of what happened was not seen.
    func lookAtAll(_ outcome: inout Outcome) {
        var rest = state.withLock { state in
            state.catalogue.folders.filter { $0.value.root != nil }.map(\.key)
        }
        while !rest.isEmpty {
            var (gone, appeared): ([Gone], [Appeared]) = ([], [])
            while let number = rest.popLast() {
                rest += compare(number, &gone, &appeared, &outcome)
            }
            // What has been moved is looked into where it is now.
            rest = reconcile(gone, appeared, &outcome)
        }
    }

    /// Compares a folder with what is known of it.
    ///
    /// - Returns: The folders in it that were there before.
    private func compare(
        _ number: Int,
        _ gone: inout [Gone],
        _ appeared: inout [Appeared],
        _ outcome: inout Outcome
    ) -> [Int] {
        let known = state.withLock { state in
            state.catalogue.path(ofFolder: number).flatMap { path in
                state.catalogue.folders[number].map { (path, $0) }
            }
        }
        guard let (path, folder) = known else { return [] }
        let before = scopePlaces[number]
        rewatch(number, path)
        let found = listing(ofFolder: number, at: path)
        // In a scope that is gone nothing is; any other has been moved meanwhile.
        guard folder.root != nil || isFolder(number, at: path) else {
            miss(number)
            return []
        }
        missed.remove(number)
        if let before, let now = scopePlaces[number], before.device != now.device {
            // On another volume the same numbers are other files.
            for name in folder.members.keys { remove(Place(folder: number, name: name), &outcome) }
            outcome.newFolders.append(number)
            return []
        }
        guard let found else {
            // For a moment it cannot be told what is there: all of it stays what it was.
            isAllUnseen = true
            return Array(folder.folders.values)
        }
        let items = Dictionary(found.map { (ItemName($0.name), $0) }) { $1 }
        for (name, member) in folder.members where items[name] == nil {
            gone.append((Place(folder: number, name: name), member))
        }
        var inner: [Int] = []
        for (name, item) in items {
            let place = Place(folder: number, name: name)
            guard let member = folder.members[name] else {
                appeared.append((place, item))
                continue
            }
            if !isSame(member, item, in: path) { look(at: place, item, &outcome) }
            if member.form == .package, form(item) == .package { renew(at: place, member) }
            if member.form == .folder, let number = folder.folders[name] { inner.append(number) }
        }
        return inner
    }

    /// All in a folder. In one that may not be read there is nothing to be found, until it may.
    ///
    /// - Returns: Nil where the system cannot tell for now: it has no more open files to give, or the disk does not answer.
    private func listing(ofFolder number: Int, at path: FilePath) -> [ListedItem]? {
        let wasUnread = unread.contains(number)
        do throws(SystemError) {
            let items = try listing(of: path)
            unread.remove(number)
            if wasUnread { followWay(to: number, at: path) }
            return items
        } catch {
            guard !error.isAbsent else { return [] }
            lacksWatches = lacksWatches || Self.isShortage(error)
            if !wasUnread, Self.isShortage(error) || error.isFault { return nil }
            unread.insert(number)
            if !wasUnread { followWay(to: number, at: path) }
            return []
        }
    }

    /// Whether an item is as it was when all was seen last.
    private func isSame(_ member: ItemCatalogue.Member, _ item: ListedItem, in folder: FilePath) -> Bool {
        guard form(item) == member.form else { return false }
        let limit = seenUntil - Self.clockSlackSeconds
        let path = folder.appending(item.name)
        if member.form == .folder {
            // Where a volume is mounted the list has the number of what that hides.
            return member.inode == item.inode || (try? ItemStatus(of: path))?.inode == member.inode
        }
        guard member.inode == item.inode else { return false }
        // What went meanwhile is looked at with what has gone, at the next event.
        guard let status = try? ItemStatus(of: path), status.changeDate < limit else { return false }
        guard member.form == .package else { return true }
        // What cannot be counted is taken for another.
        let summary = (try? FolderScan.summary(of: path, memberCountMax: 50_000)) ?? nil
        return summary.map { $0.modificationDate < limit } ?? false
    }

    /// A package's folders are watched anew: nobody knows which they are.
    private func renew(at place: Place, _ member: ItemCatalogue.Member) {
        let (folders, new) = state.withLock { state in
            (
                state.catalogue.removeFolder(place).folders,
                state.catalogue.addFolder(place, package: member.id)
            )
        }
        forget(folders)
        walk([new]) { _ in }
    }

    /// It may be another folder now, even under the same inode's number.
    private func rewatch(_ number: Int, _ path: FilePath) {
        if isScope(number) { scopePlaces[number] = scopePlace(at: path) }
        do {
            watches[number] = try events.watch(path) { [weak self] events in
                guard let self else { return }
                queue.async { self.heard(events, in: number) }
            }
        } catch {
            // Without a folder there is nothing to watch.
            watches[number] = nil
            lacksWatches = lacksWatches || Self.isShortage(error)
        }
        followWay(to: number, at: path)
    }

    /// Tells what was moved from what came and went.
    ///
    /// - Returns: The folders that were moved.
    private func reconcile(_ gone: [Gone], _ appeared: [Appeared], _ outcome: inout Outcome) -> [Int] {
        var left = Dictionary(gone.map { ($0.member.inode, $0) }) { first, _ in first }
        var moved: Set<Place> = []
        var folders: [Int] = []
        for (place, item) in appeared {
            // A number may have been given to another file; a file that is older than the last look is the same.
            guard let (source, member) = left[item.inode], form(item) == member.form, isOld(place) else {
                add(item, form(item), at: place, &outcome)
                continue
            }
            left[item.inode] = nil
            moved.insert(source)
            outcome.changed.formUnion(move(source, to: place))
            switch member.form {
            case .package: renew(at: place, member)
            case .folder:
                let number = state.withLock { $0.catalogue.folders[place.folder]?.folders[place.name] }
                if let number { folders.append(number) }
            default: break
            }
        }
        for (place, _) in gone where !moved.contains(place) { remove(place, &outcome) }
        return folders
    }

    private func isOld(_ place: Place) -> Bool {
        guard let folder = state.withLock({ $0.catalogue.path(ofFolder: place.folder) }) else { return false }
        // What is gone already is no old item.
        let status = try? ItemStatus(of: folder.appending(place.name.text))
        return status?.creationDate.map { $0 < seenUntil } ?? false
    }

    // MARK: Without watches

    func lookAtIntervalsIfNeeded() {
        guard lacksWatches, !looksAtIntervals else { return }
        looksAtIntervals = true
        StandardError.say(
            "sheaf: a query looks at its scopes at intervals: the system has no file watches left."
        )
        lookAtIntervals(after: Self.looksIntervalSecondsMin)
    }

    private func lookAtIntervals(after delay: Double) {
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self, !isStopped else { return }
            let begun = Self.now
            needsLookAtAll = true
            look()
            lookAtIntervals(after: max(Self.looksIntervalSecondsMin, Self.restPerLook * (Self.now - begun)))
        }
    }
}
