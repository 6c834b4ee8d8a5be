internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks

/// What becomes of items while the query runs.
extension QueryRun {
    private typealias Place = ItemCatalogue.Place

    /// What a look has found.
    private struct Outcome {
        var changed: Set<Int> = []
        var gone: Set<Int> = []
        var newFolders: [Int] = []
        /// Names whose folders are others now.
        var exchanged: Set<Place> = []
    }

    /// How long to wait between looks at all where the system gives no more watches: a look takes one part in fifty
    /// of the time at most.
    private static let looksIntervalSecondsMin = 10.0
    private static let restPerLook = 50.0
    /// How many halves of moves are kept until the other half comes.
    private static let leavingMax = 65_536
    /// The kernel's file times are as coarse as its tick, and its clock may be set back a little.
    private static let clockSlackSeconds = 1.0

    // MARK: Events

    func heard(_ events: [WatchEvent], in folder: Int) {
        for event in events { take(event, in: folder) }
        dirty.formUnion(misplaced)
        misplaced = []
        look(after: EventFolding.quietSeconds)
    }

    private func take(_ event: WatchEvent, in folder: Int) {
        guard let name = event.name else {
            // Of the folder itself: what it means for its name is told by the folder above it, but for a scope's own.
            let isScope = state.withLock { $0.catalogue.folders[folder]?.root != nil }
            let isEnd = event.kind == .selfDeleted || event.kind == .selfMoved
            if event.kind == .overflowed || (isEnd && isScope) { needsLookAtAll = true }
            if event.kind == .selfDeleted { lookAnew(atFolder: folder) }
            return
        }
        guard name.utf8.first != UInt8(ascii: ".") else { return }
        let place = Place(folder: folder, name: name)
        dirty.insert(place)
        switch event.kind {
        case .created, .deleted:
            // What had come here has been moved on or is gone.
            moves.removeAll { $0.target == place }
            exchanged.insert(place)
        case .movedFrom(let cookie):
            if leaving.count >= Self.leavingMax { leaving = [:] }
            let isItself = !exchanged.contains(place) || moves.contains { $0.target == place }
            leaving[cookie] = isItself ? place : nil
            exchanged.insert(place)
        case .movedTo(let cookie):
            take(arrivalAt: place, from: leaving.removeValue(forKey: cookie))
        default: break
        }
    }

    private func take(arrivalAt place: Place, from source: Place?) {
        let earlier = moves.lastIndex { $0.target == source }
        if let earlier { moves[earlier].target = place }
        // What had come here before has been replaced.
        let kept = earlier.map { moves[$0].source }
        moves.removeAll { $0.target == place && $0.source != kept }
        if earlier == nil, let source { moves.append((source, place)) }
        exchanged.insert(place)
    }

    /// Has a folder taken for another one, whatever its inode's number is.
    func lookAnew(atFolder number: Int) {
        guard let place = state.withLock({ $0.catalogue.folders[number]?.place }) else { return }
        dirty.insert(place)
        exchanged.insert(place)
    }

