/// Where folders went, for what was noted in them. Pure.
///
/// Only hints: an item is compared before anybody believes that it is the one. Bounded; the oldest is forgotten.
package struct FolderMoves: Codable, Hashable, Sendable {
    /// A folder that bore the first path and then the second.
    package struct Move: Codable, Hashable, Sendable {
        package var from: String
        package var to: String

        package init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }

    /// How many are kept.
    package static let movesMax = 128
    /// How many places are given for one item.
    package static let placesMax = 16

    private var version = 1
    /// Oldest first.
    package private(set) var moves: [Move] = []

    package init() {}

    /// Whether this is in the form that we know.
    var isKnown: Bool { version == 1 }

    /// Notes that a folder has moved.
    package mutating func add(from source: FilePath, to target: FilePath) {
        guard source != target else { return }
        let move = Move(from: source.string, to: target.string)
        moves.removeAll { $0 == move }
        moves.append(move)
        if moves.count > Self.movesMax { moves.removeFirst(moves.count - Self.movesMax) }
    }

    /// Where an item that was at a path can have been taken by these moves, the latest first.
    package func places(of path: FilePath) -> [FilePath] {
        var places = [path.string]
        for move in moves {
            for place in places where place.hasPrefix(move.from + "/") {
                let moved = move.to + place.dropFirst(move.from.count)
                places.removeAll { $0 == moved }
                places.append(moved)
            }
            if places.count > Self.placesMax { places.removeFirst(places.count - Self.placesMax) }
        }
        return places.filter { $0 != path.string }.reversed().map { FilePath($0) }
    }
}
