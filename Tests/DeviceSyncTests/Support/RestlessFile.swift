import DocumentTesting
import Foundation
import Glibc
import Locks
import Testing

/// A file that somebody has open, and goes on writing until it is closed: its last byte, the same again. However long others take,
/// it is not quiet in between.
final class RestlessFile: Sendable {
    private let file: Locked<FileHandle>
    private let ends = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Opens it to write at its end.
    ///
    /// - Parameters:
    ///   - name: Of a file that is there, or is made.
    ///   - isEmptied: Whether what it held goes at once.
    ///   - seconds: How often it is written.
    init(
        _ name: String,
        on device: TestDevice,
        isEmptied: Bool = false,
        everySeconds seconds: Double = 0.1
    ) throws {
        let path = device.folder.appendingPathComponent(name).path
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | (isEmptied ? O_TRUNC : 0), 0o644)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.seekToEnd()
        file = Locked(handle)
        let thread = Thread { [self] in
            while ends.wait(timeout: .now() + seconds) == .timedOut {
                do { try file.withLock { try Self.writeAgain($0) } } catch { Issue.record("\(error)") }
            }
            hasEnded.signal()
        }
        thread.start()
    }

    private static func writeAgain(_ file: FileHandle) throws {
        let end = try file.offset()
        // Of what holds nothing, that it does.
        guard end > 0 else { return try file.truncate(atOffset: 0) }
        try file.seek(toOffset: end - 1)
        let last = try file.read(upToCount: 1) ?? Data()
        try file.seek(toOffset: end - 1)
        try file.write(contentsOf: last)
    }

    func write(_ text: String) throws { try file.withLock { try $0.write(contentsOf: Data(text.utf8)) } }

    func close() throws {
        ends.signal()
        hasEnded.wait()
        try file.withLock { try $0.close() }
    }
}
