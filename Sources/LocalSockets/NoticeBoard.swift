internal import CLinux
internal import Foundation
internal import Synchronization

/// Two numbers in a file that processes share: a notice that its owner posts, and how often others have asked for one.
///
/// To post takes no call to the kernel, and wakes nobody. Who wants to know asks and then looks; the owner posts and then
/// looks whether it has been asked. So at least one of the two knows what the other did, whatever becomes of either.
package final class NoticeBoard: @unchecked Sendable {
    // Sendable because what it holds is set once, but `answeredCount`, which belongs to who posts: one thread at a time.
    private let words: UnsafeMutablePointer<UInt64>
    private var answeredCount: UInt64 = 0

    /// Makes the file that says that its process lives also its board.
    ///
    /// - Throws: When there is no room for it.
    package init(in file: LockFile) throws(SocketError) {
        let number = file.descriptor.number
        // A page without room in the file system would end the process when it is written to.
        _ = try SocketCalls.check("fallocate", file.path) { cdoc_fallocate(number, Self.byteCount) }
        let place = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
        guard let place, place != MAP_FAILED else {
            throw SocketError(call: "mmap", errno: errno, path: file.path)
        }
        words = place.bindMemory(to: UInt64.self, capacity: Self.wordCount)
    }

    deinit {
        // An error would mean that it is not mapped.
        _ = munmap(words, Self.byteCount)
    }

    /// Posts a notice in the place of the last one.
    ///
    /// - Returns: Whether nobody has asked since the last one was posted; who has may have looked too early.
    package func post(_ notice: UInt64) -> Bool {
        let askedCount = cdoc_store_then_load(words + Self.noticeIndex, notice, words + Self.askedIndex)
        defer { answeredCount = askedCount }
        return askedCount == answeredCount
    }

    /// Asks for notices, and looks at the last one.
    ///
    /// - Returns: Nil where there is no board.
    package static func ask(at path: String) -> UInt64? {
        do {
            let file = try SocketCalls.open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
            guard let count = try word(askedIndex, of: file, path) else { return nil }
            var next = count &+ 1
            let written = try SocketCalls.check("pwrite", path) {
                pwrite(file.number, &next, wordSize, askedIndex * wordSize)
            }
            guard written == wordSize else { return nil }
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            return try word(noticeIndex, of: file, path)
        } catch {
            // Its owner has none, or is gone.
            return nil
        }
    }

    private static func word(
        _ index: Int,
        of file: SocketDescriptor,
        _ path: String
    ) throws(SocketError) -> UInt64? {
        var word: UInt64 = 0
        let count = try SocketCalls.check("pread", path) {
            pread(file.number, &word, wordSize, index * wordSize)
        }
        return count == wordSize ? word : nil
    }

    private static let askedIndex = 0
    private static let noticeIndex = 1
    private static let wordCount = 2
    private static let wordSize = MemoryLayout<UInt64>.size
    private static let byteCount = wordCount * wordSize
}
