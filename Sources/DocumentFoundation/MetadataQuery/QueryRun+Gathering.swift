internal import FileSystem
internal import Foundation
internal import Locks
internal import Threads

/// Looking at whole folders, many at a time.
extension QueryRun {
    /// A folder to be listed for the first time.
    private struct Task: Sendable {
        var number: Int
        var path: FilePath
        var isScope: Bool
        var package: Int?
        /// The folder that is meant, where that is known.
        var inode: UInt64?
    }

    /// What a folder holds.
    private struct Found: Sendable {
        var task: Task
        var watch: FileEvents.Watch?
        /// What was there before it was watched, of a scope.
        var place: FolderPlace?
        var lacksWatch = false
        /// Whether it is there, and what is in it cannot be told.
        var isUnread = false
        /// Whether another folder may have been looked at, or none, as names change while one looks.
        var isMissed = false
        /// The number of its first member.
        var base = 0
        var members: [ItemName: ItemCatalogue.Member] = [:]
        var directories: [(name: ItemName, form: ItemForm)] = []
        var matches: [MetadataQueryCore.Match] = []
    }

    /// How many folders are looked at before what was found is taken in.
    private static let foldersPerStep = 512

    func gather() {
        // How items stand is known before they are found: predicates and whoever is told ask for it.
        plan.ubiquity?.awaitFirst(seconds: plan.statesSecondsMax)
        seenUntil = Date()
        followMounts()
        let roots = state.withLock { state in plan.roots.map { state.catalogue.addRoot($0) } }
        walk(roots) { found($0) }
        foundAll()
        lookAtIntervalsIfNeeded()
        lookSoon()
    }

    /// Lists folders that are known by number only, and all that are in them.
    ///
    /// - Parameter found: Gets what matches, in the order of numbers, some hundred folders' at once.
    func walk(_ numbers: [Int], found: ([MetadataQueryCore.Match]) -> Void) {
        var rest = numbers
        while !rest.isEmpty, !isStopped {
            let step = tasks(rest.suffix(Self.foldersPerStep))
            rest.removeLast(min(rest.count, Self.foldersPerStep))
            var matches: [MetadataQueryCore.Match] = []
            for folder in lookAt(step) {
                rest += takeIn(folder)
                matches += folder.matches
            }
            if !matches.isEmpty { found(matches) }
        }
    }

    private func tasks(_ numbers: ArraySlice<Int>) -> [Task] {
        state.withLock { state in
            numbers.compactMap { number in
                state.catalogue.path(ofFolder: number).map { path in
                    let folder = state.catalogue.folders[number]
                    let member = folder?.place.flatMap {
                        state.catalogue.folders[$0.folder]?.members[$0.name]
                    }
                    return Task(
                        number: number,
                        path: path,
                        isScope: folder?.root != nil,
                        package: folder?.package,
                        inode: member?.inode
                    )
                }
            }
        }
    }

    private func lookAt(_ tasks: [Task]) -> [Found] {
        guard tasks.count > 1 else { return tasks.map(lookAt) }
        let found = Locked<[Found]>([])
        // A few more parts than cores, as folders are not equally large.
        let partCount = min(tasks.count, ProcessInfo.processInfo.activeProcessorCount * 4)
        SharedWork.perform(partCount) { part in
            let own = stride(from: part, to: tasks.count, by: partCount).map { lookAt(tasks[$0]) }
            found.withLock { $0 += own }
        }
        return found.withLock { $0 }.sorted { $0.base < $1.base }
    }

    private func lookAt(_ task: Task) -> Found {
        var found = Found(task: task)
        if task.isScope { found.place = scopePlace(at: task.path) }
        do {
            let number = task.number
            found.watch = try events.watch(task.path) { [weak self] events in
                guard let self else { return }
                queue.async { self.heard(events, in: number) }
            }
        } catch {
            // What is not there, or not ours to see, is told of by the folder above it.
            found.lacksWatch = Self.isShortage(error)
            found.isMissed = error.isAbsent
        }
        let items: [ListedItem]
        do throws(SystemError) { items = try listing(of: task.path) } catch {
            // One that went meanwhile may be somewhere else by now; any other may be read later.
            found.isMissed = found.isMissed || error.isAbsent
            found.isUnread = !found.isMissed
            found.lacksWatch = found.lacksWatch || Self.isShortage(error)
            return found
        }
        // What cannot be looked at any more is another.
        if let inode = task.inode, (try? ItemStatus(of: task.path))?.inode != inode { found.isMissed = true }
        if task.package == nil {
            found.base = state.withLock { $0.catalogue.reserve(items.count) }
            found.members.reserveCapacity(items.count)
        }
        for (offset, item) in items.enumerated() {
            let name = ItemName(item.name)
            let form = form(item)
            if item.kind == .directory { found.directories.append((name, form)) }
            guard task.package == nil else { continue }
            let id = found.base + offset
            found.members[name] = ItemCatalogue.Member(id: id, inode: item.inode, form: form)
            let attributes = attributes(task.path, item.name, form)
            if let values = match(attributes) {
                found.matches.append(MetadataQueryCore.Match(id: id, sortValues: values))
            }
        }
        return found
    }

    /// - Returns: The folders in it.
    private func takeIn(_ found: Found) -> [Int] {
        let number = found.task.number
        watches[number] = found.watch
        lacksWatches = lacksWatches || found.lacksWatch
        if found.isUnread { unread.insert(number) } else { unread.remove(number) }
        if found.task.isScope {
            scopePlaces[number] = found.place
            followWay(to: number, at: found.task.path)
        }
        if found.isMissed {
            miss(number)
        } else {
            missed.remove(number)
        }
        return state.withLock { state in
            if found.task.package == nil { state.catalogue.fill(number, with: found.members) }
            return found.directories.map { name, form in
                let id = form == .package ? found.members[name]?.id : nil
                let place = ItemCatalogue.Place(folder: number, name: name)
                return state.catalogue.addFolder(place, package: found.task.package ?? id)
            }
        }
    }
}
