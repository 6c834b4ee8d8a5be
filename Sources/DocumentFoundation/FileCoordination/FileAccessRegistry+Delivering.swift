internal import Coordination
internal import Foundation
internal import Locks

extension FileAccessRegistry {
    /// Empties the outbox, unless another thread is at it.
    func deliver() {
        var isFirst = true
        while let batch = takeOutbox(isFirst: isFirst) {
            isFirst = false
            var mail: [Mail] = []
            mail.reserveCapacity(batch.count)
            for delivery in batch {
                if let message = self.mail(delivery) {
                    mail.append(message)
                } else {
                    post(mail)
                    mail = []
                    perform(delivery)
                }
            }
            post(mail)
        }
    }

    private func takeOutbox(isFirst: Bool) -> [Delivery]? {
        state.withLock { state in
            if isFirst, state.isDelivering { return nil }
            state.isDelivering = !state.outbox.isEmpty
            defer { state.outbox = [] }
            return state.isDelivering ? state.outbox : nil
        }
    }

    private func perform(_ delivery: Delivery) {
        switch delivery {
        case .verdict(let verdict, let waiter):
            if case .deadlock(let cycle) = verdict { Self.log(cycle.notice) }
            waiter.resume(verdict)
        case .report(let json, let tell):
            // What cannot be understood comes from another version.
            tell(json.flatMap { try? JSONDecoder().decode(CoordinationReport.self, from: Data($0)) })
        case .message, .notice, .attributes, .version, .goneItem, .reacquire: break
        }
    }

    /// What is to be handled on a presenter's queue.
    private struct Mail: Sendable {
        let queue: OperationQueue
        /// Whether the queue runs one operation at a time, so that a caller may keep it from running.
        let isSerial: Bool
        let handleMessage: @Sendable () -> Void

        var queueID: ObjectIdentifier { ObjectIdentifier(queue) }
    }

    private func mail(_ delivery: Delivery) -> Mail? {
        switch delivery {
        case .verdict, .report: nil
        case .reacquire(let reacquirer): mail(reacquirer.presenter, reacquirer.run)
        case .notice(let notice, let handle): mail(handle) { self.send(notice, to: handle) }
        case .attributes(let attributes, let handle):
            mail(handle) { handle.presenter.presentedItemDidChangeUbiquityAttributes(attributes) }
        case .version(let news, let handle): mail(handle) { Self.send(news, to: handle.presenter) }
        case .goneItem(let handle):
            mail(handle) {
                OutsideDeletion.$isTold.withValue(true) {
                    handle.presenter.accommodatePresentedItemDeletion { _ in }
                }
            }
        case .message(let message, let handle, let ticket):
            mail(handle) {
                ThreadNesting.enter(.message(ticket), of: self) { self.send(message, to: handle, ticket) }
            }
        }
    }

    private func mail(_ handle: PresenterHandle, _ handleMessage: @escaping @Sendable () -> Void) -> Mail {
        let queue = handle.presenter.presentedItemOperationQueue
        return Mail(queue: queue, isSerial: queue.isSerial) { handle.context.run(handleMessage) }
    }

    // MARK: Mailboxes

    /// Has messages handled on presenters' queues, or by the callers that keep these queues from running.
    ///
    /// All go into their mailboxes at once: the queues' threads would be in the way of one that came for each.
    private func post(_ mail: [Mail]) {
        if mail.contains(where: \.isSerial) { putIntoMailboxes(mail) }
        Self.forEachQueue(of: mail) { messages, first in
            if first.isSerial {
                // One operation: each further one costs another hand-over to a thread.
                addOperation(on: first.queue)
            } else {
                let operations = messages.map { MessageOperation($0.handleMessage) }
                first.queue.addOperations(operations, waitUntilFinished: false)
            }
        }
    }

    /// Has something done on the main queue in its turn; before that, if a caller waits for access there, nested in its call.
    package func performOnMain(_ errand: @escaping @MainActor @Sendable () -> Void) {
        let (number, blocked) = state.withLock { state in
            let main = ObjectIdentifier(OperationQueue.main)
            return (state.mainErrands.put(errand), state.blockedCallers.last { $0.queueID == main })
        }
        blocked?.wake()
        // No message in the mailbox: others' operations would do it before what the main queue has to do first.
        DispatchQueue.main.async { [self] in
            let errand = state.withLock { $0.mainErrands.take(number) }
            if let errand { MainActor.assumeIsolated(errand) }
        }
    }

    private func putIntoMailboxes(_ mail: [Mail]) {
        let blocked = state.withLock { state in
            var blocked: [BlockedCaller] = []
            Self.forEachQueue(of: mail) { messages, first in
                guard first.isSerial else { return }
                state.mailboxes.put(messages.lazy.map(\.handleMessage), for: first.queueID)
                if let caller = state.blockedCallers.last(where: { $0.queueID == first.queueID }) {
                    blocked.append(caller)
                }
            }
            return blocked
        }
        for caller in blocked { caller.wake() }
    }

    /// Calls with each run of messages for one queue, and with the first of them.
    private static func forEachQueue(of mail: [Mail], _ body: (ArraySlice<Mail>, Mail) -> Void) {
        var rest = mail[...]
        while let first = rest.first {
            let run = rest.prefix { $0.queue === first.queue && $0.isSerial == first.isSerial }
            body(run, first)
            rest = rest.dropFirst(run.count)
        }
    }

