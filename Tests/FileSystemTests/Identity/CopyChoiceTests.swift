import TestThreads
import Testing

@testable import FileSystem

@Suite("CopyChoice", .onOwnThreads)
struct CopyChoiceTests {
    private func inode(_ number: UInt64) -> CopyChoice.Inode {
        .init(
            FileStamp(
                kind: .regular,
                device: 1,
                inode: number,
                byteCount: 1,
                permissions: 0,
                modificationSeconds: 0,
                modificationNanoseconds: 0
            )
        )
    }

    private let a = FilePath("/x/a")
    private let b = FilePath("/x/b")
    private let c = FilePath("/x/c")

    @Test("Of twins each gets the copy of its name, whichever is found first")
    func twins() {
        var choice = CopyChoice(amongItemsNamed: ["a", "b"])
        choice.take(b, inode(2), datedAs: [0, 1])
        #expect(!choice.isSettled)
        choice.take(a, inode(1), datedAs: [0])
        #expect(choice.isSettled)
        #expect(choice.places == [a, b])
    }

    @Test("What is taken by its date, or found already, is not looked at again")
    func seen() {
        var choice = CopyChoice(amongItemsNamed: ["a", "b"])
        choice.take(c, inode(3), datedAs: [1])
        #expect(!choice.mayTake(inode(3), 0))
        #expect(!choice.mayTake(inode(4), 1))
        #expect(choice.mayTake(inode(4), 0))
        choice.take(b, inode(4), undatedOf: 0)
        #expect(!choice.mayTake(inode(4), 0))
        #expect(choice.places == [b, c])
    }

    @Test("A copy that was thought of before another item turned out to have its date is that one's")
    func datedLater() {
        var choice = CopyChoice(amongItemsNamed: ["a", "b"])
        choice.take(c, inode(3), undatedOf: 0)
        choice.take(c, inode(3), datedAs: [1])
        #expect(choice.places == [nil, c])
    }

    @Test("Two of the name are as doubtful as two of other names; one of the name is none of several others")
    func doubt() {
        var choice = CopyChoice(amongItemsNamed: ["a"])
        choice.take(b, inode(2), undatedOf: 0)
        #expect(choice.places == [b])
        choice.take(c, inode(3), undatedOf: 0)
        #expect(choice.places == [nil])
        choice.take(a, inode(1), undatedOf: 0)
        #expect(choice.places == [a])
        choice.take(FilePath("/y/a"), inode(4), undatedOf: 0)
        #expect(choice.places == [nil])
    }

    @Test("A copy that two items claim is the one's whose name it has, else nobody's")
    func claimed() {
        var choice = CopyChoice(amongItemsNamed: ["a", "b"])
        for item in [0, 1] { choice.take(b, inode(2), undatedOf: item) }
        #expect(choice.places == [nil, b])
        choice = CopyChoice(amongItemsNamed: ["a", "b"])
        for item in [0, 1] { choice.take(c, inode(3), undatedOf: item) }
        #expect(choice.places == [nil, nil])
    }
}
