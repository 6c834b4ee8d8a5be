internal import Foundation

/// Handles a message on a presenter's queue. As `BlockOperation`, without its list of blocks.
///
/// Sendable as its class is: what it does never changes.
final class MessageOperation: Operation, @unchecked Sendable {
    private let handleMessage: @Sendable () -> Void

    init(_ handleMessage: @escaping @Sendable () -> Void) { self.handleMessage = handleMessage }

    override func main() { handleMessage() }
}
