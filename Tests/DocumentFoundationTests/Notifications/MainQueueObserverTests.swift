import DocumentFoundation
import Foundation
import Locks
import TestFolders
import TestThreads
import Testing

/// Observers on the main queue, under Swift Testing: another thread than the main one serves that here.
@Suite("Observers on the main queue", .timeLimit(.minutes(1)))
@MainActor
struct MainQueueObserverTests {
    private nonisolated static let name = Notification.Name("MainQueueObserverTests")
    private let center = NotificationCenter()
    private let object = NSObject()

    @Test("Who posts on the main actor has told them when he goes on")
    func postedOnMain() {
        let count = Locked(0)
        let observer = center.addObserver(forName: Self.name, object: object, queue: .main) { _ in
            MainActor.assumeIsolated { count.withLock { $0 += 1 } }
        }
        center.post(name: Self.name, object: object)
        #expect(count.withLock { $0 } == 1)
        center.post(name: Self.name, object: NSObject())
        center.removeObserver(observer)
        center.post(name: Self.name, object: object)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("Who posts elsewhere waits until they have been told, in turn, on the main actor")
    func postedElsewhere() async {
        let told = Locked<[Int]>([])
        let observer = center.addObserver(forName: Self.name, object: nil, queue: OperationQueue.main) {
            note in
            let number = note.userInfo?["number"] as? Int ?? 0
            MainActor.assumeIsolated { told.withLock { $0.append(number) } }
        }
        let (center, queue) = (center, DispatchQueue(label: "posting"))
        await withCheckedContinuation { goOn in
            queue.async {
                for number in 1...3 {
                    center.post(name: Self.name, object: nil, userInfo: ["number": number])
                    #expect(told.withLock { $0.last } == number)
                }
                goOn.resume()
            }
        }
        #expect(told.withLock { $0 } == [1, 2, 3])
        center.removeObserver(observer)
    }

    @Test("Without a queue, or on another one, they are told as ever")
    func otherQueues() {
        let told = Locked<[String]>([])
        let queue = OperationQueue()
        let observers = [nil, queue].map { queue in
            center.addObserver(forName: nil, object: object, queue: queue) { note in
                let isThere = OperationQueue.current === queue
                told.withLock { $0.append("\(note.name.rawValue) \(isThere)") }
            }
        }
        center.post(name: Self.name, object: object)
        let (first, last) = ("\(Self.name.rawValue) false", "\(Self.name.rawValue) true")
        #expect(told.withLock { $0.sorted() } == [first, last] || told.withLock { $0 } == [last, last])
        observers.forEach(center.removeObserver)
    }

    @Test("A query tells them that it has gathered")
    func query() async throws {
        let folder = try TestFolder("observed")
        let query = NSMetadataQuery()
        query.predicate = NSPredicate(value: true)
        query.searchScopes = [folder.url]
        let (news, reader) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSMetadataQueryDidFinishGathering,
            object: query,
            queue: .main
        ) { _ in MainActor.assumeIsolated { _ = reader.yield() } }
        query.start()
        for await _ in news { break }
        query.stop()
        NotificationCenter.default.removeObserver(observer)
    }
}
