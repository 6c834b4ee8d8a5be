internal import Glibc

extension SystemError {
    /// Whether something bears the name already, and another name may do.
    package var isTaken: Bool { errno == EEXIST }

    /// Whether what is behind an item does not answer: a server that is away, a program that has served it and ended, a disk
    /// that fails.
    package var isOutOfReach: Bool {
        [EIO, ENOTCONN, ESTALE, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(errno)
    }

    /// Whether the two places are on different volumes, and copying may do.
    package var isAcrossVolumes: Bool { errno == EXDEV }
}
