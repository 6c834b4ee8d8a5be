internal import Foundation

/// Gives items names that nothing has, in the same folder or in another one of the volume. Whoever calls this makes it last.
enum FreeName {
    /// Nobody has so many names of one kind.
    private static let numberMax = 1000

    /// Moves an item to a name, or where that is taken to the next one with a number that is free.
    ///
    /// - Returns: Which name it got; nil when others have taken it away.
    @discardableResult
    static func moveNumbered(
        _ name: String,
        from source: Folder,
        to target: Folder,
        as wanted: String
    ) throws(SystemError) -> String? {
        for number in 1...numberMax {
            let free = number == 1 ? wanted : NumberedName.of(wanted, number)
            do {
                try move(name, from: source, to: target, as: free)
                return free
            } catch {
                if error.isAbsent { return nil }
                guard error.errno == EEXIST else { throw error }
            }
        }
        throw taken(wanted, in: target)
    }

    /// Moves an item to a name.
    ///
    /// - Throws: `EEXIST` when something has it.
    static func move(
        _ name: String,
        from source: Folder,
        to target: Folder,
        as free: String
    ) throws(SystemError) {
        do { return try SystemCalls.renameat2(source, name, target, free, .mustNotExist) } catch {
            guard ItemSwap.unexchangeable.contains(error.errno) else { throw error }
        }
        try lookAndMove(name, from: source, to: target, as: free)
    }

    /// As `move`, on a volume that knows no condition: two creators can both find the name free, and the later one wins.
    static func lookAndMove(
        _ name: String,
        from source: Folder,
        to target: Folder,
        as free: String
    ) throws(SystemError) {
        guard try SystemCalls.statusIfPresent(target, free) == nil else { throw taken(free, in: target) }
        try SystemCalls.renameat2(source, name, target, free)
    }

    private static func taken(_ name: String, in folder: Folder) -> SystemError {
        SystemError(call: "renameat2", errno: EEXIST, path: folder.place(of: name))
    }
}
