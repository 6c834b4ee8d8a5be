internal import FileSystem

extension Vault {
    /// Goes through all objects of contents, whether they are here or not, each once.
    ///
    /// - Parameters:
    ///   - contents: Which.
    ///   - fetch: Gets objects that lead to others and are not here; as for `receive`. Nothing of them is stored.
    ///   - body: Shown each object.
    /// - Throws: `VaultError` with code `damaged` when an object is not what its name says, or cannot be had; what `fetch` and
    ///   `body` throw.
    package func walk(
        _ contents: [DocumentContents],
        fetch: Fetch,
        _ body: (VaultObject) throws -> Void
    ) throws {
        let reader = try ObjectReader(store: store)
        let unpacker = try Unpacker(try KeepSession(store: store).hasher, in: store.folder.path)
        var walk = ContentWalk()
        for contents in contents { walk.add(contents.entry) }
        while true {
            let steps = walk.take(from: .min)
            guard !steps.isEmpty else { return }
            var absent: [VaultObject: UInt8] = [:]
            for step in steps {
                try body(step.object)
                guard let level = step.nodeLevel else { continue }
                let plain: [UInt8]
                do { plain = try reader.object(step.object.name, step.object.kind) } catch let error
                    as VaultError where error.code == .damaged
                {
                    absent[step.object] = level
                    continue
                }
                try walk.open(plain, step.object, level: level)
            }
            while !absent.isEmpty {
                let count = absent.count
                try fetch(Array(absent.keys)[...], { _, _ in nil }) { object, stored in
                    guard let level = absent.removeValue(forKey: object) else { return }
                    try unpacker.withPlain(stored, object) { try walk.open($0, object, level: level) }
                }
                guard absent.count < count else {
                    throw VaultError.damaged(absent.keys.first?.name ?? ObjectName(), in: store.folder.path)
                }
            }
        }
    }
}
