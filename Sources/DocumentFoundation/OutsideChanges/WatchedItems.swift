internal import Coordination
internal import FileSystem
internal import Foundation

/// The items that presenters present, how they looked last, and what changes of names mean for them.
///
/// 1. An item is here while someone presents it; its folder, the folders above, and of a directory those in it
///    are watched.
/// 2. What is reported as changed or moved differs from what was seen last, by anyone who coordinates or by a look.
struct WatchedItems {
    struct Item {
        /// Whether each finds out by itself what has changed.
        var presenters: [PresenterID: Bool] = [:]
        var folder: Int
        /// How it looked last; nil while it is not there.
        var stamp: FileStamp?
        var handle: ItemHandle?
        /// Where it was when it came to its place, with symbolic links resolved; nil while nothing holds it.
        var real: FilePath?
        /// How a directory looked before it began to change the last time, and when it changed last.
        var before: (stamp: FileStamp, changedAt: Double)?
        var tree: WatchedTree?
        /// The number under which it is looked for on other volumes; nil while it is not.
        var lossNumber: Int?
    }

    /// How many items are held by a descriptor, so that they are found wherever they are moved. A process may
    /// have a thousand open by default; items beyond are followed where both folders are watched.
    static let handlesMax = 256

    var folders: WatchedFolders
    var items: [ItemPath: Item] = [:]
    private var paths: [PresenterID: ItemPath] = [:]
    var trees: Set<ItemPath> = []
    private var handleCount = 0
    private var departures = Departures()
    /// What is to be looked for on other volumes.
    var losses: [Loss] = []
    var lossCount = 0
    /// The time, in seconds.
    var now = 0.0

    init(_ folders: WatchedFolders) { self.folders = folders }

    // MARK: Presenters

    /// A presenter presents an item from now on, or another one; nil for none.
    mutating func present(_ id: PresenterID, _ path: ItemPath?, findsOutItself: Bool) {
        guard paths[id] != path else { return }
        let old = paths.removeValue(forKey: id)
        if let path {
            paths[id] = path
            if items[path] == nil { insert(path) }
            items[path]?.presenters[id] = findsOutItself
            if items[path]?.stamp?.kind == .directory { growTree(path) }
        }
        if let old { withdraw(id, from: old) }
    }

    private mutating func insert(_ path: ItemPath) {
        let folder = folders.use(path.parent ?? path)
        items[path] = Item(folder: folder)
        note(path)
    }

    private mutating func withdraw(_ id: PresenterID, from path: ItemPath) {
        items[path]?.presenters[id] = nil
        guard let item = items[path], item.presenters.isEmpty else { return }
        endTree(path)
        setHandle(nil, of: path)
        items[path] = nil
        folders.release(item.folder)
    }

    /// What a presenter presents.
    func path(of id: PresenterID) -> ItemPath? { paths[id] }

    // MARK: How items look

    /// Takes an item as it is now for what is known.
    private mutating func note(_ path: ItemPath) {
        let place = FilePath(path.string)
        // What cannot be looked at is as good as gone until it can.
        let stamp = try? FileStamp.ifPresent(at: place, followsSymbolicLink: true)
        let isOther = stamp?.inode != items[path]?.stamp?.inode || stamp?.device != items[path]?.stamp?.device
        if let old = items[path]?.stamp, old.kind == .directory, old != stamp {
            noteChange(of: path, from: old)
        }
        items[path]?.stamp = stamp
        if stamp != nil { items[path]?.lossNumber = nil }
        guard isOther || stamp == nil else { return }
        // Without a handle the item is followed as far as watched folders go.
        setHandle(stamp != nil && handleCount < Self.handlesMax ? try? ItemHandle(place) : nil, of: path)
    }

    /// Takes an item for gone.
    private mutating func noteGone(_ path: ItemPath) {
        endTree(path)
        items[path]?.stamp = nil
        setHandle(nil, of: path)
    }

