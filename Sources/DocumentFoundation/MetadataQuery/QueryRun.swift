internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks

/// One run of a query, from its start to its stop: looks at the scopes, watches them, and keeps what matches.
///
/// Sendable: what is found and what is told is one struct under one lock; what is left to look at is touched on
/// `queue` alone. Nothing runs while nothing happens.
///
/// 1. A folder is watched before it is listed, so that nothing changes unseen in between.
/// 2. What events name is looked at anew: an event says that something happened, the disk says what.
/// 3. A name that is free is told as gone only after `EventFolding.settleSeconds`, as editors put things back.
final class QueryRun: @unchecked Sendable {
    /// What to look for.
    struct Plan: Sendable {
        var roots: [FilePath]
        /// What must hold of a match.
        var test: PredicateTest
        /// Whether that is not all: the rest is asked on the query's own queue.
        var isUndecided = false
        var sortKeys: [String] = []
        var comesFirst: MetadataQueryCore.Order?
        var interval: Double
        /// What is searched of the roots; nil for all.
        var only: SearchedItems?
        /// Members of folders that are left out, by the folder.
        var leftOut: [FilePath: String] = [:]
        /// How items of containers stand; nil for a search that does not show placeholders.
        var ubiquity: UbiquityStates?
        /// How long the gathering waits at most until that is known.
        var statesSecondsMax = 5.0

        func shows(_ name: String, in folder: FilePath) -> Bool {
            leftOut[folder] != name && only?.names(in: folder)?.contains(ItemName(name)) ?? true
        }
    }

    struct State {
        var catalogue = ItemCatalogue()
        var core: MetadataQueryCore
        /// What the query's own queue has to decide, the first first.
        var undecided: ArraySlice<Finding> = []
        /// Items that are gone, and shown until that is told.
        var remembered: [Int: ItemAttributes] = [:]
        /// Whether the query has been asked to tell, and has not told all yet.
        var isToBeTold = false
        var wakesAt: Double?
        var isStopped = false

        /// What is gone is remembered until its end has been told, and once more for who is told. Its end may come only after
        /// what is told now: the core hears of it when the look that has found it is over.
        mutating func forget(after last: MetadataQueryCore.Announcement?) {
            // Nor does the core know yet of what is not decided.
            guard undecided.isEmpty, !remembered.isEmpty else { return }
            var told: Set<Int> = []
            if case .updated(_, _, let removed)? = last { told = Set(removed) }
            remembered = remembered.filter { told.contains($0.key) || core.mayBeTold($0.key) }
        }
    }

    let plan: Plan
    let types = ItemTypes()
    let events: FileEvents
    let queue = DispatchQueue(label: "sheaf.metadata-query", qos: .userInitiated)
    let state: Locked<State>
    private let tell: @Sendable (QueryRun) -> Void

    // On the queue.
    var watches: [Int: FileEvents.Watch] = [:]
    /// Of the folders above scopes, as far as they are there, by the scopes' numbers.
    var watchesAbove: [Int: [FileEvents.Watch]] = [:]
    /// What was at the scopes' paths when they were looked at last, by their numbers.
    var scopePlaces: [Int: FolderPlace] = [:]
    var mounts: MountChanges.Watch?
    var dirty: Set<ItemCatalogue.Place> = []
    var moves: [Move] = []
    var leaving: [UInt32: ItemCatalogue.Place] = [:]
    var departures: [ItemCatalogue.Place: Double] = [:]
    /// Names to be looked at once their folders are where they are known to be.
    var misplaced: Set<ItemCatalogue.Place> = []
    /// Folders of which another may have been listed, or nothing.
    var missed: Set<Int> = []
    /// Folders that could not be read: they are listed when something becomes of them.
    var unread: Set<Int> = []
    /// Names that something came to, or that something left: what is there now may be another folder even under the same
    /// inode's number. They stay in it until they have been looked at, and as long as what has gone from there is shown.
    var exchanged: Set<ItemCatalogue.Place> = []
    /// Names of which the system would not say what is there.
    var unseen: Set<ItemCatalogue.Place> = []
    /// Whether that was so of whole folders when everything was looked at.
    var isAllUnseen = false
    var unseenSeconds = unseenPauseSeconds.lowerBound
    var isUnseenDue = false
    var needsLookAtAll = false
    var isLookDue = false
    var lacksWatches = false
    var looksAtIntervals = false
    /// Whatever changed before this, by the kernel's clock, has been seen.
    var seenUntil = Date()

    /// - Parameters:
    ///   - tell: Asks for `announcements()` to be called on the query's own queue, soon, and then `told()`; called on any thread,
    ///     and not again before that.
    init(_ plan: Plan, events: FileEvents = .shared, tell: @escaping @Sendable (QueryRun) -> Void) {
        self.plan = plan
        self.events = events
        self.tell = tell
        state = Locked(
            State(core: MetadataQueryCore(interval: plan.interval, comesFirst: plan.comesFirst))
        )
    }

    func start() {
        state.withLock { $0.core.start() }
        announce()
        plan.ubiquity?.follow(isAwaited: true) { [weak self] paths in
            guard let self else { return }
            queue.async { self.heard(ofStates: paths) }
        }
        queue.async { self.gather() }
    }

