import Foundation
import Locks
import Testing

@testable import DocumentFoundation

/// What a watcher has reported, and warned of.
final class WatcherStory: Sendable {
    private let reports = Locked<[OutsideReport]>([])
    private let warnings = Locked<[String]>([])
    private let isTold = DispatchSemaphore(value: 0)

    var all: Set<OutsideReport> { Set(inOrder) }
    var inOrder: [OutsideReport] { reports.withLock { $0 } }
    var allWarnings: [String] { warnings.withLock { $0 } }

    func add(_ new: [OutsideReport]) {
        reports.withLock { $0 += new }
        isTold.signal()
    }

    func warn(_ text: String) { warnings.withLock { $0.append(text) } }

    func clear() { reports.withLock { $0 = [] } }

    /// Returns when all of some reports are there.
    func wait(for wanted: OutsideReport...) {
        while !all.isSuperset(of: wanted) {
            guard isTold.wait(timeout: .now() + 30) == .success else {
                Issue.record("\(all) is not yet \(wanted)")
                return
            }
        }
    }
}
