internal import Sync

/// Decides when what programs write may be read. Pure: the time is given, and what is asked of the disk is asked by whoever calls.
///
///     heard of a write ──▶ waiting ──▶ (closed, quiet, or for too long) ──▶ read
///     moved in, saved by Sheaf ──────────────────────────────────────────▶ read
///
/// 1. What was moved to its place is whole, whoever has it open: that is how programs save that save well. It is read at once.
/// 2. A file that nobody has open for writing is read at once; one that somebody has open waits until it is closed. Where
///    nobody can tell, that it was closed counts, or else that nothing was written for `openQuietSeconds`.
/// 3. A file that stays open, a database or a log, is read as it is once nothing was written into it for
///    `openQuietSeconds`, but not more often than each `openAgainSeconds`; and after `waitMaxSeconds` in any
///    case.
/// 4. A package is one item: it waits until nothing has happened in it for `packageQuietSeconds` and all its files are
///    closed, or one stays open as above. What Sheaf's own saves put into it, in one step, does not wait; nor does it go on
///    waiting where a look has seen that before it was heard of.
/// 5. In a package that has been whole before, a program may have changed one member, and be done: after its first step it is read
///    once nothing more has happened for `stepQuietSeconds`. Who goes on until it has been read is at a series, which waits as
///    above.
/// 6. What is found changed that nobody has told of, at a start say, is read, and counts unless somebody has it open then, or has
///    just been at it.
/// 7. What was read counts only if nobody has been at it since the reading began, however long that took; of what is written
///    all the time what was read counts after `waitMaxSeconds`, of a package `packageWaitMaxSeconds`, unless it is open.
struct WritingItems {
    /// How long nothing is written into a file that stays open before it is read as it is.
    static let openQuietSeconds = 2.0
    /// How long a file that stays open is not read again.
    static let openAgainSeconds = 10.0
    /// How long a file waits at most that is written all the time.
    static let waitMaxSeconds = 60.0
    /// How long a package waits at most in which something happens all the time: a large one is copied for minutes.
    static let packageWaitMaxSeconds = 600.0
    /// How long nothing happens in a package before it counts as whole.
    static let packageQuietSeconds = 0.5
    /// How long nothing happens after a program's first step in a package before that may be all.
    static let stepQuietSeconds = 0.02
    /// What happens so soon after a first step is part of it: a file that is made, written and closed.
    static let stepSeconds = 0.01
    /// Volumes note when a file was changed by clock ticks, up to so long before.
    static let tickSeconds = 0.01

    /// What may be done with an item.
    enum Verdict {
        /// It is read; whether that counts is asked afterwards, of `counts`.
        case read
        /// It is read, and counts.
        case readAsItIs
        case wait
    }

    /// An item that waits.
    struct Waiting: Hashable {
        let isPackage: Bool
        /// When it was seen first that it is written.
        let began: Double
        /// When something was last seen to be written.
        var touched: Double
        /// Whether somebody was found to have it open, or a file in it.
        var isOpen: Bool
        /// Whether steps have been heard of; if not, a look has found the item to be new, and what that comes of may be heard yet.
        var isHeard = false
        /// Whether one step has been seen in a package that was whole.
        var isFirstStep = false
        /// When it was last told as due.
        var told = -Double.infinity
    }

    private(set) var waiting: [ItemID: Waiting] = [:]
    /// When items that stay open were read last.
    private var openReads: [ItemID: Double] = [:]
    /// Items that are to be read as they are.
    private var whole: Set<ItemID> = []
    /// What was heard of names since the last look.
    private var moved: Set<ItemPlace> = []
    private var closed: Set<ItemPlace> = []
    /// Packages that came whole, or that a save of Sheaf's has changed in one step, and when: it may clear up behind itself.
    private var saved: [ItemID: Double] = [:]
    /// Packages that are read after one step in them, and since when.
    private var readSteps: [ItemID: Double] = [:]
    /// Since when items that are read now have waited.
    private var begun: [ItemID: Double] = [:]

    var isEmpty: Bool { waiting.isEmpty }

    // MARK: Heard

    /// A name has been given to something new, which is not written yet.
    mutating func made(at place: ItemPlace) {
        moved.remove(place)
        closed.remove(place)
    }

    /// Something was moved to a name.
    mutating func moved(to place: ItemPlace) { moved.insert(place) }

    /// A file was closed that was open for writing.
    mutating func closed(_ place: ItemPlace) { closed.insert(place) }