    /// Ends it; what was found stays to be read.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.undecided = []
            state.core.stop()
        }
        plan.ubiquity?.end()
        queue.async { (self.watches, self.watchesAbove, self.mounts) = ([:], [:], nil) }
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    // MARK: Telling

    static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    /// Changes what is known or wanted, and has told what there is to tell then.
    func update<Value>(_ change: (inout State) -> sending Value) -> sending Value {
        let value = state.withLock { change(&$0) }
        announce()
        return value
    }

    private func announce() {
        let now = Self.now
        let (isNow, delay) = state.withLock { state -> (Bool, Double?) in
            guard !state.isToBeTold, let due = state.undecided.isEmpty ? state.core.due() : now else {
                return (false, nil)
            }
            if due <= now {
                state.isToBeTold = true
                return (true, nil)
            }
            guard due < state.wakesAt ?? .infinity else { return (false, nil) }
            state.wakesAt = due
            return (false, due - now)
        }
        if isNow { tell(self) }
        guard let delay else { return }
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            self?.state.withLock { $0.wakesAt = nil }
            self?.announce()
        }
    }

    /// What is to be told now; what is shown is then as it says. Called on the query's own queue.
    func announcements() -> [MetadataQueryCore.Announcement] {
        state.withLock { state in
            let announcements = state.core.tell(at: Self.now)
            state.forget(after: announcements.last)
            return announcements
        }
    }

    /// What `announcements()` gave has been told, or the query has no use for it. Has told what has come meanwhile.
    func told() { update { $0.isToBeTold = false } }

    // MARK: Asking

    func attributes(of id: Int) -> ItemAttributes? {
        state.withLock { attributes(of: id, &$0) }
    }

    func attributes(of id: Int, _ state: inout State) -> ItemAttributes? {
        if let remembered = state.remembered[id] { return remembered }
        guard let member = state.catalogue.member(id), let place = state.catalogue.places[id],
            let folder = state.catalogue.path(ofFolder: place.folder)
        else { return nil }
        return attributes(folder, place.name.text, member.form)
    }

    func attributes(_ folder: FilePath, _ name: String, _ form: ItemForm) -> ItemAttributes {
        ItemAttributes(folder: folder, name: name, form: form, types: types, ubiquity: plan.ubiquity)
    }

    /// Whether an item is where it is known to be. What has been taken away meanwhile has nothing to be asked about: that it does not
    /// match says nothing, and where it is now is about to be told.
    func isAtItsPlace(_ attributes: ItemAttributes) -> Bool {
        // Nothing is in a folder that is gone.
        (try? listing(of: [attributes.name], in: attributes.folder))?.isEmpty == false
    }

    // MARK: Placeholders

    /// All in a folder, placeholders as what they stand for where the search shows them.
    func listing(of path: FilePath) throws(SystemError) -> [ListedItem] {
        if let names = plan.only?.names(in: path) { return try listing(of: names.map(\.text), in: path) }
        let items =
            showsPlaceholders(in: path)
            ? try FolderScan.listing(of: path, standIn: Placeholder.itemName(of:))
            : try FolderScan.listing(of: path)
        return plan.leftOut.isEmpty ? items : items.filter { plan.shows($0.name, in: path) }
    }

    /// Some in a folder, by the names that they are shown under.
    func listing(of names: [String], in path: FilePath) throws(SystemError) -> [ListedItem] {
        let names = names.filter { plan.shows($0, in: path) }
        var items = try FolderScan.listing(of: names, in: path)
        guard showsPlaceholders(in: path) else { return items }
        let missing = Set(names.map { ItemName($0) }).subtracting(items.map { ItemName($0.name) })
        for name in missing.map(\.text) {
            guard let fileName = Placeholder.fileName(for: name),
                let found = try FolderScan.listing(of: [fileName], in: path).first
            else { continue }
            items.append(ListedItem(name: name, inode: found.inode, kind: .regular))
        }
        return items
    }

    /// Whether hidden files in a folder may stand for items: they do so in containers alone.
    private func showsPlaceholders(in folder: FilePath) -> Bool { plan.ubiquity?.holds(folder) ?? false }

    /// The name that an event in a folder is about, as it is shown; nil for what is hidden.
    func shownName(_ name: String, in folder: Int) -> String? {
        guard name.utf8.first == UInt8(ascii: ".") else { return name }
        guard plan.ubiquity != nil || plan.only != nil,
            let path = state.withLock({ $0.catalogue.path(ofFolder: folder) })
        else { return nil }
        // What is searched by itself may be hidden.
        if plan.only?.names(in: path)?.contains(ItemName(name)) == true { return name }
        return showsPlaceholders(in: path) ? Placeholder.itemName(of: name) : nil
    }

    func form(_ item: ListedItem) -> ItemForm { ItemForm(item, types) }

    /// What an item is sorted by if it matches; nil if it does not.
    func match(_ attributes: ItemAttributes) -> MetadataQueryCore.SortValues? {
        guard plan.only?.items.contains(attributes.path) ?? true, plan.test.matches(attributes) else {
            return nil
        }
        return plan.sortKeys.map { attributes.value(of: $0) }
    }
}