    /// Has all messages handled that are there when the operation begins: those also whose own operation somebody has cancelled,
    /// as each message would be handled one too late from then on.
    ///
    /// What is left when one of them suspends the queue waits with it.
    private func addOperation(on queue: OperationQueue) {
        queue.addOperation {
            let queueID = ObjectIdentifier(queue)
            for index in 0..<self.state.withLock({ $0.mailboxes.messageCount(for: queueID) }) {
                if index > 0, queue.isSuspended { return self.addOperation(on: queue) }
                guard self.handleNextMessage(for: queueID) else { return }
            }
        }
    }

    func handleMessages(for queueID: ObjectIdentifier) {
        while handleNextMessage(for: queueID) {}
        guard queueID == ObjectIdentifier(OperationQueue.main) else { return }
        while let errand = state.withLock({ $0.mainErrands.takeNext() }) { MainActor.assumeIsolated(errand) }
    }

    private func handleNextMessage(for queueID: ObjectIdentifier) -> Bool {
        let handleMessage = state.withLock { $0.mailboxes.takeNext(for: queueID) }
        handleMessage?()
        return handleMessage != nil
    }

    // MARK: Messages

    private func send(_ message: PresenterMessage, to handle: PresenterHandle, _ ticket: Ticket) {
        let presenter = handle.presenter
        let relinquished: @Sendable ((@Sendable () -> Void)?) -> Void = { reacquirer in
            self.relinquished(ticket, handle, reacquirer)
        }
        let done: @Sendable ((any Error)?) -> Void = { error in self.replied(ticket, error) }
        switch message {
        case .relinquishToReader: presenter.relinquishPresentedItem(toReader: relinquished)
        case .relinquishToWriter: presenter.relinquishPresentedItem(toWriter: relinquished)
        case .saveChanges: presenter.savePresentedItemChanges(completionHandler: done)
        case .accommodateItemDeletion: presenter.accommodatePresentedItemDeletion(completionHandler: done)
        case .accommodateSubitemDeletion(let item):
            presenter.accommodatePresentedSubitemDeletion(at: item.fileURL, completionHandler: done)
        case .accommodateItemEviction: presenter.accommodatePresentedItemEviction(completionHandler: done)
        }
    }

    private func send(_ notice: PresenterNotice, to handle: PresenterHandle) {
        let presenter = handle.presenter
        switch notice {
        case .itemDidChange: presenter.presentedItemDidChange()
        case .itemDidMove(let target):
            presenter.presentedItemDidMove(to: target.fileURL)
            state.withLock { $0.namedPlaces.take(handle.id, target) }
        case .subitemDidAppear(let item):
            if !item.isOwn { presenter.presentedSubitemDidAppear(at: item.fileURL) }
        case .subitemDidChange(let item):
            if !item.isOwn { presenter.presentedSubitemDidChange(at: item.fileURL) }
        case .subitemDidMove(let source, let target):
            switch (source.isOwn, target.isOwn) {
            case (false, false): presenter.presentedSubitem(at: source.fileURL, didMoveTo: target.fileURL)
            case (false, true): presenter.presentedSubitemDidChange(at: source.fileURL)
            case (true, false): presenter.presentedSubitemDidChange(at: target.fileURL)
            case (true, true): break
            }
        }
    }

    // A second answer to one message is not heard.

    private func relinquished(_ ticket: Ticket, _ handle: PresenterHandle, _ run: (@Sendable () -> Void)?) {
        change { state in
            let orphan = state.joining.orphans.removeValue(forKey: ticket)
            let asked = state.unanswered.remove(ticket)
            guard let access = asked ?? orphan else { return ([], ()) }
            state.deadlines[ticket] = nil
            if let run {
                state.reacquirers[ticket] = Reacquirer(presenter: handle, access: access, run: run)
            }
            if asked != nil {
                let reply = PresenterReply.relinquished(hasReacquirer: run != nil)
                let effects = state.takeReply(.replied(ticket, reply, nil), for: access)
                return (effects + (run == nil ? [] : state.reacquirable(after: access, ticket)), ())
            }
            return (run == nil ? [] : state.decide(.steppedAside(handle.id, for: access, ticket)), ())
        }
    }

    private func replied(_ ticket: Ticket, _ error: (any Error)?) {
        change(error: error) { state in
            state.joining.orphans[ticket] = nil
            guard let access = state.unanswered.remove(ticket) else { return ([], ()) }
            state.deadlines[ticket] = nil
            if let error, state.joining.connection != nil, access.client == Self.client {
                state.joining.ownErrors[access] = error
            }
            guard let error else { return (state.takeReply(.replied(ticket, .done, nil), for: access), ()) }
            return (state.decide(.replied(ticket, .failed, ErrorFacts(error))), ())
        }
    }

    // MARK: Time limit

    static func deadline(afterSeconds seconds: Double) -> UInt64 {
        let nanoseconds = (seconds * 1e9).clamped(to: 0...1e18)
        return DispatchTime.now().uptimeNanoseconds + UInt64(nanoseconds)
    }

    /// Sets a timer; there is at most one that counts.
    func arm(at deadline: UInt64) {
        let queue = DispatchQueue(label: "sheaf.access-limit")
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: deadline)) {
            self.timerFired(at: deadline)
        }
    }

    private func timerFired(at deadline: UInt64) {
        let next = change { state -> ([AccessArbiter.Effect], UInt64?) in
            guard state.timerDeadline == deadline else { return ([], nil) }
            var effects: [AccessArbiter.Effect] = []
            for (ticket, limit) in state.deadlines where limit <= deadline {
                state.deadlines[ticket] = nil
                effects += state.arbiter.timeLimitPassed(ticket)
            }
            state.timerDeadline = state.deadlines.values.min()
            return (effects, state.timerDeadline)
        }
        if let next { arm(at: next) }
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
