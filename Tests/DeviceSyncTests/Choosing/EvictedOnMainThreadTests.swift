import DocumentFoundation
import DocumentTesting
import Foundation
import Locks
import TestThreads
import Testing

@testable import DeviceSync

@Suite("Eviction on the main thread", .onOwnThreads, .timeLimit(.minutes(2)))
@MainActor
struct EvictedOnMainThreadTests {
    /// A presenter that is asked on the main thread.
    private final class MainPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
        // Sendable because what changes of it is locked.
        let presentedItemURL: URL?
        var presentedItemOperationQueue: OperationQueue { .main }
        let areAskedOnMain = Locked<[Bool]>([])

        init(_ url: URL) { presentedItemURL = url }

        func accommodatePresentedItemEviction(
            completionHandler: @escaping @Sendable ((any Error)?) -> Void
        ) {
            areAskedOnMain.withLock { $0.append(MainQueue.isCurrent) }
            completionHandler(nil)
        }
    }

    @Test("An item is evicted from there of which a presenter is asked there")
    func presenterOnMain() throws {
        let pair = try DevicePair.holding("text", as: "a.txt")
        let url = pair.two.folder.appendingPathComponent("a.txt")
        let presenter = MainPresenter(url)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let (account, end) = try pair.serve()
        try UbiquityAccount.$shared.withValue(account) {
            try FileManager.default.evictUbiquitousItem(at: url)
        }
        #expect(pair.two.contents.keys.sorted() == [".a.txt.icloud"])
        #expect(presenter.areAskedOnMain.withLock { $0 } == [true])
        end()
        pair.end()
    }
}
