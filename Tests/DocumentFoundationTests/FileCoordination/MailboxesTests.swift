import Locks
import TestThreads
import Testing

@testable import DocumentFoundation

@Suite("Mailboxes", .onOwnThreads)
struct MailboxesTests {
    private final class Queue {}

    private let heard = Locked<[Int]>([])

    private func message(_ number: Int) -> Mailboxes.Message {
        { [heard] in heard.withLock { $0.append(number) } }
    }

    private func takeAll(_ mailboxes: inout Mailboxes, for queueID: ObjectIdentifier) -> [Int] {
        heard.withLock { $0 = [] }
        while let message = mailboxes.takeNext(for: queueID) { message() }
        return heard.withLock { $0 }
    }

    @Test("Messages are taken in the order they were put, also between others")
    func order() {
        var mailboxes = Mailboxes()
        let (queue, other) = (Queue(), Queue())
        let (queueID, otherID) = (ObjectIdentifier(queue), ObjectIdentifier(other))
        mailboxes.put([message(1), message(2)], for: queueID)
        mailboxes.put([message(3)], for: otherID)
        mailboxes.takeNext(for: queueID)?()
        mailboxes.put([message(4)], for: queueID)
        #expect(heard.withLock { $0 } == [1])
        #expect(takeAll(&mailboxes, for: queueID) == [2, 4])
        #expect(!mailboxes.hasMessages(for: queueID))
        #expect(mailboxes.hasMessages(for: otherID))
        #expect(takeAll(&mailboxes, for: otherID) == [3])
    }

    @Test("However long a box is never empty, the next message is the one that has been there longest")
    func busy() {
        var mailboxes = Mailboxes()
        let queue = Queue()
        let queueID = ObjectIdentifier(queue)
        mailboxes.put([message(0)], for: queueID)
        for number in 1...1000 {
            mailboxes.put([message(number)], for: queueID)
            mailboxes.takeNext(for: queueID)?()
        }
        #expect(heard.withLock { $0 } == Array(0..<1000))
        #expect(takeAll(&mailboxes, for: queueID) == [1000])
    }

    @Test("What a message holds goes when it has been taken, though others wait behind it")
    func release() {
        var mailboxes = Mailboxes()
        let queue = Queue()
        var held: Locked<Int>? = Locked(0)
        weak let presenter = held
        func holding(_ presenter: Locked<Int>?) -> Mailboxes.Message { { _ = presenter } }
        mailboxes.put([holding(held), message(1)], for: ObjectIdentifier(queue))
        held = nil
        #expect(presenter != nil)
        _ = mailboxes.takeNext(for: ObjectIdentifier(queue))
        #expect(presenter == nil)
        #expect(takeAll(&mailboxes, for: ObjectIdentifier(queue)) == [1])
    }
}
