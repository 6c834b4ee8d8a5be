internal import DocumentFoundation
internal import Foundation

/// What brings back a document's contents as they were before others were taken in.
struct FormerContents {
    /// A member of a package as it was; nil where there was none.
    private struct Member {
        let path: [String]
        let wrapper: FileWrapper?
    }

    private let whole: Any?
    private let members: [Member]

    /// Contents that come back whole, in memory.
    init(whole: Any) {
        self.whole = whole
        members = []
    }

    /// - Parameters:
    ///   - former: What is to come back.
    ///   - latter: What takes its place.
    ///   - reads: Whether members that go and were not read yet are read while they are there. Without, they do not come
    ///     back.
    init(_ former: Any, before latter: Any, reads: Bool = false) {
        if let former = former as? FileWrapper, let latter = latter as? FileWrapper,
            former.isDirectory, latter.isDirectory
        {
            whole = nil
            members = Self.members([], of: former, insteadOf: latter, reads)
        } else {
            whole = former
            members = []
        }
    }

    /// A tree would lead to places on disk that are taken by others since: only what differs comes back, and of that
    /// what had been read.
    private static func members(
        _ path: [String],
        of former: FileWrapper,
        insteadOf latter: FileWrapper,
        _ reads: Bool
    ) -> [Member] {
        guard former !== latter, let olds = former.fileWrappers, let news = latter.fileWrappers else {
            return []
        }
        var members: [Member] = []
        for name in Set(olds.keys).union(news.keys) where olds[name] !== news[name] {
            let place = path + [name]
            switch (olds[name], news[name]) {
            case (nil, _): members.append(Member(path: place, wrapper: nil))
            case (let old?, let new?) where old.isDirectory && new.isDirectory:
                members += Self.members(place, of: old, insteadOf: new, reads)
            case (let old?, _):
                if let old = inMemory(old, reads) { members.append(Member(path: place, wrapper: old)) }
            }
        }
        return members
    }

    /// What of a member is in memory, and so can be written wherever the item on disk has gone.
    private static func inMemory(_ wrapper: FileWrapper, _ reads: Bool) -> FileWrapper? {
        if wrapper.isDirectory {
            return wrapper.fileWrappers.map { .directory(of: $0.compactMapValues { inMemory($0, reads) }) }
        }
        if reads {
            // What cannot be read any more does not come back; nobody has it.
            try? wrapper.readEverything()
        }
        return wrapper.bytesInMemory == nil ? nil : wrapper
    }

    /// The contents to load in place of those there are.
    func contents(insteadOf current: Any) -> Any {
        if let whole { return whole }
        guard let tree = current as? FileWrapper, tree.isDirectory else { return current }
        return members.reduce(tree) { tree, member in Self.tree(tree, with: member, at: member.path[...]) }
    }

    private static func tree(
        _ tree: FileWrapper,
        with member: Member,
        at path: ArraySlice<String>
    ) -> FileWrapper {
        guard let name = path.first, tree.isDirectory, var members = tree.fileWrappers else { return tree }
        if path.count == 1 {
            members[name] = member.wrapper
        } else if let folder = members[name] {
            members[name] = Self.tree(folder, with: member, at: path.dropFirst())
        } else {
            return tree
        }
        return .directory(of: members)
    }
}
