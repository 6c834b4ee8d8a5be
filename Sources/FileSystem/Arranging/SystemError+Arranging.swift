internal import Glibc

extension SystemError {
    /// Whether something bears the name already, and another name may do.
    package var isTaken: Bool { errno == EEXIST }

    /// Whether the two places are on different volumes, and copying may do.
    package var isAcrossVolumes: Bool { errno == EXDEV }
}
