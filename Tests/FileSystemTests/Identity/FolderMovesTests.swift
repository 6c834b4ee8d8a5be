import FileSystem
import TestThreads
import Testing

@Suite("FolderMoves", .onOwnThreads)
struct FolderMovesTests {
    private func moves(_ pairs: (String, String)...) -> FolderMoves {
        var moves = FolderMoves()
        for (source, target) in pairs { moves.add(from: FilePath(source), to: FilePath(target)) }
        return moves
    }

    private func places(_ path: String, after moves: FolderMoves) -> [String] {
        moves.places(of: FilePath(path)).map(\.string)
    }

    @Test("An item goes with its folder, and with the folder above that; the latest place comes first")
    func chain() {
        let moves = moves(("/a/b", "/a/c"), ("/a", "/d"))
        #expect(places("/a/b/x", after: moves) == ["/d/c/x", "/d/b/x", "/a/c/x"])
        #expect(places("/a/bb/x", after: moves) == ["/d/bb/x"])
        #expect(places("/e/x", after: moves).isEmpty)
    }

    @Test("There and back again is no other place; a name used twice leads to both")
    func twice() {
        #expect(places("/a/x", after: moves(("/a", "/b"), ("/b", "/a"))) == ["/b/x"])
        #expect(places("/a/x", after: moves(("/a", "/b"), ("/a", "/c"))) == ["/c/x", "/b/x"])
        #expect(places("/a/x", after: moves(("/a", "/a"))).isEmpty)
    }

    @Test("Neither the moves nor the places grow without bound")
    func bounded() {
        var moves = FolderMoves()
        for number in 0..<(FolderMoves.movesMax * 2) {
            moves.add(from: FilePath("/a"), to: FilePath("/\(number)"))
        }
        #expect(moves.moves.count == FolderMoves.movesMax)
        #expect(moves.moves.last?.to == "/\(FolderMoves.movesMax * 2 - 1)")
        #expect(places("/a/x", after: moves).count <= FolderMoves.placesMax)
    }
}
