/// Visits the members of folders and of all below, nearest first, within bounds.
///
/// Hidden folders are left out, symbolic links below a root are not followed, and each root is walked on its own volume.
/// A folder that is in two roots is visited once.
struct FolderWalk {
    /// Looks for what came lately: no more than what may be it is visited.
    struct News: Sendable {
        /// A folder into which something has been put has changed then. Such folders come first, wherever they are, and
        /// among them those that changed last: a program that makes many files may have done so just before.
        let since: FileTime
        /// In all others only members with one of these names are visited: what was written over something that was
        /// there has not changed the folder.
        let names: Set<String>
    }

    private struct Waiting {
        let folder: FilePath
        let device: UInt64
    }

    /// Folders that wait: what changed last comes first, and then all others in their order.
    private struct Line {
        /// The one that changed last is the last; of two the one that came first is.
        private var changed: [(folder: Waiting, at: FileTime)] = []
        private var others: [Waiting] = []
        private var next = 0

        mutating func add(_ folder: Waiting, changedAt time: FileTime?) {
            guard let time else { return others.append(folder) }
            var (low, high) = (0, changed.count)
            while low < high {
                let middle = (low + high) / 2
                if changed[middle].at < time { low = middle + 1 } else { high = middle }
            }
            changed.insert((folder, time), at: low)
        }

        mutating func removeFirst() -> Waiting? {
            if let last = changed.popLast() { return last.folder }
            guard next < others.count else { return nil }
            defer { next += 1 }
            return others[next]
        }
    }

    private let bounds: IdentitySearch.Bounds
    private let news: News?
    private let deadline: ContinuousClock.Instant
    private var memberCount = 0
    private var visited: Set<FilePath> = []
    private var line = Line()
    /// Whether the bounds have ended it.
    private(set) var isExhausted = false

    /// - Parameter news: What alone is of interest; nil for everything.
    init(within bounds: IdentitySearch.Bounds, for news: News? = nil) {
        self.bounds = bounds
        self.news = news
        deadline = .now + .milliseconds(bounds.millisecondsMax)
    }

    /// Breadth first, over all roots together: what was moved by hand has rarely gone far.
    ///
    /// - Parameters:
    ///   - roots: Where to begin, in this order; left out are those that are not there, or closed to us.
    ///   - isDeep: Whether folders in them are walked too.
    ///   - visit: Gets each member; ends the walk with false.
    mutating func walk(
        _ roots: [FilePath],
        isDeep: Bool = true,
        visit: (_ place: FilePath, _ inode: UInt64, _ kind: FileStamp.Kind?) -> Bool
    ) {
        line = Line()
        for root in roots {
            let status = try? SystemCalls.fstatat(.working, root.string, followsSymbolicLink: true)
            if let status { wait(root, status) }
        }
        while !isExhausted, let next = line.removeFirst() {
            // What was only looked at may still be walked.
            guard !isDeep || visited.insert(next.folder).inserted else { continue }
            guard scan(next, isDeep, visit) else { return }
        }
    }

    private mutating func wait(_ folder: FilePath, _ status: FileStatus) {
        let waiting = Waiting(folder: folder, device: status.stamp.device)
        line.add(waiting, changedAt: hasNews(status) ? status.change : nil)
    }

    private func hasNews(_ status: FileStatus) -> Bool { news.map { status.change >= $0.since } ?? false }

    /// - Returns: Whether the walk goes on.
    private mutating func scan(
        _ waiting: Waiting,
        _ isDeep: Bool,
        _ visit: (FilePath, UInt64, FileStamp.Kind?) -> Bool
    ) -> Bool {
        // A folder that may not be read holds nothing that we could give.
        guard let folder = try? Folder.open(waiting.folder),
            let status = try? SystemCalls.fstat(folder.descriptor), status.stamp.device == waiting.device
        else { return true }
        let (names, takesAll) = (news?.names ?? [], news == nil || hasNews(status))
        var goesOn = true
        // As above: what could be read has been visited.
        try? SystemCalls.forEachMember(of: folder) { (name, inode, kind) throws(SystemError) in
            guard count() else { return false }
            let isFolder = isDeep && kind == .directory && !name.hasPrefix(".")
            let isVisited = takesAll || names.contains(name)
            guard isFolder || isVisited else { return true }
            let place = waiting.folder.appending(name)
            if isVisited { goesOn = visit(place, inode, kind) }
            if isFolder { wait(place, named: name, in: folder, status) }
            return goesOn
        }
        return goesOn
    }

    /// - Parameter outer: The folder's that it is in.
    private mutating func wait(_ place: FilePath, named name: String, in folder: Folder, _ outer: FileStatus)
    {
        guard news != nil else {
            return line.add(Waiting(folder: place, device: outer.stamp.device), changedAt: nil)
        }
        // Gone since it was listed, or another volume's.
        guard let status = try? SystemCalls.fstatat(folder, name), status.stamp.device == outer.stamp.device
        else { return }
        wait(place, status)
    }

    private mutating func count() -> Bool {
        memberCount += 1
        // The clock is looked at every 64 members: it costs as much as a member does.
        if memberCount > bounds.memberCountMax || memberCount % 64 == 0 && .now > deadline {
            isExhausted = true
        }
        return !isExhausted
    }
}
