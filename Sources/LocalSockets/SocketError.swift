internal import Foundation

/// A call about a socket, or about the folder it is in, that was refused.
package struct SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call, by its name in the manual.
    package let call: String
    /// The kernel's reason; 0 when the reason is ours.
    package let errno: CInt
    /// What it was about.
    package let path: String
    /// What is wrong and what to do, when the kernel did not say.
    package let detail: String?

    package init(call: String, errno: CInt, path: String, detail: String? = nil) {
        self.call = call
        self.errno = errno
        self.path = path
        self.detail = detail
    }

    package var description: String {
        if let detail { return "\(path): \(detail)" }
        return "\(call)(2) on \(path): \(String(cString: strerror(errno)))."
    }

    /// Whether there is nobody at the other end.
    package var isNobodyThere: Bool { errno == ENOENT || errno == ECONNREFUSED }

    /// Whether the process or the machine has no room for one more now.
    package var isWantOfRoom: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) }
}