    private func look(after delay: Double) {
        guard !isLookDue, needsLookAtAll || !dirty.isEmpty else { return }
        isLookDue = true
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.look() }
    }

    private func look() {
        isLookDue = false
        guard !isStopped else { return }
        let begun = Date()
        var outcome = Outcome()
        if needsLookAtAll {
            (needsLookAtAll, dirty, misplaced, exchanged) = (false, [], [], [])
            (moves, departures) = ([], [:])
            lookAtAll(&outcome)
        } else {
            let (names, moved) = (dirty, moves)
            (dirty, moves) = ([], [])
            let followed = follow(moved, &outcome)
            outcome.exchanged = exchanged.subtracting(followed)
            exchanged = []
            lookAt(names.subtracting(followed), &outcome)
        }
        seenUntil = begun
        judge(outcome)
        // Folders that were missed.
        look(after: EventFolding.quietSeconds)
        if let next = departures.values.min() {
            queue.asyncAfter(deadline: .now() + max(0, next - Self.now)) { [weak self] in
                self?.lookAtDepartures()
            }
        }
    }

    private func lookAtDepartures() {
        let now = Self.now
        dirty.formUnion(departures.filter { $0.value <= now }.keys)
        look(after: 0)
    }

    /// Tells what matches now of what was found.
    private func judge(_ outcome: Outcome) {
        var outcome = outcome
        var put: [MetadataQueryCore.Match] = []
        walk(outcome.newFolders) { put += $0 }
        let candidates = state.withLock { state in
            outcome.changed.subtracting(outcome.gone).compactMap { id in
                attributes(of: id, &state).map { (id, $0) }
            }
        }
        for (id, attributes) in candidates {
            if let values = match(attributes) {
                put.append(MetadataQueryCore.Match(id: id, sortValues: values))
            } else {
                outcome.gone.insert(id)
            }
        }
        guard !put.isEmpty || !outcome.gone.isEmpty else { return }
        update { [gone = outcome.gone] in $0.core.change(put: put, drop: gone) }
        lookAtIntervalsIfNeeded()
    }

    // MARK: Moves

    /// Has items go along with their names.
    ///
    /// - Returns: The names that need no further look.
    private func follow(_ moves: [(source: Place, target: Place)], _ outcome: inout Outcome) -> Set<Place> {
        var done: Set<Place> = []
        for (source, target) in moves where source != target {
            guard let known = state.withLock({ $0.catalogue.folders[source.folder]?.members[source.name] }),
                let item = listed(target), item.inode == known.inode, form(item) == known.form,
                listed(source) == nil,
                state.withLock({ $0.catalogue.folders[target.folder].map { $0.package == nil } ?? false })
            else { continue }
            remove(target, &outcome)
            // It may have been in what it has replaced: then it is found as new.
            guard state.withLock({ $0.catalogue.folders[source.folder]?.members[source.name] }) != nil else {
                continue
            }
            outcome.changed.formUnion(state.withLock { $0.catalogue.move(source, to: target) })
            departures[source] = nil
            done.formUnion([source, target])
        }
        return done
    }

    private func listed(_ place: Place) -> ListedItem? {
        guard let folder = state.withLock({ $0.catalogue.path(ofFolder: place.folder) }) else { return nil }
        // In a folder that is gone nothing is.
        return (try? FolderScan.listing(of: [place.name], in: folder))?.first
    }

    private func remove(_ place: Place, _ outcome: inout Outcome) {
        departures[place] = nil
        let gone = state.withLock { state in
            let ids = [state.catalogue.folders[place.folder]?.members[place.name]?.id].compactMap { $0 }
            let inner =
                state.catalogue.folders[place.folder]?.folders[place.name]
                .map { state.catalogue.items(inFolder: $0) } ?? []
            for id in ids + inner { state.remembered[id] = attributes(of: id, &state) }
            return state.catalogue.remove(place)
        }
        for folder in gone.folders { watches[folder] = nil }
        outcome.gone.formUnion(gone.items)
    }

    // MARK: Names

    private func lookAt(_ places: Set<Place>, _ outcome: inout Outcome) {
        for (folder, places) in Dictionary(grouping: places, by: \.folder) {
            let names = places.map(\.name)
            let (path, known) = state.withLock { state in
                (state.catalogue.path(ofFolder: folder), state.catalogue.folders[folder])
            }
            guard let path else {
                for place in places { departures[place] = nil }
                continue
            }
            // In a folder that is gone nothing is.
            let found = (try? FolderScan.listing(of: names, in: path)) ?? []
            guard isFolder(folder, at: path) else {
                // It is elsewhere, and that is about to be told.
                for place in places { departures[place] = nil }
                misplaced.formUnion(places)
                exchanged.formUnion(outcome.exchanged.intersection(places))
                continue
            }
            let items = Dictionary(found.map { ($0.name, $0) }) { $1 }
            for place in places {
                if let package = known?.package {
                    outcome.changed.insert(package)
                    lookInPackage(place, items[place.name], package, &outcome)
                } else {
                    look(at: place, items[place.name], &outcome)
                }
            }
        }
    }

    /// Whether a folder that is known is at its path now, as far as it can be told from others.
    private func isFolder(_ number: Int, at path: FilePath) -> Bool {
        let inode = state.withLock { state in
            state.catalogue.folders[number]?.place.flatMap {
                state.catalogue.folders[$0.folder]?.members[$0.name]?.inode
            }
        }
        // What cannot be looked at is not there.
        return inode == nil || (try? ItemStatus(of: path))?.inode == inode
    }

    private func lookInPackage(_ place: Place, _ item: ListedItem?, _ package: Int, _ outcome: inout Outcome)
    {
        let isFolder = item?.kind == .directory
        let known = state.withLock { $0.catalogue.folders[place.folder]?.folders[place.name] }
        if known != nil, outcome.exchanged.contains(place) { remove(place, &outcome) }
        let isKnown = known != nil && !outcome.exchanged.contains(place)
        if isFolder, !isKnown {
            outcome.newFolders.append(state.withLock { $0.catalogue.addFolder(place, package: package) })
        } else if !isFolder, isKnown {
            remove(place, &outcome)
        }
    }

    private func look(at place: Place, _ item: ListedItem?, _ outcome: inout Outcome) {
        let known = state.withLock { $0.catalogue.folders[place.folder]?.members[place.name] }
        guard let item else {
            guard known != nil else { return }
            let due = departures[place] ?? Self.now + EventFolding.settleSeconds
            departures[place] = due
            if Self.now >= due { remove(place, &outcome) }
            return
        }
        departures[place] = nil
        let form = form(item)
        if let known, known.form == form,
            form == .file || form == .link || known.inode == item.inode && !outcome.exchanged.contains(place)
        {
            state.withLock { $0.catalogue.replace(place, inode: item.inode, form: form) }
            outcome.changed.insert(known.id)
            return
        }
        if known != nil { remove(place, &outcome) }
        add(item, form, at: place, &outcome)
    }

    private func add(_ item: ListedItem, _ form: ItemForm, at place: Place, _ outcome: inout Outcome) {
        let (id, folder) = state.withLock { state -> (Int, Int?) in
            let id = state.catalogue.add(item, form: form, in: place.folder)
            guard form == .folder || form == .package else { return (id, nil) }
            return (id, state.catalogue.addFolder(place, package: form == .package ? id : nil))
        }
        outcome.changed.insert(id)
        if let folder { outcome.newFolders.append(folder) }
    }

    // MARK: All

    /// Compares everything with what is known: some of what happened was not seen.
    private func lookAtAll(_ outcome: inout Outcome) {
        var (gone, appeared): ([(Place, ItemCatalogue.Member)], [(Place, ListedItem)]) = ([], [])
        var rest = state.withLock { state in
            state.catalogue.folders.filter { $0.value.root != nil }.map(\.key)
        }
        while let number = rest.popLast() {
            guard
                let (path, folder) = state.withLock({ state in
                    state.catalogue.path(ofFolder: number).flatMap { path in
                        state.catalogue.folders[number].map { (path, $0) }
                    }
                })
            else { continue }
            // In a folder that is gone nothing is.
            let found = (try? FolderScan.listing(of: path)) ?? []
            let items = Dictionary(found.map { ($0.name, $0) }) { $1 }
            for (name, member) in folder.members where items[name] == nil {
                gone.append((Place(folder: number, name: name), member))
            }
            for item in found {
                let place = Place(folder: number, name: item.name)
                guard let member = folder.members[item.name] else {
                    appeared.append((place, item))
                    continue
                }
                if !isSame(member, item, in: path) { look(at: place, item, &outcome) }
                if member.form == .package, let inner = folder.folders[item.name] {
                    renew(inner, at: place, member)
                }
                if member.form == .folder, let inner = folder.folders[item.name] { rest.append(inner) }
            }
            rewatch(number, path)
        }
        reconcile(gone, appeared, &outcome)
    }

    /// Whether an item is as it was when all was seen last.
    private func isSame(_ member: ItemCatalogue.Member, _ item: ListedItem, in folder: FilePath) -> Bool {
        guard member.inode == item.inode, form(item) == member.form else { return false }
        let limit = seenUntil - Self.clockSlackSeconds
        let path = folder.appending(item.name)
        if member.form == .package {
            // What cannot be counted is taken for another.
            let summary = (try? FolderScan.summary(of: path, memberCountMax: 50_000)) ?? nil
            return summary.map { $0.modificationDate < limit } ?? false
        }
        if member.form == .folder { return true }
        // What went meanwhile is looked at with what has gone, at the next event.
        return (try? ItemStatus(of: path)).map { $0.changeDate < limit } ?? false
    }

    /// A package's folders are watched anew: nobody knows which they are.
    private func renew(_ number: Int, at place: Place, _ member: ItemCatalogue.Member) {
        let (folders, new) = state.withLock { state in
            (
                state.catalogue.removeFolder(place).folders,
                state.catalogue.addFolder(place, package: member.id)
            )
        }
        for folder in folders { watches[folder] = nil }
        walk([new]) { _ in }
    }

    /// It may be another folder now, even under the same inode's number.
    private func rewatch(_ number: Int, _ path: FilePath) {
        // Without a folder there is nothing to watch.
        watches[number] = try? events.watch(path) { [weak self] events in
            guard let self else { return }
            queue.async { self.heard(events, in: number) }
        }
    }

    /// Tells what was moved from what came and went.
    private func reconcile(
        _ gone: [(Place, ItemCatalogue.Member)],
        _ appeared: [(Place, ListedItem)],
        _ outcome: inout Outcome
    ) {
        var left = Dictionary(gone.map { ($0.1.inode, $0) }) { first, _ in first }
        var moved: Set<Place> = []
        for (place, item) in appeared {
            // A number may have been given to another file; a file that is older than the last look is the same.
            if let (source, member) = left[item.inode], form(item) == member.form, isOld(place) {
                left[item.inode] = nil
                moved.insert(source)
                outcome.changed.formUnion(state.withLock { $0.catalogue.move(source, to: place) })
            } else {
                add(item, form(item), at: place, &outcome)
            }
        }
        for (place, _) in gone where !moved.contains(place) { remove(place, &outcome) }
    }

    private func isOld(_ place: Place) -> Bool {
        guard let folder = state.withLock({ $0.catalogue.path(ofFolder: place.folder) }) else { return false }
        // What is gone already is no old item.
        let status = try? ItemStatus(of: folder.appending(place.name))
        return status?.creationDate.map { $0 < seenUntil } ?? false
    }

    // MARK: Without watches

    func lookAtIntervalsIfNeeded() {
        guard lacksWatches, !looksAtIntervals else { return }
        looksAtIntervals = true
        FileHandle.standardError.write(
            Data(
                "sheaf: a query looks at its scopes at intervals: the system has no file watches left.\n".utf8
            )
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
