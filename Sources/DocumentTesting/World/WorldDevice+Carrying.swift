internal import DocumentFoundation

extension WorldDevice {
    /// A block that is on the device on which this is called, on whichever queue or thread it is run.
    ///
    /// A `Task` that is begun in `run` is on its device; a block on a queue is on none, where iCloud is off. So an app that asks for
    /// its container on a queue, as it should, finds none but with this:
    ///
    ///     await phone.run {
    ///         queue.async(execute: WorldDevice.carrying { … url(forUbiquityContainerIdentifier: nil) … })
    ///     }
    ///
    /// Where the app has its queue from its test, it need not know of that:
    ///
    ///     app.background = { queue.async(execute: WorldDevice.carrying($0)) }
    ///
    /// - Parameter block: What is to be done.
    /// - Returns: The same, there; on no device, the same.
    public static func carrying(_ block: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let context = DeviceContext.current()
        return { context.run(block) }
    }
}
