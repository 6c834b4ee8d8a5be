import DocumentFoundation
import DocumentTesting
import Foundation
import Locks
import Testing

/// Somebody who uses an item of a device until told to end.
final class ItemUser: Sendable {
    private let ends = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)
    private let seen = Locked<String?>(nil)

    /// What he found at the end.
    var found: String? { seen.withLock { $0 } }

    /// - Parameter last: What he does last.
    init(of name: String, on device: TestDevice, writing last: (@Sendable (URL) throws -> Void)? = nil) {
        let begins = DispatchSemaphore(value: 0)
        let url = device.folder.appendingPathComponent(name)
        let body: @Sendable (URL) -> Void = { [self] url in
            begins.signal()
            ends.wait()
            do { try last?(url) } catch { Issue.record("\(error)") }
            seen.withLock { $0 = try? String(contentsOf: url, encoding: .utf8) }
        }
        let thread = Thread { [self] in
            var error: NSError?
            let coordinator = NSFileCoordinator()
            if last == nil {
                coordinator.coordinate(readingItemAt: url, error: &error, byAccessor: body)
            } else {
                coordinator.coordinate(writingItemAt: url, error: &error, byAccessor: body)
            }
            if let error { Issue.record(error) }
            hasEnded.signal()
        }
        thread.start()
        begins.wait()
    }

    func end() {
        ends.signal()
        hasEnded.wait()
    }
}
