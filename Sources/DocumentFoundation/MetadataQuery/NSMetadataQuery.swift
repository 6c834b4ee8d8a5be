internal import Dispatch
internal import FileSystem
public import Foundation
internal import Locks

/// Finds items below folders, and tells what comes, changes and goes for as long as it runs.
///
///     let query = NSMetadataQuery()
///     query.predicate = NSPredicate(format: "%K LIKE[c] '*.txt'", NSMetadataItemFSNameKey)
///     query.searchScopes = [folder]
///     query.start()
///
/// It first gathers what is there, off the caller's thread, then watches; while nothing happens it takes no processor
/// time. Files, folders, symbolic links (not followed) and packages are items; a package is one item, and a change
/// inside it a change of it. What is hidden by a dot is left out, with all that is in it. Without sort descriptors
/// results are in the order in which they were found. Keep a reference to a query while it runs.
///
/// Notifications are posted on `operationQueue`, or on the main queue: `NSMetadataQueryDidStartGathering`,
/// `NSMetadataQueryGatheringProgress`, `NSMetadataQueryDidFinishGathering`, then `NSMetadataQueryDidUpdate`. Results
/// change only just before one of them is posted. An update comes at once after a pause, and not within
/// `notificationBatchingInterval` of the one before: many changes are few updates. A scope that is not there, or goes, with
/// a folder above it or a volume, too, is empty until it is there. What is removed is told a twentieth of a second late,
/// as editors put files back.
///
/// A class of an app's own may be derived from it, which a test hands to code that takes queries: it overrides what that
/// code asks for, and posts the notifications itself.
///
/// - Source: Apple's NSMetadataQuery.
/// - Differs from Darwin: looks at folders instead of an index. Scopes are folders, and without one the home folder is
///   searched. `results` is an array of what is there at the time.
open class NSMetadataQuery: NSObject, @unchecked Sendable {
    // Sendable because it is used in one place at a time, as Apple demands it: on the main queue, or on `operationQueue`, where
    // it posts one notification after another. What other threads touch is in `QueryRun`.

    private(set) var run: QueryRun?
    /// What the run looks for; with blocks, which it cannot ask.
    private var sought: QueryPredicate?
    private var disabledCount = 0
    /// What results are shown as, by their numbers in one run.
    private final class Shown {
        var objects: [Int: Any] = [:]
        var items: [Int: NSMetadataItem] = [:]
    }

    private var made = Shown()
    /// What tells of changes.
    let events: FileEvents
    /// How long a gathering in containers waits at most until it is known how items stand at the hub, in seconds.
    var statesSecondsMax = 5.0

    /// Makes a query that does not run yet.
    public override init() { events = .shared }

    init(events: FileEvents) { self.events = events }

    /// On which make-believe device of a test it was made: there it calls back.
    private let deviceContext = DeviceContext.current()

    deinit { run?.stop() }

    // MARK: What to find

    private var chosenPredicate: NSPredicate?

    /// What items must be like; needed before `start()`. Changed while the query runs, it runs anew; without one it stops.
    ///
    /// Made by a format, a value or a block, or a compound of such. What a format says is asked while folders are looked
    /// at, on threads of the query's. A block is asked on the query's queue, the main queue or `operationQueue`, about
    /// what the rest leaves open: once for an item that is found, and again when it changes, moves, or stands otherwise
    /// at the hub. It gets an `NSMetadataItem` of its own, any of whose attributes may be asked for, and nil for its
    /// bindings. Where it depends on something else that has changed, set the predicate anew.
    open var predicate: NSPredicate? {
        get { chosenPredicate }
        set {
            // Nothing in a predicate changes, and Foundation's copy of a compound is one that never holds.
            chosenPredicate = newValue
            if newValue == nil { stop() } else { restart() }
        }
    }

    /// How results are sorted: descriptors made with a metadata key and no comparator. Changed while the query runs, it
    /// runs anew.
    open var sortDescriptors: [NSSortDescriptor] = [] { didSet { restart() } }

    /// Where to search: file URLs or paths of folders, `NSMetadataQueryUserHomeScope`, or the scopes of containers
    /// (`NSMetadataQueryUbiquitousDocumentsScope`, `NSMetadataQueryUbiquitousDataScope`,
    /// `NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope`). With one of these, and with a container's folder, one in it
    /// or one above it, items whose contents are not here are found, too, and items of containers have attributes about how they
    /// stand. A scope in another is searched once, also where it is hidden in it or in a package. Changed while the query runs,
    /// it runs anew.
    open var searchScopes: [Any] = [] { didSet { restart() } }

