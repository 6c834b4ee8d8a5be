internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks

/// Looking at whole folders, many at a time.
extension QueryRun {
    /// A folder to be listed for the first time.
    private struct Task: Sendable {
        var number: Int
        var path: FilePath
        var package: Int?
    }

    /// What a folder holds.
    private struct Found: Sendable {
        var task: Task
        var watch: FileEvents.Watch?
        var lacksWatch = false
        var items: [(item: ListedItem, form: ItemForm)] = []
        /// By their place among the items.
        var matches: [MetadataQueryCore.Match] = []
    }

    /// How many folders are looked at before what was found is taken in.
    private static let foldersPerStep = 512

    func gather() {
        seenUntil = Date()
        let roots = state.withLock { state in plan.roots.map { state.catalogue.addRoot($0) } }
        walk(roots) { matches in self.update { $0.core.gathered(matches) } }
        update { $0.core.finished() }
        lookAtIntervalsIfNeeded()
    }

    /// Lists folders that are known by number only, and all that are in them.
    ///
    /// - Parameter found: Gets what matches, folder by folder.
    func walk(_ numbers: [Int], found: ([MetadataQueryCore.Match]) -> Void) {
        var rest = numbers
        while !rest.isEmpty, !isStopped {
            let step = tasks(rest.suffix(Self.foldersPerStep))
            rest.removeLast(min(rest.count, Self.foldersPerStep))
            for folder in lookAt(step) {
                let (matches, folders) = takeIn(folder)
                rest += folders
                if !matches.isEmpty { found(matches) }
            }
        }
    }

    private func tasks(_ numbers: ArraySlice<Int>) -> [Task] {
        state.withLock { state in
            numbers.compactMap { number in
                state.catalogue.path(ofFolder: number).map {
                    Task(number: number, path: $0, package: state.catalogue.folders[number]?.package)
                }
            }
        }
    }

    private func lookAt(_ tasks: [Task]) -> [Found] {
        guard tasks.count > 1 else { return tasks.map(lookAt) }
        let found = Locked<[Found]>([])
        // A few more parts than cores, as folders are not equally large.
        let partCount = min(tasks.count, ProcessInfo.processInfo.activeProcessorCount * 4)
        DispatchQueue.concurrentPerform(iterations: partCount) { part in
            let own = stride(from: part, to: tasks.count, by: partCount).map { lookAt(tasks[$0]) }
            found.withLock { $0 += own }
        }
        return found.withLock { $0 }
    }

    private func lookAt(_ task: Task) -> Found {
        var found = Found(task: task)
        do {
            let number = task.number
            found.watch = try events.watch(task.path) { [weak self] events in
                guard let self else { return }
                queue.async { self.heard(events, in: number) }
            }
        } catch {
            // What is not there, or not ours to see, is told of by the folder above it.
            found.lacksWatch = [ENOSPC, EMFILE, ENFILE].contains(error.errno)
        }
        // A folder that went meanwhile, or that we may not read, has nothing in it for us.
        guard let items = try? FolderScan.listing(of: task.path) else { return found }
        found.items.reserveCapacity(items.count)
        for item in items {
            let form = form(item)
            if task.package == nil {
                let attributes = ItemAttributes(folder: task.path, name: item.name, form: form, types: types)
                if let values = match(attributes) {
                    found.matches.append(MetadataQueryCore.Match(id: found.items.count, sortValues: values))
                }
            }
            found.items.append((item, form))
        }
        return found
    }

    /// - Returns: What matches in the folder, and the folders in it.
    private func takeIn(_ found: Found) -> (matches: [MetadataQueryCore.Match], folders: [Int]) {
        watches[found.task.number] = found.watch
        lacksWatches = lacksWatches || found.lacksWatch
        return state.withLock { state in
            let number = found.task.number
            let directories = found.items.filter { $0.item.kind == .directory }
            var base = 0
            if found.task.package == nil { base = state.catalogue.fill(number, with: found.items) }
            let folders = directories.map { directory in
                let place = ItemCatalogue.Place(folder: number, name: directory.item.name)
                let isPackage = directory.form == .package
                let id = isPackage ? state.catalogue.folders[number]?.members[place.name]?.id : nil
                return state.catalogue.addFolder(place, package: found.task.package ?? id)
            }
            return (found.matches.map { .init(id: base + $0.id, sortValues: $0.sortValues) }, folders)
        }
    }
}