    /// Something was written into a file.
    ///
    /// - Parameter item: What is at the place; nil where nobody knows yet.
    mutating func wrote(_ item: ItemID?, at place: ItemPlace, at now: Double) {
        made(at: place)
        if let item { touch(item, isPackage: false, at: now) }
    }

    /// Something has happened in a package that is a step of somebody's.
    ///
    /// - Parameter wasWhole: Whether the package has been read as a whole before: a new one is being put together.
    mutating func wrote(inPackage item: ItemID, wasWhole: Bool, at now: Double) {
        saved[item] = nil
        let began = waiting[item]?.began
        let isFirst = began == nil && wasWhole && readSteps[item] == nil
        touch(item, isPackage: true, at: now)
        waiting[item]?.isHeard = true
        // Nobody knows whether what was open still is.
        waiting[item]?.isOpen = false
        if isFirst { waiting[item]?.isFirstStep = true }
        if let began, now > began + Self.stepSeconds { waiting[item]?.isFirstStep = false }
    }

    /// A save of Sheaf's has changed a package in one step.
    mutating func saved(package item: ItemID, at now: Double) { saved[item] = now }

    /// Whether that a file in a package was closed is a step: what a save put there it has open itself.
    func isStep(closingIn item: ItemID, at now: Double) -> Bool {
        waiting[item] != nil && !isSaved(item, at: now)
    }

    /// An app says that an item is as it is to be.
    mutating func isWhole(_ item: ItemID) {
        waiting[item] = nil
        whole.insert(item)
    }

    private mutating func touch(_ item: ItemID, isPackage: Bool, at now: Double, since began: Double? = nil) {
        whole.remove(item)
        if waiting[item] == nil {
            let began = began ?? now
            waiting[item] = Waiting(isPackage: isPackage, began: began, touched: now, isOpen: !isPackage)
        }
        waiting[item]?.touched = now
    }

    // MARK: Before it is read

    /// Whether a file that looks otherwise than before may be read.
    ///
    /// - Parameters:
    ///   - age: How long ago it was written, by its date.
    ///   - isOpen: Asked, if need be, whether somebody has it open for writing; nil where nobody can tell.
    mutating func judge(
        file item: ItemID,
        at place: ItemPlace,
        age: Double,
        at now: Double,
        isOpen: () -> Bool?
    ) -> Verdict {
        if whole.contains(item) { return .readAsItIs }
        if waiting[item] == nil {
            if moved.contains(place) { return asItIs(item) }
            guard Self.isRecent(age, Self.openQuietSeconds) else { return .read }
        }
        switch isOpen() {
        case .some(false): return end(item)
        case .none where closed.contains(place): return end(item)
        case .some(true), .none: break
        }
        if waiting[item] == nil { touch(item, isPackage: false, at: now) }
        return readIfDue(item, at: now)
    }

    /// Whether a package that looks otherwise than before, or in which something has happened, may be read.
    ///
    /// - Parameters:
    ///   - age: How long ago a name in it came or went, at its top.
    ///   - isOpen: Asked, if need be, whether somebody has a file in it open for writing.
    mutating func judge(
        package item: ItemID,
        at place: ItemPlace,
        age: Double,
        at now: Double,
        isOpen: () -> Bool
    ) -> Verdict {
        if whole.contains(item) { return .readAsItIs }
        let wait = waiting[item]
        if wait.map({ !$0.isHeard && !$0.isOpen }) ?? true {
            if moved.contains(place) { saved[item] = now }
            if isSaved(item, at: now) {
                waiting[item] = nil
                return asItIs(item)
            }
        }
        guard let wait else {
            guard Self.isRecent(age, Self.packageQuietSeconds) else { return .read }
            touch(item, isPackage: true, at: now)
            return .wait
        }
        guard now >= due(item, wait) else { return .wait }
        if wait.isFirstStep {
            // Whether a file in it is open is asked when it has been read.
            readSteps[item] = now
            return end(item)
        }
        guard isOpen() else { return end(item) }
        waiting[item]?.isOpen = true
        return readIfDue(item, at: now)
    }

    private mutating func readIfDue(_ item: ItemID, at now: Double) -> Verdict {
        guard let wait = waiting[item], now >= due(item, wait) else { return .wait }
        waiting[item] = nil
        openReads[item] = now
        return asItIs(item)
    }

    /// Whether an item is to be read as it is though somebody has it open, or a file in it, and may write all the while.
    func isReadThoughOpen(_ item: ItemID) -> Bool { whole.contains(item) && openReads[item] != nil }

    private mutating func asItIs(_ item: ItemID) -> Verdict {
        whole.insert(item)
        return .readAsItIs
    }