    /// The items to search, in place of all in the scopes: file URLs or metadata items; nil for all. Searched are their places:
    /// what is there, or comes there, and not what is in a folder. Changed while the query runs, it runs anew.
    open var searchItems: [Any]? { didSet { restart() } }

    /// Attributes that `valueLists` is about. Changed while the query runs, it runs anew.
    open var valueListAttributes: [String] = [] { didSet { restart() } }

    /// Attributes that `groupedResults` groups by, the outermost first. Changed while the query runs, it runs anew.
    open var groupingAttributes: [String]? { didSet { restart() } }

    /// The least time between two updates, in seconds; 1 at first.
    open var notificationBatchingInterval: TimeInterval = 1 {
        didSet { run?.update { [interval = notificationBatchingInterval] in $0.core.interval = interval } }
    }

    /// Where notifications are posted, one after another, and the query is used; nil for the main queue. Where the queue runs
    /// several operations at once, the query is to be used in its notifications alone.
    open var operationQueue: OperationQueue?

    /// Puts other objects and values in place of the query's.
    ///
    /// - Differs from Darwin: held weakly, where Darwin holds it unsafely.
    open weak var delegate: (any NSMetadataQueryDelegate)?

    // MARK: Running

    /// Whether it has been started.
    open var isStarted: Bool { run != nil }

    /// Whether it gathers for the first time.
    open var isGathering: Bool { run?.state.withLock { $0.core.phase } == .gathering }

    /// Whether it has been stopped, and not started again.
    open var isStopped: Bool { run?.isStopped ?? false }

    /// Begins to gather. What was found before is dropped, and updates that were disabled are enabled.
    ///
    /// - Returns: False without a predicate, and for a query that runs.
    @discardableResult
    open func start() -> Bool {
        guard let predicate, run?.isStopped ?? true else { return false }
        // Apps disable updates for a last look at the results, stop, and enable them never.
        disabledCount = 0
        begin(predicate)
        return true
    }

    /// Ends the watching. What has been found stays.
    open func stop() { run?.stop() }

    private func restart() {
        guard let run, !run.isStopped else { return }
        run.stop()
        if let predicate { begin(predicate) }
    }

    private func begin(_ predicate: NSPredicate) {
        made = Shown()
        let sought = QueryPredicate(predicate)
        self.sought = sought
        let new = QueryRun(deviceContext.run { plan(sought) }, events: events) { [weak self] in
            self?.deliverSoon($0)
        }
        for _ in 0..<disabledCount { new.state.withLock { $0.core.disable() } }
        run = new
        new.start()
    }

    private func plan(_ sought: QueryPredicate) -> QueryRun.Plan {
        let keys = sortDescriptors.map(Self.sortKey)
        let directions = keys.map { $0.ascending }
        let order: MetadataQueryCore.Order = { Self.comesFirst($0, $1, directions) }
        let scopes = QueryScopes(searchScopes)
        let only = searchItems.map { SearchedItems($0.map(SearchedItems.path), ItemTypes()) }
        let roots = only?.roots ?? scopes.roots()
        return QueryRun.Plan(
            roots: roots,
            test: PredicateTest(sought.least, lists: .byAnyMember),
            isUndecided: !sought.isFormula,
            sortKeys: keys.map { $0.name },
            comesFirst: keys.isEmpty ? nil : order,
            interval: notificationBatchingInterval,
            only: only,
            leftOut: only == nil ? scopes.leftOut() : [:],
            ubiquity: scopes.states(below: roots, only),
            statesSecondsMax: statesSecondsMax
        )
    }

    private static func sortKey(_ descriptor: NSSortDescriptor) -> (name: String, ascending: Bool) {
        guard let key = descriptor as? KeySortDescriptor, key.isPlain, let name = key.sortKey else {
            fatalError("a metadata query sorts by descriptors made with a key and no comparator")
        }
        return (name, key.ascending)
    }

    private static func comesFirst(
        _ first: MetadataQueryCore.SortValues,
        _ second: MetadataQueryCore.SortValues,
        _ ascending: [Bool]
    ) -> Bool {
        for index in ascending.indices {
            switch first[index].sortOrder(before: second[index]) {
            case .orderedSame: continue
            case .orderedAscending: return ascending[index]
            case .orderedDescending: return !ascending[index]
            }
        }
        return false
    }

    /// The folders to search.
    func roots() -> [FilePath] { QueryScopes(searchScopes).roots() }

    // MARK: Telling

