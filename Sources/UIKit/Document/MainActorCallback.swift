internal import DocumentFoundation

/// A callback that lives on the main actor and is carried through other queues on its way back.
struct MainActorCallback<Argument: Sendable>: @unchecked Sendable {
    // Sendable because the closure is made on the main actor and is only called there.
    private let body: (Argument) -> Void
    private let context: DeviceContext?

    /// - Parameter context: The device on which it is called.
    @MainActor
    init(on context: DeviceContext?, _ body: @escaping (Argument) -> Void) {
        (self.context, self.body) = (context, body)
    }

    /// Must be called on the main queue.
    func callAsFunction(_ argument: Argument) {
        MainActor.assumeIsolated { context.run { body(argument) } }
    }
}
