/// Decides how the changes of a package are put in place: the cheapest way of which a reader sees nothing or
/// all.
enum PackageCommitPlan: Equatable {
    /// A member to be put in place.
    struct Placement: Equatable, Sendable {
        var path: MemberPath
        var isFolder: Bool
        /// What is there now; nil for a new member.
        var replaced: FileStamp.Kind?
    }

    /// The package is as it should be.
    case nothing
    /// One member is new or replaced: it is moved in. The folder it goes to is there.
    case place(Placement)
    /// One member goes: it is moved out.
    case remove(MemberPath, isFolder: Bool)
    /// More than one change: this folder, the smallest that holds them all, is made anew and swapped.
    case rebuild(MemberPath)

    /// - Parameters:
    ///   - placements: What is staged; none inside another.
    ///   - removed: What is there and has to go; none inside a placement.
    init(placements: [Placement], removed: [MemberPath: FileStamp.Kind]) {
        if placements.count + removed.count > 1 {
            let paths = placements.map(\.path) + Array(removed.keys)
            self = .rebuild(Self.smallestFolder(holding: paths))
        } else if let placement = placements.first {
            self = .place(placement)
        } else if let member = removed.first {
            self = .remove(member.key, isFolder: member.value == .directory)
        } else {
            self = .nothing
        }
    }

    private static func smallestFolder(holding paths: [MemberPath]) -> MemberPath {
        guard var common = paths.first?.parent else { return .top }
        while let parent = common.parent, !paths.allSatisfy({ $0.parent?.isWithin(common) ?? false }) {
            common = parent
        }
        return common
    }
}
