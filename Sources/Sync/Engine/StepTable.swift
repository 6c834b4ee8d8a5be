/// What is being done with items: by item, and by the places and the commits that it is about. Pure.
struct StepTable: Sendable {
    private var table = ItemTable<SyncEngine.Step>()
    /// How many steps put something at each place, and whose step each commit is. Nil while nobody has asked: there may be hundreds
    /// of thousands of steps, and mostly nobody does.
    private var arrivals: [ItemPlace: Int]?
    private var committed: [Commit.ID: ItemID]?

    init(_ all: ItemMap<SyncEngine.Step> = ItemMap()) { table = ItemTable(all) }

    var all: ItemMap<SyncEngine.Step> { table.all }

    subscript(item: ItemID) -> SyncEngine.Step? {
        get { table[item] }
        set {
            let former = arrivals == nil && committed == nil ? nil : table[item]
            table[item] = newValue
            end(former)
            if table.all.isEmpty { (arrivals, committed) = (nil, nil) }
            if let newValue { begin(newValue, of: item) }
        }
    }

    mutating func takeWritten() -> Set<ItemID> { table.takeWritten() }

    /// Whether something is on its way to a place.
    mutating func isAwaited(_ place: ItemPlace) -> Bool {
        if let arrivals { return arrivals[place] != nil }
        arrivals = [:]
        for step in table.all.values { noteArrival(step, 1) }
        return arrivals?[place] != nil
    }

    /// The commit of a name, if something is being done by it.
    mutating func commit(_ id: Commit.ID) -> Commit? {
        if committed == nil {
            committed = [:]
            for (item, step) in table.all { noteCommit(step, of: item) }
        }
        guard let item = committed?[id], case .commit(let commit) = table[item] else { return nil }
        return commit
    }

    private mutating func begin(_ step: SyncEngine.Step, of item: ItemID) {
        noteArrival(step, 1)
        noteCommit(step, of: item)
    }

    private mutating func end(_ step: SyncEngine.Step?) {
        guard let step else { return }
        noteArrival(step, -1)
        if case .commit(let commit) = step { committed?[commit.id] = nil }
    }

    private mutating func noteArrival(_ step: SyncEngine.Step, _ difference: Int) {
        guard arrivals != nil, case .place(let state?, _) = step else { return }
        let count = (arrivals?[state.place] ?? 0) + difference
        arrivals?[state.place] = count == 0 ? nil : count
    }

    private mutating func noteCommit(_ step: SyncEngine.Step, of item: ItemID) {
        if case .commit(let commit) = step { committed?[commit.id] = item }
    }
}
