/// Moves members between a folder of the old tree and the same one of the new tree, so that none is lost to others who do so
/// in the same moment.
struct LateMove: Sendable {
    let source: Folder
    let target: Folder

    /// Lets a member come under its name, or another, where that is taken.
    ///
    /// - Parameter wanted: Under which name; nil for its own.
    func keep(_ name: String, as wanted: String? = nil) throws(SystemError) {
        try FreeName.moveNumbered(name, from: source, to: target, as: wanted ?? name)
    }

    /// Lets a member take the place of what was linked.
    func replace(_ name: String, bearing linked: UInt64) throws(SystemError) {
        do {
            try SystemCalls.renameat2(source, name, target, name, .exchange)
        } catch {
            if error.isAbsent { return try keep(name) }
            guard ItemSwap.unexchangeable.contains(error.errno) else { throw error }
            // For a moment nothing bears the name.
            let retired = try FreeName.moveNumbered(name, from: target, to: source, as: name)
            try keep(name)
            guard let retired else { return }
            return try keepUnless(linked, retired, as: name)
        }
        try keepUnless(linked, name, as: name)
    }

    /// Takes what was linked out of the new folder.
    ///
    /// - Returns: Whether it was that.
    func retire(_ name: String, bearing linked: UInt64) throws(SystemError) -> Bool {
        guard let retired = try FreeName.moveNumbered(name, from: target, to: source, as: name) else {
            return false
        }
        if try SystemCalls.statusIfPresent(source, retired)?.stamp.inode == linked { return true }
        try keep(retired, as: name)
        return false
    }

    /// What came out is another's if it is not what was linked: others have been there in the same moment.
    private func keepUnless(_ linked: UInt64, _ name: String, as wanted: String) throws(SystemError) {
        guard try SystemCalls.statusIfPresent(source, name)?.stamp.inode != linked else { return }
        try keep(name, as: wanted)
    }
}
