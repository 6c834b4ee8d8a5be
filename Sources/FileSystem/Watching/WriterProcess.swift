/// Who changed an item, as far as the kernel tells.
package struct WriterProcess: Hashable, Sendable, CustomStringConvertible {
    /// The process's number; it may have exited since.
    package let processID: Int32
    /// The name of its program, where it still ran when it was asked for: 15 bytes at most, as the kernel
    /// keeps it. A script has its own name, not its interpreter's.
    package let name: String?
    /// The file that it ran, an interpreter for a script; nil where it had exited, or may not be asked.
    package let executable: FilePath?

    package init(processID: Int32, name: String?, executable: FilePath? = nil) {
        self.processID = processID
        self.name = name
        self.executable = executable
    }

    package var description: String {
        name.map { "\($0) (process \(processID))" } ?? "process \(processID)"
    }
}
