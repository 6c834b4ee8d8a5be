internal import Foundation

/// A file descriptor that is closed when nobody holds it any longer.
package final class Descriptor: Sendable {
    package let number: CInt

    /// Takes over an open descriptor.
    package init(owning number: CInt) {
        self.number = number
    }

    deinit {
        // close(2): nothing can be done about an error, and a retry would close somebody else's descriptor.
        _ = close(number)
    }
}
