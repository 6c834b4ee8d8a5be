import Sync
import TestThreads
import Testing

@testable import DeviceSync

/// When what programs write may be read.
@Suite("Items that are being written", .onOwnThreads)
final class WritingItemsTests {
    private let item = ItemID(1, 1)
    private let place = ItemPlace(.root, "a")
    private var items = WritingItems()
    /// Old enough that nobody can be at it.
    private let old = 3600.0

    private func file(
        age: Double = 0,
        at now: Double,
        isOpen: Bool?
    ) -> WritingItems.Verdict {
        items.judge(file: item, at: place, age: age, at: now) { isOpen }
    }

    private func package(
        age: Double = 0,
        at now: Double,
        isOpen: Bool = false
    ) -> WritingItems.Verdict {
        items.judge(package: item, at: place, age: age, at: now) { isOpen }
    }

    private func counts(
        isPackage: Bool,
        since readBegan: Double? = nil,
        at now: Double,
        _ state: (age: Double, isOpen: Bool),
        isOther: Bool = false
    ) -> Bool {
        items.counts(item, isPackage: isPackage, readBegan: readBegan ?? now, at: now) {
            WritingItems.State(age: state.age, isOpen: state.isOpen, isOther: isOther)
        }
    }

    private func takeDue(at now: Double) -> [ItemID] { items.takeDue(at: now) }
    private func forget() -> Bool { items.forget(item) }

    // MARK: Files

    @Test("A file that nobody has open is read at once, and one that was written long ago without a question")
    func closed() {
        #expect(file(at: 0, isOpen: false) == .read)
        let verdict = items.judge(file: item, at: place, age: old, at: 0) {
            Issue.record("nobody is to ask")
            return true
        }
        #expect(verdict == .read)
        #expect(items.isEmpty && items.next == nil)
    }

    @Test("What was moved to its place is read at once, though whoever saved it has it open still")
    func moved() {
        items.moved(to: place)
        #expect(file(at: 0, isOpen: true) == .readAsItIs)
        // And counts, though he has it open when it has been read.
        #expect(counts(isPackage: false, at: 0, (0, true)))
        items.endLook(at: 0)
        #expect(file(at: 0, isOpen: true) == .wait)
    }

    @Test("What is moved while somebody writes it is no more whole for that")
    func movedWhileWritten() {
        #expect(file(at: 0, isOpen: true) == .wait)
        items.moved(to: place)
        #expect(file(at: 0.1, isOpen: true) == .wait)
    }

    @Test("What is written into after it was moved to its place is not whole")
    func writtenAfterMove() {
        items.moved(to: place)
        items.wrote(item, at: place, at: 0)
        #expect(file(at: 0, isOpen: true) == .wait)
    }

    @Test("A file that somebody has open waits until it is closed")
    func open() {
        #expect(file(at: 0, isOpen: true) == .wait)
        items.wrote(item, at: place, at: 1.9)
        #expect(takeDue(at: 2.1).isEmpty)
        #expect(file(at: 2.1, isOpen: true) == .wait)
        #expect(file(at: 2.2, isOpen: false) == .read)
        #expect(items.isEmpty && items.next == nil)
    }

    @Test("A write without another word makes a file wait, and it is looked at when it is quiet")
    func writeAlone() {
        items.wrote(item, at: place, at: 5)
        #expect(!items.isEmpty)
        #expect(items.next == 5 + WritingItems.openQuietSeconds)
        #expect(takeDue(at: 5 + WritingItems.openQuietSeconds) == [item])
        #expect(file(at: 5 + WritingItems.openQuietSeconds, isOpen: true) == .readAsItIs)
    }

    @Test("A write at a name of which nothing is known makes nothing wait")
    func writeAtUnknown() {
        items.wrote(nil, at: place, at: 0)
        #expect(items.isEmpty)
    }

    @Test("A file that stays open is read when it is quiet, but not again and again")
    func staysOpen() {
        items.wrote(item, at: place, at: 0)
        #expect(file(at: 2, isOpen: true) == .readAsItIs)
        #expect(counts(isPackage: false, at: 2, (0, true)))
        items.wrote(item, at: place, at: 3)
        #expect(file(at: 5.5, isOpen: true) == .wait)
        #expect(items.next == 2 + WritingItems.openAgainSeconds)
        #expect(file(at: 2 + WritingItems.openAgainSeconds, isOpen: true) == .readAsItIs)
    }