    private mutating func setHandle(_ handle: ItemHandle?, of path: ItemPath) {
        if items[path]?.handle != nil { handleCount -= 1 }
        if handle != nil { handleCount += 1 }
        items[path]?.handle = handle
        items[path]?.real = handle?.firstPlace
    }

    /// An item is at another place than where it was held first: what leads to it there counts from now on.
    private mutating func noteWay(to path: ItemPath) {
        guard let real = items[path]?.handle?.place, isAsSeen(path) else { return }
        items[path]?.real = real
    }

    /// Where a presented item is, if it is not at its place: by its handle, on the way that led to it there.
    private func whereabouts(of path: ItemPath) -> ItemPath? {
        guard let first = items[path]?.real, let now = items[path]?.handle?.place, now != first,
            let place = ItemPath(now.string)
        else { return nil }
        guard let real = ItemPath(first.string), real != path else { return place }
        // A symbolic link above the item: the same link leads to where it is now, or the real path does.
        var (outer, inner) = (path, real)
        while let up = outer.parent, let realUp = inner.parent, outer.name == inner.name {
            (outer, inner) = (up, realUp)
        }
        return place.moved(from: inner, to: outer) ?? place
    }

    private func items(inside path: ItemPath) -> [ItemPath] {
        guard folders.isWatched(path) else { return [] }
        return items.keys.filter { path.isAncestor(of: $0) }
    }

    // MARK: What others have done

    /// Something is at a place that was not there, or is another now.
    mutating func written(_ path: ItemPath, by writer: WriterProcess?) -> [OutsideReport] {
        var reports: [OutsideReport] = []
        if let place = departures.place(ofItemFrom: path, at: now), items[path] == nil, items[place] != nil {
            reports += comeBack(from: place, to: path, by: writer)
        }
        if folders.isWatched(path) {
            folders.refresh(path)
            for inner in items(inside: path) { reports += look(at: inner, by: writer) }
        }
        // What has left the place since then is told with where it went.
        if items[path] != nil, Self.isPresent(path) { reports += look(at: path, by: writer) }
        return reports + tellTrees(around: path, by: writer)
    }

    /// Nothing is at a place any more, and no watch saw it arrive elsewhere.
    mutating func left(_ path: ItemPath, by writer: WriterProcess?) -> [OutsideReport] {
        if Self.isPresent(path) { return written(path, by: writer) }
        let inside = items(inside: path)
        for found in [path] + inside {
            if let place = whereabouts(of: found), let target = Self.top(path, of: found, at: place) {
                return moved(from: path, to: target, by: writer)
            }
        }
        return (items[path] == nil ? inside : [path] + inside).flatMap { look(at: $0, by: writer) }
            + tellTrees(around: path, by: writer)
    }

    /// Where a folder is, told by where something in it is.
    private static func top(_ folder: ItemPath, of item: ItemPath, at place: ItemPath) -> ItemPath? {
        var (old, new) = (item, place)
        while old != folder {
            guard let oldUp = old.parent, let newUp = new.parent, old.name == new.name else { return nil }
            (old, new) = (oldUp, newUp)
        }
        return new
    }

    /// An item is at another place.
    mutating func moved(
        from source: ItemPath,
        to target: ItemPath,
        by writer: WriterProcess?
    ) -> [OutsideReport] {
        let isTold = !trees.isDisjoint(with: source.ancestors) || !trees.isDisjoint(with: target.ancestors)
        guard items[source] != nil || items[target] != nil || isTold || folders.isWatched(source) else {
            return []
        }
        if source.isOwn || target.isOwn, items[source] == nil, !folders.isWatched(source) {
            // Only what is at the other place is news: that it comes from a save's own folder, or has gone there, is nobody's.
            return written(target, by: writer) + tellTrees(around: source, by: writer)
        }
        if isKnown(source, target) { return tellHinted(around: [source, target], by: writer) }
        var reports: [OutsideReport] = [.moved(source, to: target)]
        // A look may have seen before its events that another item is at the target.
        let replaced = isAsSeen(target) ? nil : items[target]
        let mover = items[source]
        if mover != nil { departures.note(from: source, to: target, at: now) }
        follow(from: source, to: target)
        if let mover, let stamp = items[target]?.stamp, stamp.inode != mover.stamp?.inode {
            // It had been replaced before it was moved, and nobody had looked in between.
            reports += Self.reports(to: mover.presenters, OutsideHint(isWhole: true, writer: writer))
        }
        if let replaced {
            reports += Self.reports(to: replaced.presenters, OutsideHint(isWhole: true, writer: writer))
            // What is there now is what is followed from now on.
            if Self.isPresent(target) { note(target) }
        }
        return reports + tellHinted(around: [source, target], by: writer)
    }