    private mutating func end(_ item: ItemID) -> Verdict {
        begun[item] = waiting.removeValue(forKey: item)?.began
        openReads[item] = nil
        return .read
    }

    private static func isRecent(_ age: Double, _ seconds: Double) -> Bool { abs(age) < seconds }

    /// How many seconds ago something can have been last that has this date: FAT's dates go in steps of two seconds, others' without
    /// parts of a second in steps of one.
    ///
    /// - Parameters:
    ///   - nanoseconds: Since 1970.
    ///   - now: In seconds since 1970.
    static func age(_ nanoseconds: Int64, at now: Double) -> Double {
        let age = now - Double(nanoseconds) / 1e9
        let (seconds, part) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard part == 0, age > 0 else { return age }
        return max(0, age - (seconds.isMultiple(of: 2) ? 2 : 1))
    }

    // MARK: After it was read

    /// How an item is that has been read.
    struct State: Equatable {
        /// How long ago something in it was written, by its date.
        var age: Double
        /// Whether somebody has it open for writing, or a file in it.
        var isOpen = false
        /// Whether it looks otherwise than it was read.
        var isOther = false
    }

    /// Whether what was read of an item counts, or it was written meanwhile and waits.
    ///
    /// - Parameters:
    ///   - readBegan: When the reading began.
    ///   - state: Asked, if need be.
    mutating func counts(
        _ item: ItemID,
        isPackage: Bool,
        readBegan: Double,
        at now: Double,
        state: () -> State
    ) -> Bool {
        guard whole.remove(item) == nil else { return true }
        let quietSeconds =
            readSteps[item].map { now - $0 + Self.tickSeconds }
            ?? max(Self.packageQuietSeconds, now - readBegan + Self.tickSeconds)
        let began = begun[item] ?? readBegan
        endRead(item)
        let state = state()
        let hasWaited = now >= began + Self.waitMaxSeconds(isPackage)
        let isAtIt = state.isOther || isPackage && Self.isRecent(state.age, quietSeconds)
        guard state.isOpen || isAtIt && !hasWaited else { return true }
        touch(item, isPackage: isPackage, at: now, since: began)
        waiting[item]?.isOpen = state.isOpen
        return false
    }

    /// An item was read, or could not be: what was said of it before holds no more.
    mutating func endRead(_ item: ItemID) {
        whole.remove(item)
        readSteps[item] = nil
        begun[item] = nil
    }

    /// All that was heard has been looked at.
    mutating func endLook(at now: Double) {
        moved = []
        closed = []
        for item in saved.keys where !isSaved(item, at: now) { saved[item] = nil }
    }

    /// Whether a package came whole just now, or by one step of a save.
    func isSaved(_ item: ItemID, at now: Double) -> Bool {
        saved[item].map { now < $0 + Self.packageQuietSeconds } ?? false
    }

    /// An item is as it was seen last, or is not there any more.
    ///
    /// - Returns: Whether it waited.
    @discardableResult
    mutating func forget(_ item: ItemID) -> Bool {
        endRead(item)
        openReads[item] = nil
        saved[item] = nil
        return waiting.removeValue(forKey: item) != nil
    }

    // MARK: Time

    private func due(_ item: ItemID, _ wait: Waiting) -> Double {
        let packageQuiet = wait.isFirstStep ? Self.stepQuietSeconds : Self.packageQuietSeconds
        var due = wait.touched + (wait.isPackage && !wait.isOpen ? packageQuiet : Self.openQuietSeconds)
        if wait.isOpen, let last = openReads[item] { due = max(due, last + Self.openAgainSeconds) }
        // What has waited for so long and could not be read is looked at no more often than what is new.
        return min(due, max(wait.began + Self.waitMaxSeconds(wait.isPackage), wait.touched))
    }

    private static func waitMaxSeconds(_ isPackage: Bool) -> Double {
        isPackage ? packageWaitMaxSeconds : waitMaxSeconds
    }

    /// When something is due next; nil while nothing waits.
    var next: Double? {
        waiting.map { max(due($0.key, $0.value), $0.value.told + Self.openQuietSeconds) }.min()
    }

    /// What is to be looked at. What cannot be looked at is told again, but not at once.
    mutating func takeDue(at now: Double) -> [ItemID] {
        let items = waiting.filter {
            now >= max(due($0.key, $0.value), $0.value.told + Self.openQuietSeconds)
        }.keys
        for item in items { waiting[item]?.told = now }
        return items.sorted()
    }
}