    private func deliverSoon(_ run: QueryRun) {
        let context = deviceContext
        let deliver: @Sendable () -> Void = { [weak self] in context.run { self?.deliver(run) } }
        if let operationQueue {
            operationQueue.addOperation(Delivery(deliver) { run.told() })
        } else {
            DispatchQueue.main.async(execute: deliver)
        }
    }

    private func deliver(_ run: QueryRun) {
        // Not before all has been posted: on a queue that runs several operations at once the next would overtake it.
        defer { run.told() }
        guard run === self.run, let sought else { return }
        // A block may stop the query, or start it anew.
        run.decide {
            run === self.run && !run.isStopped && sought.matches(NSMetadataItem($0.attributes, number: nil))
        }
        guard run === self.run else { return }
        // Who is told of the start may stop it.
        for announcement in run.announcements() where run === self.run && !run.isStopped {
            post(announcement, of: run)
        }
    }

    private func post(_ announcement: MetadataQueryCore.Announcement, of run: QueryRun) {
        let center = NotificationCenter.default
        switch announcement {
        case .started: center.post(name: .NSMetadataQueryDidStartGathering, object: self)
        case .progress:
            refreshAll(of: run)
            center.post(name: .NSMetadataQueryGatheringProgress, object: self)
        case .finished:
            refreshAll(of: run)
            center.post(name: .NSMetadataQueryDidFinishGathering, object: self)
        case .updated(let added, let changed, let removed):
            let made = made
            for id in changed { if let now = run.attributes(of: id) { made.items[id]?.refresh(now) } }
            let information = [
                NSMetadataQueryUpdateAddedItemsKey: added.compactMap { result($0, of: run, made) },
                NSMetadataQueryUpdateChangedItemsKey: changed.compactMap { result($0, of: run, made) },
                NSMetadataQueryUpdateRemovedItemsKey: removed.compactMap { result($0, of: run, made) },
            ]
            for id in removed { (made.items[id], made.objects[id]) = (nil, nil) }
            center.post(name: .NSMetadataQueryDidUpdate, object: self, userInfo: information)
        }
    }

    /// Items that were read at an earlier progress may have changed since, which no update tells of.
    private func refreshAll(of run: QueryRun) {
        for (id, item) in made.items { if let now = run.attributes(of: id) { item.refresh(now) } }
    }

    private func item(_ id: Int, of run: QueryRun, _ made: Shown) -> NSMetadataItem? {
        if let known = made.items[id] { return known }
        guard let attributes = run.attributes(of: id) else { return nil }
        let item = NSMetadataItem(attributes, number: id)
        made.items[id] = item
        return item
    }

    /// Has results stay as they are, and nothing told, until `enableUpdates()` is called as often.
    open func disableUpdates() {
        disabledCount += 1
        run?.update { $0.core.disable() }
    }

    /// Undoes one `disableUpdates()`. After the last one, what happened meanwhile is told. Nothing happens without one, and
    /// it is no credit for those that come.
    open func enableUpdates() {
        guard disabledCount > 0 else { return }
        disabledCount -= 1
        run?.update { $0.core.enable() }
    }

    // MARK: Results

    private var shown: [Int] { run?.state.withLock { $0.core.shown } ?? [] }

    /// How many results there are.
    open var resultCount: Int { run?.state.withLock { $0.core.shown.count } ?? 0 }

    /// One result: an `NSMetadataItem`, or what the delegate puts in its place. Traps when there is none at the index.
    open func result(at idx: Int) -> Any {
        guard let run,
            let id = run.state.withLock({ $0.core.shown.indices.contains(idx) ? $0.core.shown[idx] : nil }),
            let result = result(id, of: run, made)
        else { fatalError("result \(idx) was asked of a metadata query that has \(resultCount)") }
        return result
    }

    private func result(_ id: Int, of run: QueryRun, _ made: Shown) -> Any? {
        if let known = made.objects[id] { return known }
        guard let item = item(id, of: run, made) else { return nil }
        guard let delegate else { return item }
        let object = delegate.metadataQuery(self, replacementObjectForResultObject: item)
        made.objects[id] = object
        return object
    }

    /// All results as they are now.
    open var results: [Any] { run.map { run in shown.compactMap { result($0, of: run, made) } } ?? [] }

