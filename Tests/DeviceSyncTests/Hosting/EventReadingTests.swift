import Dispatch
import Foundation
import LocalSockets
import SyncMessages
import TestThreads
import Testing
import Threads

@testable import DeviceSync

/// What those are told who take long over each event, as a person does who reads a page.
@Suite("Reading events", .onOwnThreads, .timeLimit(.minutes(3)))
struct EventReadingTests {
    /// More than fits between two processes.
    private static let events = (0..<1000).map { number in
        SyncEvent(
            date: Date(timeIntervalSinceReferenceDate: Double(number)),
            folder: "/shared",
            text: "\(number) " + String(repeating: "x", count: 300),
            isWrong: number.isMultiple(of: 7)
        )
    }

    /// - Returns: What was told, by one that at the first event waits until the other side has said all or has given up; and how
    ///   it ended.
    private func read(
        isFollowed: Bool,
        untoldCountMax: Int = EventReading.untoldCountMax
    ) throws -> (told: [SyncEvent], failure: (any Error)?) {
        let path = FileManager.default.temporaryDirectory.path + "/events-\(UUID().uuidString.prefix(8))"
        // A leftover in the temporary directory fails no test.
        defer { try? FileManager.default.removeItem(atPath: path) }
        let runtime = try RuntimeFolder(path: path)
        let listener = try LocalListener(at: runtime.place(of: SyncQuery.socketName))
        let asked = try SyncConversation(.log(isFollowed: isFollowed), in: runtime)
        let socket = try #require(try listener.accept())
        let conversation = try #require(ServiceConversation(socket))
        let isOver = DispatchSemaphore(value: 0)
        let thread = Thread {
            if conversation.question() == .log(isFollowed: isFollowed) {
                for event in Self.events { conversation.say(.event(event)) }
                if isFollowed { conversation.end() } else { conversation.end(with: .done) }
                conversation.run()
            }
            isOver.signal()
        }
        thread.start()
        let reading = EventReading(asked, untoldCountMax: untoldCountMax)
        var told: [SyncEvent] = []
        func tell(_ event: SyncEvent) {
            if told.isEmpty { isOver.wait() }
            told.append(event)
        }
        do { try isFollowed ? reading.follow(tell) : reading.tellAll(tell) } catch { return (told, error) }
        return (told, nil)
    }

    @Test("Who takes long to read what has happened misses nothing")
    func all() throws {
        let (told, failure) = try read(isFollowed: false)
        let isAll = told == Self.events
        #expect(isAll, "\(told.count) events")
        #expect(failure == nil)
    }

    @Test("Who takes long to read what happens misses nothing until the other side ends")
    func followed() throws {
        let (told, failure) = try read(isFollowed: true)
        let isAll = told == Self.events
        #expect(isAll, "\(told.count) events")
        #expect(failure as? SyncServiceError == .ended)
    }

    @Test("Who is too far behind is told so, after all that was kept for it", arguments: [true, false])
    func behind(isFollowed: Bool) throws {
        let (told, failure) = try read(isFollowed: isFollowed, untoldCountMax: 10)
        // What was told first was not among what waited.
        #expect((10...20).contains(told.count), "\(told.count) events")
        let isBeginning = told == Array(Self.events.prefix(told.count))
        #expect(isBeginning)
        #expect(failure as? EventReadingFailure == EventReadingFailure(untoldCountMax: 10))
        #expect(failure.map { "\($0)" }?.contains("more than 10 events behind") == true)
    }

    @Test("Where there is no thread that could read, it is said")
    func withoutThread() throws {
        let path = FileManager.default.temporaryDirectory.path + "/events-\(UUID().uuidString.prefix(8))"
        // A leftover in the temporary directory fails no test.
        defer { try? FileManager.default.removeItem(atPath: path) }
        let runtime = try RuntimeFolder(path: path)
        let listener = try LocalListener(at: runtime.place(of: SyncQuery.socketName))
        let reading = EventReading(try SyncConversation(.log(isFollowed: true), in: runtime))
        #expect(throws: ThreadShortage.self) {
            try OwnThread.$make.withValue({ _, _ in EAGAIN }) { try reading.follow { _ in } }
        }
        withExtendedLifetime(listener) {}
    }
}
