internal import Dispatch
internal import FileSystem

/// What is looked at once more after a while: names that are free, and names that could not be looked at.
extension QueryRun {
    /// How long until what could not be looked at is looked at again.
    static let unseenPauseSeconds = 0.1...60.0

    // MARK: Free names

    func awaitDepartures() {
        guard let next = departures.values.min() else { return }
        queue.asyncAfter(deadline: .now() + max(0, next - Self.now)) { [weak self] in
            self?.lookAtDepartures()
        }
    }

    func lookAtDepartures() {
        let now = Self.now
        let due = departures.filter { $0.value <= now }.keys
        // It may be called too early.
        if due.isEmpty { awaitDepartures() }
        dirty.formUnion(due)
        look(after: 0)
    }

    // MARK: What could not be looked at

    /// Some in a folder, and the names of which the system does not say whether they are there: it may have no more open files to
    /// give, or the disk may not answer.
    func listed(
        _ names: [String],
        in path: FilePath
    ) -> (found: [ListedItem], unseen: Set<ItemName>) {
        do throws(SystemError) { return (try listing(of: names, in: path), []) } catch {
            // In a folder that is gone nothing is.
            if error.isAbsent { return ([], []) }
        }
        guard names.count > 1 else { return ([], Set(names.map { ItemName($0) })) }
        // One of them keeps nobody from seeing the others.
        var (found, unseen): ([ListedItem], Set<ItemName>) = ([], [])
        for name in names {
            let one = listed([name], in: path)
            found += one.found
            unseen.formUnion(one.unseen)
        }
        return (found, unseen)
    }

    /// Leaves what is known of a name as it is until it can be looked at.
    func postpone(_ place: Place, _ outcome: Outcome) {
        departures[place] = nil
        if outcome.exchanged.contains(place) { exchanged.insert(place) }
        unseen.insert(place)
    }

    /// Looks again at what could not be looked at, less and less often.
    func lookLater() {
        guard isAllUnseen || !unseen.isEmpty else {
            unseenSeconds = Self.unseenPauseSeconds.lowerBound
            return
        }
        guard !isUnseenDue else { return }
        isUnseenDue = true
        queue.asyncAfter(deadline: .now() + unseenSeconds) { [weak self] in
            guard let self else { return }
            isUnseenDue = false
            needsLookAtAll = needsLookAtAll || isAllUnseen
            dirty.formUnion(unseen)
            look(after: 0)
        }
        unseenSeconds = min(2 * unseenSeconds, Self.unseenPauseSeconds.upperBound)
    }
}
