internal import CLinux

/// The memory of a process that runs for long, beside whatever else somebody works on.
package enum ProcessMemory {
    private static let largePieceByteCount: Int32 = 512 << 10

    /// Has large pieces of memory, as blobs pass through, go back to the system as soon as they are free. The C library keeps
    /// more and more of them otherwise. Called once, at a process's start.
    package static func returnLargePieces() { cdoc_return_pieces_from(largePieceByteCount) }

    /// Gives back what is free among what is not. Who takes memory at that time waits for a part of it.
    package static func returnFreePages() { cdoc_return_free_pages() }

    /// Gives back what is in memory of the program's and its libraries' code and constants. Much of it a start needs alone; the
    /// rest is there again when it is touched, a few hundred microseconds' worth of it.
    package static func returnProgramPages() { cdoc_return_program_pages() }
}
