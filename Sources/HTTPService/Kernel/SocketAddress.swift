internal import Foundation

/// Where a socket is, as the kernel's calls have it: an address of IPv4 or of IPv6.
struct SocketAddress: Sendable {
    private var storage = sockaddr_in6()
    private var byteCount = socklen_t(MemoryLayout<sockaddr_in6>.size)

    /// Room for one that a call fills in.
    init() {}

    /// For a call that fills it in.
    mutating func withPointer<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
        byteCount = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return withUnsafeMutablePointer(to: &storage) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                withUnsafeMutablePointer(to: &byteCount) { body(generic, $0) }
            }
        }
    }

    /// For a call that reads it.
    func withConstantPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, byteCount) }
        }
    }
}
