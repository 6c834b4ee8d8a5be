/// Visits the members of folders and of all below, nearest first, within bounds.
///
/// Hidden folders are left out, symbolic links are not followed, and each root is walked on its own volume. A folder
/// that is in two roots is visited once.
struct FolderWalk {
    private let bounds: IdentitySearch.Bounds
    private let deadline: ContinuousClock.Instant
    private var memberCount = 0
    private var visited: Set<FilePath> = []
    /// Whether the bounds have ended it.
    private(set) var isExhausted = false

    init(within bounds: IdentitySearch.Bounds) {
        self.bounds = bounds
        deadline = .now + .milliseconds(bounds.millisecondsMax)
    }

    /// Breadth first: what was moved by hand has rarely gone far.
    ///
    /// - Parameters:
    ///   - root: Where to begin; left out if it is not there, or closed to us.
    ///   - isDeep: Whether folders in it are walked too.
    ///   - visit: Gets each member; ends the walk with false.
    mutating func walk(
        _ root: FilePath,
        isDeep: Bool = true,
        visit: (_ place: FilePath, _ inode: UInt64, _ kind: FileStamp.Kind?) -> Bool
    ) {
        guard let device = try? FileStamp(of: root).device else { return }
        var waiting = [root]
        var next = 0
        while next < waiting.count, !isExhausted {
            let folder = waiting[next]
            next += 1
            // What was only looked at may still be walked.
            guard !isDeep || visited.insert(folder).inserted else { continue }
            guard scan(folder, device, &waiting, visit), isDeep else { return }
        }
    }

    private mutating func scan(
        _ path: FilePath,
        _ device: UInt64,
        _ waiting: inout [FilePath],
        _ visit: (FilePath, UInt64, FileStamp.Kind?) -> Bool
    ) -> Bool {
        // A folder that may not be read holds nothing that we could give.
        guard let folder = try? Folder.open(path),
            let status = try? SystemCalls.fstat(folder.descriptor), status.stamp.device == device
        else { return true }
        var (walk, folders, goesOn) = (self, waiting, true)
        defer { (self, waiting) = (walk, folders) }
        // As above: what could be read has been visited.
        try? SystemCalls.forEachMember(of: folder) { (name, inode, kind) throws(SystemError) in
            guard walk.count() else { return false }
            let place = path.appending(name)
            goesOn = visit(place, inode, kind)
            if kind == .directory, !name.hasPrefix(".") { folders.append(place) }
            return goesOn
        }
        return goesOn
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