    @Test("A file that is written all the time is read after its time in any case")
    func neverQuiet() {
        var reads: [Double] = []
        for second in 0...130 {
            items.wrote(item, at: place, at: Double(second))
            guard !takeDue(at: Double(second)).isEmpty else { continue }
            if file(at: Double(second), isOpen: true) == .readAsItIs { reads.append(Double(second)) }
        }
        #expect(reads == [60, 121])
    }

    @Test("Where nobody can tell who has a file open, it counts that it was closed, or else that it is quiet")
    func unknown() {
        items.closed(place)
        #expect(file(at: 0, isOpen: nil) == .read)
        items.endLook(at: 0)
        #expect(file(at: 0, isOpen: nil) == .wait)
        items.closed(place)
        items.wrote(item, at: place, at: 1)
        #expect(file(at: 1, isOpen: nil) == .wait)
        #expect(file(at: 3, isOpen: nil) == .readAsItIs)
    }

    @Test("What was read while somebody began to write does not count, and waits")
    func writtenMeanwhile() {
        #expect(file(at: 0, isOpen: false) == .read)
        #expect(!counts(isPackage: false, at: 0, (0, true)))
        #expect(!items.isEmpty)
        #expect(file(at: 0.1, isOpen: false) == .read)
        #expect(counts(isPackage: false, at: 0.1, (0, false)))
    }

    @Test(
        "What is another by the time that it has been read does not count, but for what is written all the time"
    )
    func otherMeanwhile() {
        #expect(file(at: 0, isOpen: false) == .read)
        #expect(!counts(isPackage: false, at: 0.1, (0, false), isOther: true))
        var tries = 0
        for tenth in 1..<600 {
            let now = Double(tenth) / 10
            items.closed(place)
            guard file(at: now, isOpen: false) == .read else { continue }
            tries += 1
            #expect(!counts(isPackage: false, since: now, at: now + 0.05, (0, false), isOther: true))
            items.endRead(item)
        }
        #expect(tries > 500)
        #expect(file(at: 60, isOpen: false) == .read)
        // As it is open it may be half.
        #expect(!counts(isPackage: false, since: 60, at: 60.1, (0, true), isOther: true))
        #expect(file(at: 60.2, isOpen: false) == .read)
        #expect(counts(isPackage: false, since: 60.2, at: 60.3, (0, false), isOther: true))
        // From then on it waits anew.
        #expect(file(at: 60.4, isOpen: false) == .read)
        #expect(!counts(isPackage: false, since: 60.4, at: 60.5, (0, false), isOther: true))
    }

    @Test(
        "What is dated by a clock that goes in steps of one or two seconds may be as new as the end of its step"
    )
    func coarseDates() {
        let second: Int64 = 1_000_000_000
        #expect(WritingItems.age(12 * second, at: 12.6) == 0)
        #expect(WritingItems.age(12 * second, at: 13.9) == 0)
        #expect(WritingItems.age(12 * second, at: 14.5) == 0.5)
        #expect(WritingItems.age(13 * second, at: 13.9) == 0)
        #expect(WritingItems.age(13 * second, at: 14.5) == 0.5)
        #expect(WritingItems.age(12 * second + second / 2, at: 14) == 1.5)
        #expect(WritingItems.age(12 * second, at: 11) == -1)
    }

    @Test("What an app says is whole is read as it is")
    func said() {
        items.wrote(item, at: place, at: 0)
        items.isWhole(item)
        #expect(items.isEmpty)
        #expect(file(at: 0, isOpen: true) == .readAsItIs)
        #expect(counts(isPackage: false, at: 0, (0, true)))
        // That was said of what it held then.
        items.isWhole(item)
        items.wrote(item, at: place, at: 1)
        #expect(file(at: 1, isOpen: true) == .wait)
    }

    @Test("What is gone, or is as it was, does not wait")
    func forgotten() {
        items.wrote(item, at: place, at: 0)
        #expect(forget())
        #expect(items.isEmpty && items.next == nil)
        #expect(!forget())
    }

