import Coordination
import TestThreads
import Testing

@testable import DocumentFoundation

@Suite("UnansweredMessages", .onOwnThreads)
struct UnansweredMessagesTests {
    private let first = AccessID(client: ClientID(1), number: 1)
    private let second = AccessID(client: ClientID(2), number: 1)

    @Test("An access waits for answers until the last of its messages is answered, each once")
    func answers() {
        var messages = UnansweredMessages()
        for number in 1...3 { messages.insert(Ticket(number: UInt64(number)), for: first) }
        messages.insert(Ticket(number: 4), for: second)
        #expect(messages.remove(Ticket(number: 2)) == first)
        #expect(messages.remove(Ticket(number: 2)) == nil)
        #expect(messages.remove(Ticket(number: 4)) == second)
        #expect(messages.isAwaited(by: first))
        #expect(!messages.isAwaited(by: second))
        #expect(messages.remove(Ticket(number: 1)) == first)
        #expect(messages.remove(Ticket(number: 3)) == first)
        #expect(!messages.isAwaited(by: first))
    }

    @Test("A message that is asked again for another access is no longer for the first")
    func again() {
        var messages = UnansweredMessages()
        messages.insert(Ticket(number: 1), for: first)
        messages.insert(Ticket(number: 1), for: second)
        #expect(!messages.isAwaited(by: first))
        #expect(messages.isAwaited(by: second))
    }

    @Test("All that is forgotten is handed over")
    func all() {
        var messages = UnansweredMessages()
        messages.insert(Ticket(number: 1), for: first)
        messages.insert(Ticket(number: 2), for: second)
        #expect(messages.removeAll() == [Ticket(number: 1): first, Ticket(number: 2): second])
        #expect(!messages.isAwaited(by: first))
        #expect(messages.remove(Ticket(number: 1)) == nil)
    }
}
