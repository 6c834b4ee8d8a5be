/// Goes from contents to all objects below them, each once, those first that lead to most.
struct ContentWalk {
    struct Step {
        let object: VaultObject
        /// How many levels are below; nil for a piece of a file, below which is nothing.
        let nodeLevel: UInt8?
    }

    /// Where an object stands on the way: two walks that go by ranks come by what they share at the same time.
    struct Rank: Hashable, Comparable {
        private let number: Int

        /// That of pieces, which are last.
        static let min = Rank(number: 0)

        private init(number: Int) { self.number = number }

        /// Folders before files, as they lead to these; what is farther up first.
        init(_ step: Step) {
            guard let level = step.nodeLevel else {
                self = .min
                return
            }
            number = 1 + Int(level) + (step.object.kind == .folder ? Int(UInt8.max) + 1 : 0)
        }

        static func < (one: Self, other: Self) -> Bool { one.number < other.number }
    }

    private var pending: [Rank: [Step]] = [:]
    private var met: Set<VaultObject> = []

    mutating func add(_ entry: ManifestEntry) {
        guard let content = entry.content else { return }
        switch entry.kind {
        case .folder: add(content.name, .folder, level: content.level)
        case .file where content.level == 0: add(content.name, .chunk, level: nil)
        case .file: add(content.name, .list, level: content.level)
        case .link: break
        }
    }

    private mutating func add(_ name: ObjectName, _ kind: ObjectKind, level: UInt8?) {
        let object = VaultObject(name, kind)
        guard met.insert(object).inserted else { return }
        let step = Step(object: object, nodeLevel: level)
        pending[Rank(step), default: []].append(step)
    }

    /// Whether the walk has come by an object, or is about to.
    func hasMet(_ object: VaultObject) -> Bool { met.contains(object) }

    /// The highest rank that waits; nil at the end.
    var rank: Rank? { pending.keys.max() }

    /// All objects of this rank or a higher one that wait now.
    mutating func take(from lowest: Rank) -> [Step] {
        let ranks = pending.keys.filter { $0 >= lowest }.sorted(by: >)
        return ranks.flatMap { pending.removeValue(forKey: $0) ?? [] }
    }

    /// Adds what an object leads to.
    mutating func open(_ plain: [UInt8], _ object: VaultObject, level: UInt8) throws {
        try plain.withUnsafeBytes { try open($0, object, level: level) }
    }

    mutating func open(_ plain: UnsafeRawBufferPointer, _ object: VaultObject, level: UInt8) throws {
        if object.kind == .folder {
            switch try TreeNode.folder(plain, level: level) {
            case .entries(let entries): for entry in entries { add(entry) }
            case .names(let names): for name in names { add(name, .folder, level: level - 1) }
            case .pieces: break
            }
        } else {
            for piece in try TreeNode.list(plain, level: level) {
                add(piece.name, level == 1 ? .chunk : .list, level: level == 1 ? nil : level - 1)
            }
        }
    }
}
