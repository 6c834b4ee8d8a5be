internal import Dispatch

/// Reads one of the system's queues of events: what comes first at once, what comes right behind it together.
final class EventReader: @unchecked Sendable {
    // Sendable because what changes is only touched on the queue, and a dispatch source may be suspended, resumed and
    // cancelled on any thread.
    private let open: OpenDescriptor
    private let source: any DispatchSourceRead
    private let queue: DispatchQueue

    /// How many milliseconds to rest between two reads: a save is half a dozen events within half a millisecond, and to be
    /// woken for each costs the save more than its own work.
    private static let shortestRest = 1
    /// As long as there is more after each rest the next is longer, up to this: ten thousand files that arrive are thousands
    /// of times to be woken else.
    private static let longestRest = 8

    private var rest = shortestRest
    /// Until when what is read was there when a rest ended, or came at once; in nanoseconds of uptime.
    private var busyUntil: UInt64 = 0

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
        let isBusy = DispatchTime.now().uptimeNanoseconds < busyUntil
        rest = isBusy ? min(rest * 2, Self.longestRest) : Self.shortestRest
        read(open.descriptor)
        source.suspend()
        // Holds this object: a source that is suspended cannot be let go of.
        queue.asyncAfter(deadline: .now() + .milliseconds(rest)) { [self] in
            busyUntil = DispatchTime.now().uptimeNanoseconds + UInt64(Self.shortestRest) * 1_000_000
            source.resume()
        }
    }

    /// Keeps the descriptor open until the source has let go of it.
    private final class OpenDescriptor: Sendable {
        let descriptor: FileDescriptor

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }
}
