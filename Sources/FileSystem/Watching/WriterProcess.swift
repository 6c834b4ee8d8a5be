/// Who changed an item, as far as the kernel tells.
package struct WriterProcess: Hashable, Sendable, CustomStringConvertible {
    /// The process's number; it may have exited since.
    package let processID: Int32
    /// The name of its program, where it still ran when it was asked for.
    package let name: String?

    package init(processID: Int32, name: String?) {
        self.processID = processID
        self.name = name
    }

    package var description: String {
        name.map { "\($0) (process \(processID))" } ?? "process \(processID)"
    }
}