    /// Where a result is; `NSNotFound` when it is none. What the delegate has put in the place of an item may be a value: it is
    /// where an equal one is.
    open func index(ofResult result: Any) -> Int {
        let object = result as AnyObject
        let known = (result as? NSMetadataItem)?.number.flatMap { made.items[$0] === object ? $0 : nil }
        let id = known ?? made.objects.first { ($0.value as AnyObject) === object }?.key
        if let index = id.flatMap({ shown.firstIndex(of: $0) }) { return index }
        return shown.firstIndex { made.objects[$0].map { Self.isEqual($0, result) } ?? false } ?? NSNotFound
    }

    private static func isEqual(_ first: Any, _ second: Any) -> Bool {
        guard let first = first as? AnyHashable, let second = second as? AnyHashable else { return false }
        return first == second
    }

    /// Calls a block with each result in order, while updates are disabled. It goes on with the results that it has begun with
    /// though the block starts the query anew.
    ///
    /// - Parameter block: Gets the result, its index, and what to set to true to end the enumeration.
    open func enumerateResults(_ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {
        enumerateResults(options: [], using: block)
    }

    /// Calls a block with each result, while updates are disabled.
    ///
    /// - Parameters:
    ///   - opts: `.reverse` begins with the last result. One is passed after another in any case.
    ///   - block: As of `enumerateResults(_:)`.
    open func enumerateResults(
        options opts: NSEnumerationOptions = [],
        using block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
    ) {
        disableUpdates()
        defer { enableUpdates() }
        var stops = ObjCBool(false)
        let (run, ids, made) = (run, shown, made)
        let places = Array(0..<resultCount)
        for place in opts.contains(.reverse) ? places.reversed() : places {
            guard let result = result(at: place, of: run, ids, made) else { continue }
            block(result, place, &stops)
            if stops.boolValue { return }
        }
    }

    /// One of the results that a run showed once.
    private func result(at place: Int, of run: QueryRun?, _ ids: [Int], _ made: Shown) -> Any? {
        // A class derived from this one may show others, and be asked for each.
        guard let run, ids.indices.contains(place) else { return result(at: place) }
        let isShown =
            run === self.run
            && run.state.withLock { state in
                state.core.shown.indices.contains(place) && state.core.shown[place] == ids[place]
            }
        return isShown ? result(at: place) : result(ids[place], of: run, made)
    }

    // MARK: Values

    /// The value of an attribute of one result; nil where there is none. Any attribute may be asked for.
    open func value(ofAttribute attrName: String, forResultAt idx: Int) -> Any? {
        guard let run,
            let id = run.state.withLock({ $0.core.shown.indices.contains(idx) ? $0.core.shown[idx] : nil })
        else { fatalError("result \(idx) was asked of a metadata query that has \(resultCount)") }
        return item(id, of: run, made)?.value(forAttribute: attrName)
    }

    private func values(_ attribute: String, _ ids: [Int], _ run: QueryRun) -> [PredicateValue] {
        ids.map { item($0, of: run, made)?.value(of: attribute) ?? .null }
    }

    private func replaced(_ value: PredicateValue, _ attribute: String) -> Any? {
        guard let object = value.object else { return nil }
        guard let delegate else { return object }
        return delegate.metadataQuery(self, replacementValueForAttribute: attribute, value: object)
    }

    /// For each of `valueListAttributes` the values that results have, least first, and how many have each.
    open var valueLists: [String: [NSMetadataQueryAttributeValueTuple]] {
        guard let run else { return [:] }
        let ids = shown
        var lists: [String: [NSMetadataQueryAttributeValueTuple]] = [:]
        for attribute in valueListAttributes {
            lists[attribute] = ResultGrouping.places(values(attribute, ids, run)).map { value, places in
                NSMetadataQueryAttributeValueTuple(attribute, replaced(value, attribute), places.count)
            }
        }
        return lists
    }

    /// The results by the values of `groupingAttributes`; a group for each value, least first.
    open var groupedResults: [NSMetadataQueryResultGroup] {
        guard let run, let attributes = groupingAttributes, !attributes.isEmpty else { return [] }
        return groups(shown, by: attributes[...], run)
    }

    private func groups(
        _ ids: [Int],
        by attributes: ArraySlice<String>,
        _ run: QueryRun
    ) -> [NSMetadataQueryResultGroup] {
        guard let attribute = attributes.first else { return [] }
        let inner = attributes.dropFirst()
        return ResultGrouping.places(values(attribute, ids, run)).map { value, places in
            let members = places.map { ids[$0] }
            return NSMetadataQueryResultGroup(
                attribute,
                replaced(value, attribute) ?? NSNull(),
                inner.isEmpty ? nil : groups(members, by: inner, run),
                members.compactMap { result($0, of: run, made) }
            )
        }
    }
}