    /// What took an item's place is at another one by now. The name wins over the item: its presenters go there.
    mutating func replacedAndMoved(
        _ source: ItemPath,
        to target: ItemPath,
        by writer: WriterProcess?
    ) -> [OutsideReport] {
        guard items[source]?.stamp != nil, !Self.isPresent(source), Self.isPresent(target) else {
            return left(source, by: writer)
        }
        return moved(from: source, to: target, by: writer)
    }

    /// Whether a look, or who made a move, has told of it before its events have come: all that is known of the two
    /// places is as they are now.
    private func isKnown(_ source: ItemPath, _ target: ItemPath) -> Bool {
        guard items[source] == nil, items(inside: source).isEmpty else { return false }
        var isSeen = false
        if items[target] != nil {
            guard isAsSeen(target) else { return false }
            isSeen = true
        }
        for path in trees {
            guard let tree = items[path]?.tree, tree.remembersMembers else { continue }
            for place in [source, target] where path.isAncestor(of: place) {
                guard tree.isUpToDate(atMember: place) else { return false }
                isSeen = true
            }
        }
        return isSeen
    }

    /// Whether what is at an item's place is what was there when it was looked at last, changed or not.
    private func isAsSeen(_ path: ItemPath) -> Bool {
        guard let stamp = items[path]?.stamp,
            // What cannot be looked at is as good as gone until it can.
            let found = try? FileStamp.ifPresent(at: FilePath(path.string), followsSymbolicLink: true)
        else { return false }
        return found.inode == stamp.inode && found.device == stamp.device
    }

    /// Something new is at the name that an item left a moment ago: it is this that its presenters present.
    private mutating func comeBack(
        from place: ItemPath,
        to name: ItemPath,
        by writer: WriterProcess?
    ) -> [OutsideReport] {
        guard Self.isPresent(name) else { return [] }
        let presenters = items[place]?.presenters ?? [:]
        follow(from: place, to: name)
        return [.moved(place, to: name)]
            + Self.reports(to: presenters, OutsideHint(isWhole: true, writer: writer))
    }

    /// What cannot be looked at is as good as gone until it can.
    static func isPresent(_ path: ItemPath) -> Bool {
        (try? FileStamp.ifPresent(at: FilePath(path.string))) != nil
    }

    /// Takes items to where they are now; nothing where they were followed already.
    mutating func follow(from source: ItemPath, to target: ItemPath) {
        let found = items.keys.filter { source.holds($0) }
        folders.moved(from: source, to: target)
        departures.follow(from: source, to: target)
        for old in found {
            guard let new = old.moved(from: source, to: target), var item = items.removeValue(forKey: old)
            else { continue }
            if old == source {
                let folder = folders.use(new.parent ?? new)
                folders.release(item.folder)
                item.folder = folder
            }
            if let other = items[new] {
                item.presenters.merge(other.presenters) { $1 }
                setHandle(nil, of: new)
                folders.release(other.folder)
                for number in other.tree?.watches ?? [] { folders.release(number) }
            }
            items[new] = item
            for id in item.presenters.keys { paths[id] = new }
            if trees.remove(old) != nil { trees.insert(new) }
            note(new)
            noteWay(to: new)
        }
        for tree in trees where tree.isAncestor(of: source) || tree.holds(target) {
            items[tree]?.tree?.moved(from: source, to: target)
        }
    }

