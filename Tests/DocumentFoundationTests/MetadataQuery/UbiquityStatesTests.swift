import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DocumentFoundation

/// How items of containers stand, as a process says that is asked.
@Suite("States of items in containers", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct UbiquityStatesTests {
    private let place: AccountPlace
    private let documents: URL
    private let account: UbiquityAccount
    /// Longer than a test may take: what waits so long has hung.
    private static let secondsMax = 600.0

    init() throws {
        place = try AccountPlace()
        documents = try place.join("cloud", at: 1).appendingPathComponent("iCloud~x/Documents")
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        account = place.account([:], ["SHEAF_UBIQUITY_CONTAINER": "iCloud.x"])
        for name in ["a.txt", "b.txt"] { try Data("1".utf8).write(to: url(name)) }
    }

    private func url(_ name: String) -> URL { documents.appendingPathComponent(name) }

    private func state(_ name: String, isUploaded: Bool) -> ItemSyncState {
        var state = ItemSyncState(path: url(name).path)
        state.isUploaded = isUploaded
        return state
    }

    /// Says that one of the items is at the hub.
    private var answers: @Sendable (SyncQuestion) -> SyncAnswer? {
        let items = [state("a.txt", isUploaded: true), state("b.txt", isUploaded: false)]
        return { question in
            switch question {
            case .follow: .changed([], isSettled: true)
            case .items: .items(items)
            default: nil
            }
        }
    }

    private static let isUploaded = NSMetadataUbiquitousItemIsUploadedKey

    private func value(_ name: String, _ states: UbiquityStates) -> PredicateValue? {
        states.value(of: Self.isUploaded, at: FilePath(url(name).path))
    }

    @Test("What is said first is there when it has been waited for, and no change; what is said later is one")
    func first() throws {
        let stub = try StatesStub(place, answers)
        let states = UbiquityStates(account, below: [FilePath(documents.path)])
        defer { states.end() }
        let told = Locked<[[FilePath]]>([])
        let isTold = DispatchSemaphore(value: 0)
        states.follow(isAwaited: true) { paths in
            told.withLock { $0.append(paths) }
            isTold.signal()
        }
        states.awaitFirst(seconds: Self.secondsMax)
        #expect(value("a.txt", states) == .integer(1))
        #expect(value("b.txt", states) == .integer(0))
        try stub.say(.changed([state("b.txt", isUploaded: true)], isSettled: true))
        #expect(isTold.wait(timeout: .now() + Self.secondsMax) == .success)
        #expect(told.withLock { $0 } == [[FilePath(url("b.txt").path)]])
        #expect(value("b.txt", states) == .integer(1))
        withExtendedLifetime(stub) {}
    }

    @Test("Who does not say at first how all items stand is asked again")
    func refused() throws {
        let count = Locked(0)
        let stub = try StatesStub(place) { [answers] question in
            if case .items = question {
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { return nil }
            }
            return answers(question)
        }
        let states = UbiquityStates(account, below: [FilePath(documents.path)])
        defer { states.end() }
        states.follow(isAwaited: true) { _ in }
        states.awaitFirst(seconds: Self.secondsMax)
        #expect(value("a.txt", states) == .integer(1))
        #expect(states.isAnswered)
        #expect(count.withLock { $0 } == 2)
        withExtendedLifetime(stub) {}
    }

    @Test("Who is told no more by one that is there still asks again, and knows all as before")
    func dropped() throws {
        let followCount = Locked(0)
        let stub = try StatesStub(place) { [answers] question in
            if case .follow = question { followCount.withLock { $0 += 1 } }
            return answers(question)
        }
        let states = UbiquityStates(account, below: [FilePath(documents.path)])
        defer { states.end() }
        let isTold = DispatchSemaphore(value: 0)
        states.follow(isAwaited: true) { _ in isTold.signal() }
        states.awaitFirst(seconds: Self.secondsMax)
        #expect(value("a.txt", states) == .integer(1))
        stub.dropFollowers()
        // That nobody says anything, then what is said anew.
        for _ in 0..<2 { #expect(isTold.wait(timeout: .now() + 60) == .success) }
        #expect(followCount.withLock { $0 } == 2)
        #expect(value("a.txt", states) == .integer(1) && states.isAnswered)
        try stub.say(.changed([state("b.txt", isUploaded: true)], isSettled: true))
        #expect(isTold.wait(timeout: .now() + 60) == .success)
        #expect(value("b.txt", states) == .integer(1))
        withExtendedLifetime(stub) {}
    }

    @Test("Nothing is known of what is nowhere any more")
    func nowhere() throws {
        let stub = try StatesStub(place, answers)
        let states = UbiquityStates(account, below: [FilePath(documents.path)])
        defer { states.end() }
        let told = Locked<[FilePath]>([])
        let isTold = DispatchSemaphore(value: 0)
        states.follow(isAwaited: true) { paths in
            told.withLock { $0 += paths }
            isTold.signal()
        }
        states.awaitFirst(seconds: Self.secondsMax)
        var gone = state("a.txt", isUploaded: false)
        gone.isNowhere = true
        try stub.say(.changed([gone], isSettled: true))
        #expect(isTold.wait(timeout: .now() + Self.secondsMax) == .success)
        #expect(told.withLock { $0 } == [FilePath(url("a.txt").path)])
        #expect(value("a.txt", states) == .null)
        #expect(states.all == [state("b.txt", isUploaded: false)])
        withExtendedLifetime(stub) {}
    }

    @Test("Who is told how all items stand takes what is news meanwhile, and that is younger")
    func slowList() throws {
        let isFollowed = DispatchSemaphore(value: 0)
        let isSaid = DispatchSemaphore(value: 0)
        let stub = try StatesStub(place) { [answers] question in
            if case .items = question {
                isFollowed.signal()
                // Whoever takes nothing meanwhile is said nothing more.
                #expect(isSaid.wait(timeout: .now() + Self.secondsMax) == .success)
            }
            return answers(question)
        }
        let states = UbiquityStates(account, below: [FilePath(documents.path)])
        defer { states.end() }
        states.follow(isAwaited: true) { _ in }
        #expect(isFollowed.wait(timeout: .now() + Self.secondsMax) == .success)
        // More than fits between two processes.
        let others = (0..<10_000).map { state("\($0).txt", isUploaded: false) }
        try stub.say(.changed(others, isSettled: false))
        try stub.say(.changed([state("b.txt", isUploaded: true)], isSettled: false))
        isSaid.signal()
        states.awaitFirst(seconds: Self.secondsMax)
        #expect(value("a.txt", states) == .integer(1))
        // It may be read only now.
        while value("b.txt", states) != .integer(1) { sched_yield() }
        #expect(value("9999.txt", states) == .integer(0))
        withExtendedLifetime(stub) {}
    }

    @Test("Where nobody is there, or nobody keeps a folder in step, and at its end, nothing is waited for")
    func nobody() throws {
        let root = FilePath(documents.path)
        let alone = UbiquityStates(account, below: [root])
        alone.follow(isAwaited: true) { _ in }
        alone.awaitFirst(seconds: Self.secondsMax)
        alone.end()
        let stub = try StatesStub(place) { _ in .refused(SyncRefusal(.notInContainer, "It is in none.")) }
        let outside = UbiquityStates(account, below: [root])
        outside.follow(isAwaited: true) { _ in }
        outside.awaitFirst(seconds: Self.secondsMax)
        outside.end()
        #expect(!alone.isAnswered && !outside.isAnswered)
        withExtendedLifetime(stub) {}
    }

    @Test("Its end lets go of who waits for the first answer")
    func end() throws {
        let isAsked = DispatchSemaphore(value: 0)
        let stub = try StatesStub(place) { [answers] question in
            guard case .items = question else { return answers(question) }
            isAsked.signal()
            return nil
        }
        let states = UbiquityStates(account, below: [FilePath(documents.path)])
        states.follow(isAwaited: true) { _ in }
        #expect(isAsked.wait(timeout: .now() + Self.secondsMax) == .success)
        Thread.detachNewThread { states.end() }
        states.awaitFirst(seconds: Self.secondsMax)
        #expect(!states.isAnswered)
        withExtendedLifetime(stub) {}
    }

    @Test("What is excluded from sync, and what is in it, is in a container and not ubiquitous")
    func excluded() throws {
        let folder = url("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        for excluded in [url("b.txt"), folder] { try SyncExclusion.set(true, FilePath(excluded.path)) }
        let states = UbiquityStates(account, below: [FilePath(documents.path)])
        func isUbiquitous(_ name: String) -> PredicateValue? {
            states.value(of: NSMetadataItemIsUbiquitousKey, at: FilePath(url(name).path))
        }
        #expect(isUbiquitous("a.txt") == .integer(1))
        #expect(isUbiquitous("b.txt") == .integer(0))
        #expect(isUbiquitous("folder") == .integer(0))
        #expect(isUbiquitous("folder/c.txt") == .integer(0))
    }

    // MARK: Queries

    /// What a query over the documents has found when it has gathered: names, with whether the hub has them.
    private func gathered(_ predicate: NSPredicate, _ finished: DispatchSemaphore? = nil) -> [String: Int] {
        UbiquityAccount.$shared.withValue(account) {
            let query = NSMetadataQuery()
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            query.operationQueue = queue
            query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
            query.predicate = predicate
            query.statesSecondsMax = Self.secondsMax
            let found = Locked<[String: Int]>([:])
            let isFinished = DispatchSemaphore(value: 0)
            let observer = NotificationCenter.default.addObserver(
                forName: .NSMetadataQueryDidFinishGathering,
                object: query,
                queue: nil
            ) { _ in
                var values: [String: Int] = [:]
                for case let item as NSMetadataItem in query.results {
                    let isUploaded = item.value(forAttribute: Self.isUploaded) as? NSNumber
                    values[QueryStage.name(item)] = isUploaded?.intValue ?? -1
                }
                found.withLock { [values] in $0 = values }
                finished?.signal()
                isFinished.signal()
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            #expect(query.start())
            #expect(isFinished.wait(timeout: .now() + Self.secondsMax) == .success)
            query.stop()
            return found.withLock { $0 }
        }
    }

    @Test(
        "How what is in a folder stands goes along when that is renamed: it neither goes nor comes",
        arguments: [false, true]
    )
    func renamedFolder(looksAtAll: Bool) throws {
        try FileManager.default.createDirectory(at: url("d"), withIntermediateDirectories: false)
        try Data("1".utf8).write(to: url("d/c.txt"))
        var items = ["d", "d/c.txt"].map { state($0, isUploaded: true) }
        items[0].isFolder = true
        let stub = try StatesStub(place) { [answers, items] question in
            if case .items = question { .items(items) } else { answers(question) }
        }
        // Whose account it searches is that of where it was made, while another test has make-believe devices.
        let stage = try UbiquityAccount.$shared.withValue(account) { try QueryStage(usesPrivilege: false) }
        stage.query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
        stage.query.predicate = NSPredicate(format: "%K == 1", Self.isUploaded)
        stage.query.statesSecondsMax = Self.secondsMax
        UbiquityAccount.$shared.withValue(account) { _ = stage.query.start() }
        defer { stage.query.stop() }
        stage.wait("the gathering") { $0.contains { $0.name == .NSMetadataQueryDidFinishGathering } }
        #expect(Set(stage.names()) == ["d", "c.txt"])
        let run = try #require(stage.query.run)
        run.queue.sync {
            #expect(rename(url("d").path, url("e").path) == 0)
            guard looksAtAll else { return }
            run.needsLookAtAll = true
            run.look()
        }
        stage.wait("where all is now") {
            $0.flatMap(\.changed).contains { QueryStage.name($0) == "c.txt" }
        }
        let told = stage.updates.map { update in
            [update.added, update.removed, update.changed].map { $0.map(QueryStage.name) }
        }
        #expect(told.allSatisfy { $0[0].isEmpty && $0[1].isEmpty }, "\(told)")
        #expect(Set(stage.names()) == ["e", "c.txt"])
        withExtendedLifetime(stub) {}
    }

    @Test("When all has been gathered it is known how items stand, and predicates ask for it")
    func queries() throws {
        let finished = DispatchSemaphore(value: 0)
        let stub = try StatesStub(place) { [answers] question in
            // Whoever does not wait for this has finished meanwhile.
            if case .items = question { _ = finished.wait(timeout: .now() + 0.5) }
            return answers(question)
        }
        let all = NSPredicate(format: "%K LIKE '*'", NSMetadataItemFSNameKey)
        #expect(gathered(all, finished) == ["a.txt": 1, "b.txt": 0])
        #expect(gathered(NSPredicate(format: "%K == 1", Self.isUploaded)) == ["a.txt": 1])
        withExtendedLifetime(stub) {}
    }
}
