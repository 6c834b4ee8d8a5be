internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks

/// What becomes of items while the query runs.
extension QueryRun {
    typealias Place = ItemCatalogue.Place
    typealias Move = (source: Place, target: Place)

    /// What a look has found.
    struct Outcome {
        var changed: Set<Int> = []
        var gone: Set<Int> = []
        var newFolders: [Int] = []
        /// Names whose folders are others now.
        var exchanged: Set<Place> = []
    }

    /// How many halves of moves are kept until the other half comes.
    private static let leavingMax = 65_536

    // MARK: Events

    func heard(_ events: [WatchEvent], in folder: Int) {
        for event in events { take(event, in: folder) }
        dirty.formUnion(misplaced)
        misplaced = []
        look(after: EventFolding.quietSeconds)
    }

    /// Items stand otherwise at the hub, or their contents come or go.
    func heard(ofStates paths: [FilePath]) {
        let places = state.withLock { state in
            paths.compactMap { path in
                state.catalogue.folder(at: path.parent).map { Place(folder: $0, name: ItemName(path.name)) }
            }
        }
        dirty.formUnion(places)
        look(after: 0)
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
        switch event.kind {
        case .created, .deleted, .movedFrom, .movedTo: membersChanged(in: folder)
        default: break
        }
        guard let name = shownName(name, in: folder) else { return }
        let place = Place(folder: folder, name: ItemName(name))
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

    /// What comes to a folder or leaves it changes the folder, too, of which the one above it is told nothing.
    private func membersChanged(in folder: Int) {
        let place = state.withLock { state -> Place? in
            guard let known = state.catalogue.folders[folder], known.package == nil else { return nil }
            return known.place
        }
        if let place { dirty.insert(place) }
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

    /// Nobody knows what is in a folder that was not where it was looked for.
    func miss(_ number: Int) {
        missed.insert(number)
        lookAnew(atFolder: number)
    }

    /// Looks at what is to be looked at, when nothing more has come for a moment.
    func lookSoon() { look(after: EventFolding.quietSeconds) }

    func look(after delay: Double) {
        guard !isLookDue, needsLookAtAll || !dirty.isEmpty else { return }
        isLookDue = true
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.look() }
    }

    func look() {
        isLookDue = false
        guard !isStopped else { return }
        let begun = Date()
        var outcome = Outcome()
        if needsLookAtAll {
            (needsLookAtAll, dirty, misplaced, exchanged, unseen) = (false, [], [], [], [])
            (moves, departures, isAllUnseen) = ([], [:], false)
            lookAtAll(&outcome)
        } else {
            let (names, moved) = (dirty, moves)
            (dirty, moves) = ([], [])
            unseen.subtract(names)
            let followed = follow(moved, &outcome)
            outcome.exchanged = exchanged.subtracting(followed)
            exchanged = []
            lookAt(names.subtracting(followed), &outcome)
            // What is known by a name that is free is not what comes to it next, and need not be what leaves it.
            exchanged.formUnion(outcome.exchanged.filter { departures[$0] != nil })
        }
        seenUntil = begun
        judge(outcome)
        lookAtIntervalsIfNeeded()
        lookSoon()
        awaitDepartures()
        lookLater()
    }

    /// Tells what matches now of what was found.
    func judge(_ outcome: Outcome) {
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
            } else if isAtItsPlace(attributes) {
                outcome.gone.insert(id)
            }
        }
        guard !put.isEmpty || !outcome.gone.isEmpty else { return }
        found(put: put, gone: outcome.gone)
    }

    // MARK: Moves

    /// Has items go along with their names.
    ///
    /// - Returns: The names that they have now, which need no further look. What they have left may be another's by now.
    private func follow(_ moves: [Move], _ outcome: inout Outcome) -> Set<Place> {
        var (rest, done): ([Move], Set<Place>) = (moves, [])
        while true {
            // One in a folder that has been moved since is found when the folder is.
            let left = rest.filter { !follow($0, &outcome, &done) }
            guard left.count < rest.count else { return done }
            rest = left
        }
    }

    /// - Returns: Whether it has gone along.
    private func follow(_ move: Move, _ outcome: inout Outcome, _ done: inout Set<Place>) -> Bool {
        let (source, target) = move
        guard source != target,
            let known = state.withLock({ $0.catalogue.folders[source.folder]?.members[source.name] }),
            let item = listed(target), item.inode == known.inode, form(item) == known.form,
            listed(source) == nil, !isMissed(source),
            state.withLock({ $0.catalogue.folders[target.folder].map { $0.package == nil } ?? false })
        else { return false }
        remove(target, &outcome)
        // It may have been in what it has replaced: then it is found as new.
        guard state.withLock({ $0.catalogue.folders[source.folder]?.members[source.name] }) != nil else {
            return false
        }
        outcome.changed.formUnion(self.move(source, to: target))
        departures[source] = nil
        done.insert(target)
        return true
    }

    /// Has an item go along with its name, with all that is in it, and with what is known of how that stands at the hub.
    ///
    /// - Returns: Every item whose path is another now.
    func move(_ source: Place, to target: Place) -> [Int] {
        let (moved, former, now, paths) = state.withLock { state in
            let (from, to) = (state.catalogue.path(of: source), state.catalogue.path(of: target))
            let moved = state.catalogue.move(source, to: target)
            let paths =
                plan.ubiquity == nil ? [] : moved.compactMap { state.catalogue.whereabouts(of: $0)?.path }
            return (moved, from, to, paths)
        }
        if let former, let now { plan.ubiquity?.moved(paths, from: former, to: now) }
        return moved
    }

    /// Whether nobody knows what is in a folder: it does not go along, but is new where it has come.
    private func isMissed(_ place: Place) -> Bool {
        let folder = state.withLock { $0.catalogue.folders[place.folder]?.folders[place.name] }
        return folder.map(missed.contains) ?? false
    }

    private func listed(_ place: Place) -> ListedItem? {
        guard let folder = state.withLock({ $0.catalogue.path(ofFolder: place.folder) }) else { return nil }
        // In a folder that is gone nothing is.
        return (try? listing(of: [place.name.text], in: folder))?.first
    }

    func remove(_ place: Place, _ outcome: inout Outcome) {
        departures[place] = nil
        let gone = state.withLock { state in
            let ids = [state.catalogue.folders[place.folder]?.members[place.name]?.id].compactMap { $0 }
            let inner =
                state.catalogue.folders[place.folder]?.folders[place.name]
                .map { state.catalogue.items(inFolder: $0) } ?? []
            // Whether what is not decided yet is told nobody knows.
            for id in ids + inner where plan.isUndecided || state.core.mayBeTold(id) {
                state.remembered[id] = attributes(of: id, &state)
            }
            return state.catalogue.remove(place)
        }
        forget(gone.folders)
        outcome.gone.formUnion(gone.items)
    }

    /// Ends what is kept of folders that are known no longer.
    func forget(_ folders: [Int]) {
        for folder in folders {
            watches[folder] = nil
            missed.remove(folder)
            unread.remove(folder)
        }
    }

    // MARK: Names

    private func lookAt(_ places: Set<Place>, _ outcome: inout Outcome) {
        for (folder, places) in Dictionary(grouping: places, by: \.folder) {
            let names = places.map(\.name.text)
            let (path, known) = state.withLock { state in
                (state.catalogue.path(ofFolder: folder), state.catalogue.folders[folder])
            }
            guard let path else {
                for place in places { departures[place] = nil }
                continue
            }
            if known?.package == nil, unread.contains(folder) {
                // Nothing of it is known, and all of it once it may be read.
                for place in places { departures[place] = nil }
                readAgain(folder, &outcome)
                continue
            }
            let (found, unseen) = listed(names, in: path)
            guard known?.root != nil || isFolder(folder, at: path) else {
                // It is elsewhere, and that is about to be told.
                for place in places { departures[place] = nil }
                misplaced.formUnion(places)
                exchanged.formUnion(outcome.exchanged.intersection(places))
                continue
            }
            let items = Dictionary(found.map { (ItemName($0.name), $0) }) { $1 }
            for place in places {
                guard !unseen.contains(place.name) else {
                    postpone(place, outcome)
                    continue
                }
                if let package = known?.package {
                    outcome.changed.insert(package)
                    lookInPackage(place, items[place.name], package, &outcome)
                } else {
                    look(at: place, items[place.name], &outcome)
                }
            }
        }
    }

    /// Whether a folder that is known, and no scope, is at its path now, as far as it can be told from others.
    func isFolder(_ number: Int, at path: FilePath) -> Bool {
        let (inode, package) = state.withLock { state -> (UInt64?, (FilePath, UInt64)?) in
            let folder = state.catalogue.folders[number]
            let member = folder?.place.flatMap { state.catalogue.folders[$0.folder]?.members[$0.name] }
            return (member?.inode, folder?.package.flatMap { state.catalogue.whereabouts(of: $0) })
        }
        // What cannot be looked at is not there.
        func isThere(_ inode: UInt64?, _ path: FilePath) -> Bool {
            guard let found = try? ItemStatus(of: path) else { return false }
            return inode.map { $0 == found.inode } ?? true
        }
        // Of a folder in a package nothing is known but where it is.
        return isThere(inode, path) && package.map { isThere($0.1, $0.0) } ?? true
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
        } else {
            readAgain(place, &outcome)
        }
    }

    func look(at place: Place, _ item: ListedItem?, _ outcome: inout Outcome) {
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
        let isSameFile =
            known?.form == form && known?.inode == item.inode && !outcome.exchanged.contains(place)
        if let known, isSameFile || Self.outlives(known.form, form) {
            state.withLock { $0.catalogue.replace(place, inode: item.inode, form: form) }
            if isSameFile {
                readAgain(place, &outcome)
            } else {
                exchangePackage(at: place, known.id, form, &outcome)
            }
            outcome.changed.insert(known.id)
            return
        }
        if known != nil { remove(place, &outcome) }
        add(item, form, at: place, &outcome)
    }

    /// A folder that could not be read may be one that can by now.
    private func readAgain(_ place: Place, _ outcome: inout Outcome) {
        guard !unread.isEmpty,
            let folder = state.withLock({ $0.catalogue.folders[place.folder]?.folders[place.name] }),
            unread.contains(folder)
        else { return }
        readAgain(folder, &outcome)
    }

    /// Once for whatever has happened: what is in it is new.
    private func readAgain(_ folder: Int, _ outcome: inout Outcome) {
        if !outcome.newFolders.contains(folder) { outcome.newFolders.append(folder) }
    }

    /// Whether an item is the same under its name though another file or folder is there: a document that is written anew, or
    /// whose contents come or go, and a link.
    private static func outlives(_ known: ItemForm, _ form: ItemForm) -> Bool {
        switch (known, form) {
        case (.file, .file), (.file, .package), (.package, .file), (.package, .package), (.link, .link): true
        default: false
        }
    }

    /// The folder of a document's package is another, or there is one for the first time, or none any more.
    private func exchangePackage(at place: Place, _ id: Int, _ form: ItemForm, _ outcome: inout Outcome) {
        let (gone, new) = state.withLock { state -> ([Int], Int?) in
            let gone = state.catalogue.removeFolder(place).folders
            return (gone, form == .package ? state.catalogue.addFolder(place, package: id) : nil)
        }
        forget(gone)
        if let new { outcome.newFolders.append(new) }
    }

    func add(_ item: ListedItem, _ form: ItemForm, at place: Place, _ outcome: inout Outcome) {
        let (id, folder) = state.withLock { state -> (Int, Int?) in
            let id = state.catalogue.add(item, form: form, in: place.folder)
            guard form == .folder || form == .package else { return (id, nil) }
            return (id, state.catalogue.addFolder(place, package: form == .package ? id : nil))
        }
        outcome.changed.insert(id)
        if let folder { outcome.newFolders.append(folder) }
    }
}
