internal import Foundation

/// A file descriptor that is closed when nobody holds it any longer.
final class Descriptor: Sendable {
    let number: CInt

    /// Takes over an open descriptor.
    init(owning number: CInt) {
        self.number = number
    }

    deinit {
        // close(2): nothing can be done about an error, and a retry would close somebody else's descriptor.
        _ = close(number)
    }
}
