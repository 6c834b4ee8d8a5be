import Coordination

/// Where an item is, as the oracle sees it: names from the root down, "….pkg" being packages.
struct Place: Hashable {
    /// The names, a byte each, the first one highest; odd ones are packages'.
    private let bits: UInt128
    let count: Int
    /// How many names what is locked with it has: the outermost package that it is or is inside of, or itself.
    let scopeCount: Int

    init(names: [UInt8]) {
        self.init(bits: names.reversed().reduce(0) { $0 >> 8 | UInt128($1) << 120 }, count: names.count)
    }

    private init(bits: UInt128, count: Int) {
        precondition(count <= 16, "a place this deep has no code")
        self.bits = bits
        self.count = count
        scopeCount = (0..<count).first { Self.name($0, in: bits) % 2 == 1 }.map { $0 + 1 } ?? count
    }

    private static func name(_ index: Int, in bits: UInt128) -> UInt8 {
        UInt8(truncatingIfNeeded: bits >> (120 - 8 * index))
    }

    var names: [UInt8] { (0..<count).map { Self.name($0, in: bits) } }

    var isPackage: Bool { count > 0 && Self.name(count - 1, in: bits) % 2 == 1 }

    /// Whether both have the same first names.
    func agrees(with other: Place, on count: Int) -> Bool {
        count == 0 || (bits ^ other.bits) >> (128 - 8 * count) == 0
    }

    func isInside(_ other: Place) -> Bool {
        count > other.count && agrees(with: other, on: other.count)
    }

    func moved(from source: Place, to target: Place) -> Place? {
        guard count >= source.count, agrees(with: source, on: source.count) else { return nil }
        let rest = source.count == 16 ? 0 : bits << (8 * source.count)
        return Place(
            bits: target.bits | rest >> (8 * target.count),
            count: target.count + count - source.count
        )
    }

    /// The folders that hold it, the nearest first.
    var folders: [Place] {
        let names = names
        return names.indices.reversed().map { Place(names: Array(names[..<$0])) }
    }
}

/// Gives each place its path, and each path its place, without working either out twice.
struct Atlas {
    private var paths: [Place: ItemPath] = [:]
    private var places: [ItemPath: Place] = [:]

    /// Where everything begins: folders, files, packages, members, a package in a package, the root.
    static let start: [Place] = [
        [2], [2, 4], [2, 6], [2, 3], [2, 3, 4], [2, 3, 6], [2, 3, 5], [2, 3, 5, 4], [8], [],
    ].map { Place(names: $0) }

    mutating func path(_ place: Place) -> ItemPath {
        if let known = paths[place] { return known }
        let text = place.names.map { $0 % 2 == 1 ? "\($0).pkg" : "\($0)" }.joined(separator: "/")
        guard let path = ItemPath("/" + text) else { preconditionFailure("\(text) is not a path") }
        paths[place] = path
        places[path] = place
        return path
    }

    func place(_ path: ItemPath) -> Place? { places[path] }

    mutating func packages(around place: Place) -> [ItemPath] {
        guard place.scopeCount < place.count else { return [] }
        return place.folders.filter(\.isPackage).map { path($0) }
    }
}