    /// Compares an item with what is known of it.
    mutating func look(at path: ItemPath, by writer: WriterProcess? = nil) -> [OutsideReport] {
        guard let item = items[path] else { return [] }
        let found: FileStamp?
        do { found = try FileStamp.ifPresent(at: FilePath(path.string), followsSymbolicLink: true) } catch {
            // What cannot be looked at is not gone: a document would be told that it was deleted.
            return []
        }
        guard found != nil else {
            if let place = whereabouts(of: path) { return moved(from: path, to: place, by: writer) }
            guard item.stamp != nil else { return [] }
            if let name = departures.names(leftByItemAt: path, at: now).first(where: Self.isPresent) {
                return comeBack(from: path, to: name, by: writer)
            }
            let isLookedFor = lose(path, item)
            noteGone(path)
            return isLookedFor ? [] : item.presenters.keys.map { .deleted($0) }
        }
        if found != item.stamp { note(path) }
        let isOther = found?.inode != item.stamp?.inode
        if isOther { endTree(path) }
        if found?.kind == .directory { growTree(path) }
        let hint = OutsideHint(isWhole: isOther || found?.kind == .directory, writer: writer)
        // A directory's own date says what each member's news says better.
        let isNews = found?.kind == .directory ? isOther : found != item.stamp
        return Self.reports(to: item.presenters.filter { isNews || $0.value }, hint)
    }

    /// Looks at everything: some of what happened was not seen.
    mutating func lookAtAll() -> [OutsideReport] {
        for path in folders.folders.values.map(\.path) where path.parent == nil { folders.refresh(path) }
        var reports = items.keys.flatMap { look(at: $0) }
        for path in trees {
            guard let difference = relook(path, at: path) else { continue }
            reports += tell(difference, to: items[path]?.presenters ?? [:])
        }
        return reports
    }

    /// Someone who coordinates has written an item, and its presenters know or are being told.
    mutating func wrote(_ path: ItemPath) -> [OutsideReport] {
        var reports: [OutsideReport] = []
        for found in [path] + items(inside: path) where items[found] != nil {
            // What cannot be looked at where it was, but is held elsewhere, is there no more.
            if let place = whereabouts(of: found),
                (try? FileStamp.ifPresent(at: FilePath(found.string))) == nil
            {
                // Moved by someone who forgot to say so.
                reports += moved(from: found, to: place, by: nil)
                continue
            }
            noteWritten(found)
        }
        if folders.isWatched(path) { folders.refresh(path) }
        noteMember(path)
        return reports
    }

    /// A presenter has put another item in the place of its own, and its access goes on: this one is held from now on, and so
    /// is found though it has been moved by the end of the access.
    mutating func hold(_ path: ItemPath, of id: PresenterID) {
        if paths[id] == path, Self.isPresent(path) { noteWritten(path) }
    }

    private mutating func noteWritten(_ path: ItemPath) {
        let old = items[path]?.stamp
        note(path)
        guard items[path]?.stamp?.inode != old?.inode else { return }
        endTree(path)
        if items[path]?.stamp?.kind == .directory { growTree(path) }
    }

    /// Takes an item as it is now for what is known of the directories that hold it, and of itself if it is one.
    mutating func noteMember(_ path: ItemPath) {
        for tree in trees where tree.holds(path) {
            _ = relook(tree, at: path)
            if tree != path { _ = items[tree]?.tree?.look(atMember: path) }
        }
    }

    /// What presenters that find out themselves are told while someone who coordinates writes.
    func hints(of places: [ItemPath], by writer: WriterProcess?) -> [OutsideReport] {
        let own = places.flatMap { path -> [OutsideReport] in
            let hint = OutsideHint(isWhole: items[path]?.tree != nil, writer: writer)
            return Self.reports(to: items[path]?.presenters.filter(\.value) ?? [:], hint)
        }
        return own + tellHinted(around: places, by: writer)
    }

    // MARK: Telling

    private static func reports(to presenters: [PresenterID: Bool], _ hint: OutsideHint) -> [OutsideReport] {
        presenters.map { id, findsOutItself in findsOutItself ? .mayHaveChanged(id, hint) : .changed(id) }
    }
}
