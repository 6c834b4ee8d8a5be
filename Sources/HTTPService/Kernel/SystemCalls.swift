internal import CLinux
internal import Foundation
package import Glibc

/// The kernel calls of this target and of WebHost, each named after its manual page; `EINTR` is retried where that is right.
package enum SystemCalls {
    /// Runs a call until it is not interrupted; throws what errno said when the result is -1.
    package static func check<Result: FixedWidthInteger>(
        _ name: String,
        _ body: () -> Result
    ) throws(SystemCallFailure) -> Result {
        while true {
            let result = body()
            if result != -1 { return result }
            let number = errno
            if number != EINTR { throw SystemCallFailure(name: name, errno: number) }
        }
    }

    /// open(2), never inherited by a child; a file that is made is the user's alone.
    package static func open(_ path: String, _ flags: CInt) throws(SystemCallFailure) -> Descriptor {
        Descriptor(owning: try check("open") { Foundation.open(path, flags | O_CLOEXEC, 0o600) })
    }

    /// fstat(2).
    package static func status(of descriptor: Descriptor) throws(SystemCallFailure) -> stat {
        var status = stat()
        _ = try check("fstat") { fstat(descriptor.number, &status) }
        return status
    }

    /// write(2), until everything is written.
    package static func writeAll(
        _ bytes: UnsafeRawBufferPointer,
        to descriptor: Descriptor
    ) throws(SystemCallFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let slice = UnsafeRawBufferPointer(rebasing: rest)
            let count = try check("write") { write(descriptor.number, slice.baseAddress, slice.count) }
            rest = rest.dropFirst(count)
        }
    }

    /// write(2), until everything is written.
    package static func writeAll(
        _ bytes: ArraySlice<UInt8>,
        to descriptor: Descriptor
    ) throws(SystemCallFailure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try check("write") {
                rest.withUnsafeBytes { write(descriptor.number, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
    }

    /// read(2), until the end or `byteCountMax`.
    package static func readAll(
        _ descriptor: Descriptor,
        byteCountMax: Int
    ) throws(SystemCallFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        var byteCount = 0
        while byteCount < byteCountMax {
            let got = try check("read") {
                bytes.withUnsafeMutableBytes { buffer in
                    read(
                        descriptor.number,
                        buffer.baseAddress.map { $0 + byteCount },
                        byteCountMax - byteCount
                    )
                }
            }
            if got == 0 { break }
            byteCount += got
        }
        return Array(bytes[..<byteCount])
    }

    /// getrandom(2): bytes nobody can guess.
    package static func randomBytes(count: Int) throws(SystemCallFailure) -> [UInt8] {
        // Up to 256 bytes come whole once the pool is ready (getrandom(2), "Interruption by a signal
        // handler").
        precondition(count <= 256, "asked for more random bytes than one call promises to give")
        var bytes = [UInt8](repeating: 0, count: count)
        _ = try check("getrandom") { cdoc_getrandom(&bytes, count) }
        return bytes
    }

    /// fcntl(2) F_DUPFD_CLOEXEC: a second descriptor for the same socket.
    package static func duplicate(_ number: CInt) throws(SystemCallFailure) -> Descriptor {
        Descriptor(owning: try check("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 0) })
    }

    /// fcntl(2) O_NONBLOCK.
    package static func makeNonblocking(_ descriptor: Descriptor) throws(SystemCallFailure) {
        let flags = try check("fcntl") { fcntl(descriptor.number, F_GETFL) }
        _ = try check("fcntl") { fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK) }
    }
}

/// A system call that failed, and with which errno.
package struct SystemCallFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call as its manual page names it.
    package var name: String
    /// The error number of errno(3).
    package var errno: CInt

    package init(name: String, errno: CInt) { (self.name, self.errno) = (name, errno) }

    package var description: String { "\(name): \(String(cString: strerror(errno)))" }
}
