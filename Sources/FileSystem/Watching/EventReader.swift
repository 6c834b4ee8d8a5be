internal import Dispatch

/// Reads one of the system's queues of events: what comes first at once, what comes right behind it together.
final class EventReader: @unchecked Sendable {
    // Sendable because nothing stored changes, and a dispatch source may be suspended, resumed and cancelled on
    // any thread.
    private let open: OpenDescriptor
    private let source: any DispatchSourceRead
    private let queue: DispatchQueue

    /// How long to rest between two reads: a save is half a dozen events within half a millisecond, and to be woken
    /// for each costs the save more than its own work.
    private static let rest = DispatchTimeInterval.milliseconds(1)

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - descriptor: The queue's, which does not block.
    ///   - queue: Where `read` is called; a serial one.
    ///   - read: Reads what there is. Not called after `cancel()` returned on the same queue.
    init(
        _ descriptor: consuming FileDescriptor,
        on queue: DispatchQueue,
        read: @escaping @Sendable (borrowing FileDescriptor) -> Void
    ) {
        open = OpenDescriptor(descriptor)
        self.queue = queue
        source = DispatchSource.makeReadSource(fileDescriptor: open.descriptor.raw, queue: queue)
        source.setEventHandler { [weak self] in self?.take(read) }
        source.setCancelHandler { [open] in withExtendedLifetime(open) {} }
        source.resume()
    }

    deinit { source.cancel() }

    /// The queue's descriptor, for calls about it.
    func withDescriptor<Value, Failure: Error>(
        _ body: (borrowing FileDescriptor) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(open.descriptor)
    }

    /// Ends all.
    func cancel() { source.cancel() }

    private func take(_ read: @Sendable (borrowing FileDescriptor) -> Void) {
        guard !source.isCancelled else { return }
        read(open.descriptor)
        source.suspend()
        // Holds this object: a source that is suspended cannot be let go of.
        queue.asyncAfter(deadline: .now() + Self.rest) { [self] in source.resume() }
    }

    /// Keeps the descriptor open until the source has let go of it.
    private final class OpenDescriptor: Sendable {
        let descriptor: FileDescriptor

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }
}
