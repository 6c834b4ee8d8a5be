internal import CLinux
internal import Foundation
internal import Locks
internal import Threads

/// The memory of a process that runs for long, beside whatever else somebody works on.
package enum ProcessMemory {
    private static let largePieceByteCount: Int32 = 512 << 10
    /// More than a request or an answer has with blobs in it.
    private static let passingByteCountMax: Int32 = 4 << 20
    /// As many as threads that work at a time where there is much to do.
    private static let heapCount: Int32 = 2

    /// Has large pieces of memory go back to the system as soon as they are free. The C library keeps more and more of them
    /// otherwise. Called at a process's start, by one that keeps much for long, and when what it kept after that is over.
    package static func returnLargePieces() {
        isKeeping.withLock { isKeeping in
            isKeeping = false
            cdoc_return_pieces_from(largePieceByteCount, 2 * largePieceByteCount)
        }
    }

    /// Has large pieces be used again, until `returnLargePieces`: while large contents pass, to take them from the system and give
    /// them back for each part takes a tenth of the time. How much is kept so is bounded for each heap.
    package static func keepLargePieces() {
        isKeeping.withLock { isKeeping in
            guard !isKeeping else { return }
            isKeeping = true
            cdoc_return_pieces_from(passingByteCountMax, passingByteCountMax)
        }
    }

    private static let isKeeping = Locked(false)

    /// Has all threads share few heaps. The C library makes one for each that takes memory while others do, and what passes is kept
    /// in every one of them. Called once, at a process's start.
    package static func shareHeaps() { cdoc_bound_heaps(heapCount) }

    /// Does something on a thread of its own, which takes its memory from another heap than the calling one where two are shared:
    /// what it keeps does not lie among what the calling thread is about to let go, and no page of that is kept for the sake of a
    /// few bytes. Where the C library gives no thread another heap, it is done all the same; where there is no thread for it, before
    /// this returns.
    ///
    /// - Parameter name: The thread's.
    package static func onOtherHeap(_ name: String, _ body: @escaping @Sendable () -> Void) {
        // Threads get the heaps in turn.
        startThread(name, onFirstHeap: !isOnFirstHeap, attemptCountMax: 2 * heapCount, body)
    }

    private static func startThread(
        _ name: String,
        onFirstHeap isFirst: Bool,
        attemptCountMax: Int32,
        _ body: @escaping @Sendable () -> Void
    ) {
        do {
            try OwnThread.start(name) {
                guard attemptCountMax > 1, isOnFirstHeap != isFirst else { return body() }
                startThread(name, onFirstHeap: isFirst, attemptCountMax: attemptCountMax - 1, body)
            }
        } catch {
            // Somebody waits for what comes of it, wherever its bytes lie.
            body()
        }
    }

    /// Whether the calling thread takes its memory from the heap that the process began with.
    static var isOnFirstHeap: Bool { cdoc_is_on_first_heap() != 0 }

    /// Has memory that blobs have passed through be used again for the next: to take as much from the system each time, page by
    /// page, costs a hub a tenth of its time. How much is kept so is bounded, by few heaps for all threads and by what each keeps.
    /// Called once, at a process's start, by one that keeps little for long.
    package static func keepPassingPieces() {
        shareHeaps()
        cdoc_return_pieces_from(passingByteCountMax, passingByteCountMax)
    }

    /// Has so much memory at hand for what this thread is about to keep. What the C library has for a thread grows by a page at a
    /// time otherwise, and each time all threads are held up that need new memory. Not for the main thread.
    package static func makeRoom(byteCount: Int) { cdoc_make_room(min(byteCount, roomByteCountMax)) }

    /// The C library has such room in pieces of 64 MiB.
    private static let roomByteCountMax = 32 << 20

    /// Gives back what is free among what is not. Who takes memory at that time waits for a part of it.
    package static func returnFreePages() { cdoc_return_free_pages() }

    /// Gives back what is in memory of the program's and its libraries' code and constants. Much of it a start needs alone; the
    /// rest is there again when it is touched, a few hundred microseconds' worth of it.
    package static func returnProgramPages() { cdoc_return_program_pages() }
}