    @Test("What cannot be looked at when it is due is told again, but not at once")
    func toldAgain() throws {
        items.wrote(item, at: place, at: 0)
        #expect(takeDue(at: 2) == [item])
        #expect(takeDue(at: 2.5).isEmpty)
        #expect(try #require(items.next) > 2.5)
        #expect(takeDue(at: 4) == [item])
    }

    // MARK: Packages

    @Test("A package that is made member by member waits until nothing happens in it any more")
    func steps() {
        #expect(package(at: 0) == .wait)
        for step in 1...6 {
            items.wrote(inPackage: item, wasWhole: false, at: Double(step) * 0.3)
            #expect(package(at: Double(step) * 0.3 + 0.01) == .wait)
        }
        #expect(items.next == 1.8 + WritingItems.packageQuietSeconds)
        #expect(package(at: 1.8 + WritingItems.packageQuietSeconds) == .read)
        #expect(items.isEmpty)
    }

    @Test("One step in a package that was whole is read at once, and counts if it was all")
    func oneStep() {
        items.wrote(inPackage: item, wasWhole: true, at: 0)
        items.wrote(inPackage: item, wasWhole: true, at: 0.005)
        #expect(items.next == 0.005 + WritingItems.stepQuietSeconds)
        #expect(package(at: 0.02) == .wait)
        #expect(package(at: 0.03) == .read && items.isEmpty)
        #expect(counts(isPackage: true, at: 0.04, (0.035, false)))
        #expect(items.isEmpty)
    }

    @Test("Who goes on after one step is waited for as ever", arguments: [0.015, 0.02, 0.024])
    func secondStep(at: Double) {
        items.wrote(inPackage: item, wasWhole: true, at: 0)
        items.wrote(inPackage: item, wasWhole: true, at: at)
        #expect(items.next == at + WritingItems.packageQuietSeconds)
        #expect(package(at: 0.1) == .wait)
        #expect(package(at: at + WritingItems.packageQuietSeconds) == .read)
        #expect(!counts(isPackage: true, at: 1, (0.3, false)))
    }

    @Test("What was read after one step does not count if somebody went on meanwhile, or has a file open")
    func goesOnWhileRead() {
        for (age, isOpen) in [(0.001, false), (0.018, false), (0.06, true)] {
            items.wrote(inPackage: item, wasWhole: true, at: 0)
            #expect(package(at: 0.03, isOpen: isOpen) == .read)
            #expect(!counts(isPackage: true, at: 0.04, (age, isOpen)))
            // It is a series by now.
            #expect(package(at: 0.1) == .wait)
            items.wrote(inPackage: item, wasWhole: true, at: 0.2)
            #expect(package(at: 0.3) == .wait)
            items.forget(item)
        }
        // Heard of before it was read.
        items.wrote(inPackage: item, wasWhole: true, at: 10)
        #expect(package(at: 10.03) == .read)
        items.wrote(inPackage: item, wasWhole: true, at: 10.035)
        #expect(!counts(isPackage: true, at: 10.04, (0.005, false)))
        #expect(package(at: 10.3) == .wait)
    }

    @Test("What happened in a package since its reading began does not count, however long that took")
    func longReading() {
        items.wrote(inPackage: item, wasWhole: false, at: 0)
        #expect(package(at: 0.5) == .read)
        #expect(!counts(isPackage: true, since: 0.5, at: 3.5, (2.5, false)))
        #expect(package(at: 3.6) == .wait)
        #expect(package(at: 4) == .read)
        #expect(counts(isPackage: true, since: 4, at: 7, (3.4, false)))
        #expect(items.isEmpty)
    }

    @Test("A package in which something happens all the time counts after its time, unless it is open")
    func steadyPackage() {
        items.wrote(inPackage: item, wasWhole: false, at: 0)
        for now in stride(from: 1.0, to: WritingItems.packageWaitMaxSeconds - 2, by: 3) {
            #expect(package(at: now) == .read)
            #expect(!counts(isPackage: true, since: now, at: now + 2, (1, false)))
        }
        let now = WritingItems.packageWaitMaxSeconds
        #expect(package(at: now) == .read)
        #expect(!counts(isPackage: true, since: now, at: now + 2, (1, true)))
        #expect(package(at: now + 2) == .read)
        #expect(counts(isPackage: true, since: now + 2, at: now + 4, (1, false)))
    }

