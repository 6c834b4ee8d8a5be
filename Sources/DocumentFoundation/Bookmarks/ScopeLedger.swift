internal import FileSystem

/// Which items a process was given, and which of them it is accessing.
///
/// Pure; places are told without links, but for the names under which accesses are counted.
struct ScopeLedger {
    /// Given items, each with whether it is for reading only.
    private var grants: [FilePath: Bool] = [:]
    private var accesses: [FilePath: Int] = [:]

    /// Gives an item, and all in it. What was given for writing stays so.
    mutating func grant(_ item: FilePath, isReadOnly: Bool) {
        grants[item] = isReadOnly && grants[item, default: true]
    }

    /// Whether an item was given, or a folder that holds it.
    func covers(_ real: FilePath) -> Bool {
        var path = real
        while grants[path] == nil {
            guard path.parent != path else { return false }
            path = path.parent
        }
        return true
    }

    /// Counts an access.
    ///
    /// - Parameters:
    ///   - name: What the item is called by who accesses it.
    ///   - real: Where that is.
    /// - Returns: Whether it may be accessed.
    mutating func start(_ name: FilePath, at real: FilePath) -> Bool {
        guard covers(real) else { return false }
        accesses[name, default: 0] += 1
        return true
    }

    /// Ends an access; one that never began is nothing.
    mutating func stop(_ name: FilePath) {
        guard let count = accesses[name] else { return }
        accesses[name] = count > 1 ? count - 1 : nil
    }

    /// How many accesses under a name have begun and not ended.
    func accessCount(of name: FilePath) -> Int { accesses[name, default: 0] }
}
