internal import CLinux
internal import Foundation
internal import Glibc

extension SystemCalls {
    /// pread(2) until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes read.
    static func pread(
        _ file: borrowing FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(SystemError) -> Int {
        let (raw, path) = (file.raw, file.path)
        var filledByteCount = 0
        while filledByteCount < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filledByteCount...])
            let start = offset + filledByteCount
            let byteCount = try perform("pread", at: path, effect: .read(start..<start + rest.count)) {
                Glibc.pread(raw, rest.baseAddress, rest.count, off_t(start))
            }
            if byteCount == 0 { break }
            filledByteCount += byteCount
        }
        return filledByteCount
    }

    /// pwrite(2) until all is written.
    static func pwrite(
        _ bytes: UnsafeRawBufferPointer,
        to file: borrowing FileDescriptor,
        at offset: Int
    ) throws(SystemError) {
        let (raw, path) = (file.raw, file.path)
        var writtenByteCount = 0
        while writtenByteCount < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[writtenByteCount...])
            writtenByteCount += try perform("pwrite", at: path, effect: .change(file: raw)) {
                Glibc.pwrite(raw, rest.baseAddress, rest.count, off_t(offset + writtenByteCount))
            }
        }
    }

    /// open(2) of a file that is open, once more, for writing past the kernel's cache.
    static func reopenUncached(_ file: borrowing FileDescriptor) throws(SystemError) -> FileDescriptor {
        let raw = file.raw
        let opened = try perform("open", at: file.path) { cdoc_reopen_uncached(raw) }
        return FileDescriptor(owning: opened, path: file.path)
    }

    /// linkat(2) of an open file.
    static func linkat(
        _ file: borrowing FileDescriptor,
        _ folder: Folder,
        _ name: String
    ) throws(SystemError) {
        let raw = file.raw
        _ = try perform(
            "linkat",
            at: folder.place(of: name),
            effect: .link(
                sourceFolder: AT_FDCWD,
                source: "/proc/self/fd/\(raw)",
                targetFolder: folder.raw,
                target: name
            )
        ) { cdoc_link_open(raw, folder.raw, name) }
    }

    /// fallocate(2) of all of a file, whose length becomes this.
    static func fallocate(_ file: borrowing FileDescriptor, byteCount: Int) throws(SystemError) {
        let raw = file.raw
        _ = try perform("fallocate", at: file.path, effect: .change(file: raw)) {
            cdoc_fallocate(raw, byteCount)
        }
    }

    /// fallocate(2) with FALLOC_FL_PUNCH_HOLE: the room of some bytes goes back to the volume.
    static func punchHole(_ file: borrowing FileDescriptor, _ bytes: Range<Int>) throws(SystemError) {
        guard !bytes.isEmpty else { return }
        let raw = file.raw
        _ = try perform("fallocate", at: file.path, effect: .change(file: raw)) {
            cdoc_punch_hole(raw, bytes.lowerBound, bytes.count)
        }
    }

    /// ftruncate(2).
    static func ftruncate(_ file: borrowing FileDescriptor, byteCount: Int) throws(SystemError) {
        let raw = file.raw
        _ = try perform("ftruncate", at: file.path, effect: .change(file: raw)) {
            Glibc.ftruncate(raw, off_t(byteCount))
        }
    }
}