    @Test("A package in which a file is open waits until it is closed, or quiet")
    func openMember() {
        items.wrote(inPackage: item, wasWhole: false, at: 0)
        #expect(package(at: 0.6, isOpen: true) == .wait)
        #expect(items.next == WritingItems.openQuietSeconds)
        items.wrote(inPackage: item, wasWhole: false, at: 1)
        // It has been closed, for all that anybody knows.
        #expect(items.next == 1 + WritingItems.packageQuietSeconds)
        #expect(package(at: 1.6, isOpen: true) == .wait)
        #expect(package(at: 3, isOpen: true) == .readAsItIs)
    }

    @Test("A package that is moved to its place, and what a save puts into one, does not wait")
    func wholePackages() {
        items.moved(to: place)
        #expect(package(at: 0) == .readAsItIs)
        #expect(counts(isPackage: true, at: 0, (0, true)))
        items.endLook(at: 0)
        // What follows right behind, as a save clears up.
        #expect(package(at: 0.1) == .readAsItIs)
        items.endLook(at: 10)
        items.saved(package: item, at: 10)
        #expect(package(at: 10) == .readAsItIs)
        items.wrote(inPackage: item, wasWhole: false, at: 10.1)
        #expect(package(at: 10.1) == .wait)
    }

    @Test("A save into a package that somebody is writing does not make that whole")
    func savedWhileWritten() {
        items.wrote(inPackage: item, wasWhole: false, at: 0)
        items.saved(package: item, at: 0.1)
        #expect(package(at: 0.2) == .wait)
    }

    @Test(
        "A save into a package, or a package moved in, that a look has seen before it was heard of does not go on waiting"
    )
    func seenBeforeHeard() {
        #expect(package(at: 0) == .wait)
        items.saved(package: item, at: 0.1)
        // The file that it has put there is closed.
        #expect(!items.isStep(closingIn: item, at: 0.1))
        #expect(package(at: 0.1) == .readAsItIs)
        #expect(items.isEmpty && counts(isPackage: true, at: 0.1, (0, false)))

        #expect(package(at: 10) == .wait)
        items.endLook(at: 10)
        items.moved(to: place)
        #expect(package(at: 10.1) == .readAsItIs)
        #expect(items.isEmpty)

        // Whoever is heard of, or has a file open, is waited for.
        items.endLook(at: 20)
        items.forget(item)
        #expect(package(at: 20) == .wait)
        items.wrote(inPackage: item, wasWhole: true, at: 20.1)
        items.saved(package: item, at: 20.1)
        #expect(package(at: 20.2) == .wait)
        items.forget(item)
        #expect(package(age: old, at: 30) == .read)
        #expect(!counts(isPackage: true, at: 30, (old, true)))
        items.saved(package: item, at: 30.1)
        #expect(package(at: 30.2) == .wait)
    }

    @Test("A package that is found changed is read, and counts if nobody can be at it")
    func foundPackage() {
        #expect(package(age: old, at: 0) == .read)
        #expect(counts(isPackage: true, at: 0, (old, false)))
        #expect(package(age: old, at: 0) == .read)
        #expect(!counts(isPackage: true, at: 0, (0.1, false)))
        #expect(items.next == WritingItems.packageQuietSeconds)
        items.forget(item)
        #expect(package(age: old, at: 0) == .read)
        #expect(!counts(isPackage: true, at: 0, (old, true)))
    }

    @Test("A package in which something happens all the time is read after its time in any case")
    func neverQuietPackage() {
        var reads: [Double] = []
        for tick in 0...2500 {
            let now = Double(tick) * 0.25
            items.wrote(inPackage: item, wasWhole: true, at: now)
            guard !takeDue(at: now).isEmpty else { continue }
            if package(at: now, isOpen: true) == .readAsItIs { reads.append(now) }
        }
        #expect(reads == [600])
    }
}
