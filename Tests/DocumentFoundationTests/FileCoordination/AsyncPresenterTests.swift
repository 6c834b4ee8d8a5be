import DocumentFoundation
import Foundation
import Locks
import TestThreads
import Testing

/// Who waits for something answers on the threads that tasks run on. Other tests hold these up: each of those that needs them
/// has a process of its own, and a thread of its own to wait on.
@Suite("NSFilePresenter, answers with async", .onOwnThreads)
struct AsyncPresenterTests {
    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test("Each question is asked in the spelling that the presenter has, and waited for")
    func asked() async {
        await #expect(processExitsWith: .success) {
            try await Self.onThread {
                let scene = try CoordinationScene()
                let member = try scene.write("folder/member")
                let presenter = LatePresenter(member)
                scene.registry.add(presenter)
                #expect(scene.read(member) { _ in presenter.note("read") } == nil)
                #expect(scene.write(at: member, .forMerging) { _ in presenter.note("merged") } == nil)
                #expect(scene.write(at: member, .forDeleting) { _ in presenter.note("deleted") } == nil)
                #expect(presenter.noted == ["saves", "read", "saves", "merged", "lets go", "deleted"])
            }
        }
    }

    @Test("What an answer throws ends the access with that error, given at once or later")
    func refused() async {
        await #expect(processExitsWith: .success) {
            try await Self.onThread {
                for waits in [false, true] {
                    let scene = try CoordinationScene()
                    let url = try scene.write("note.txt")
                    let presenter = LatePresenter(url)
                    presenter.refusal.withLock { $0 = CocoaError(.fileWriteOutOfSpace) }
                    presenter.waits.withLock { $0 = waits }
                    scene.registry.add(presenter)
                    let error = scene.read(url) { _ in Issue.record("was let in") }
                    #expect(error?.code == CocoaError.Code.fileWriteOutOfSpace.rawValue)
                    presenter.refusal.withLock { $0 = nil }
                    #expect(scene.read(url) == nil)
                }
            }
        }
    }

    @Test("The presenter of a package is asked for a member that goes")
    func subitem() async {
        await #expect(processExitsWith: .success) {
            try await Self.onThread {
                PackageDirectories.isPackage = { $0.pathExtension == "pack" }
                let scene = try CoordinationScene()
                let member = try scene.write("a.pack/member")
                let presenter = LatePresenter(scene.url("a.pack"))
                scene.registry.add(presenter)
                #expect(scene.write(at: member, .forDeleting) == nil)
                #expect(presenter.noted == ["lets member go"])
            }
        }
    }

    @Test("While it answers, what it writes for itself does not wait for who asked")
    func writesMeanwhile() async {
        await #expect(processExitsWith: .success) {
            try await Self.onThread {
                let scene = try CoordinationScene()
                let url = try scene.write("note.txt", "old")
                let presenter = LatePresenter(url)
                presenter.onSave.withLock {
                    $0 = {
                        let error = scene.write(at: url, by: scene.coordinator(for: presenter)) { url in
                            // An error shows in what is read.
                            try? Data("new".utf8).write(to: url)
                        }
                        #expect(error == nil)
                    }
                }
                scene.registry.add(presenter)
                let text = Locked("")
                let error = scene.read(url) { url in
                    // An error shows in what is read.
                    text.withLock { $0 = (try? String(contentsOf: url, encoding: .utf8)) ?? "" }
                }
                #expect(error == nil && text.withLock { $0 } == "new")
            }
        }
    }

    @Test(
        "A presenter without any of them, or one that waits for nothing, needs no other thread",
        arguments: [false, true]
    )
    func alone(answers: Bool) throws {
        let scene = try CoordinationScene()
        let url = try scene.write("note.txt")
        let late = LatePresenter(url)
        late.waits.withLock { $0 = false }
        let presenter: any NSFilePresenter = answers ? late : PlainPresenter()
        let (answer, here) = (Locked<[Bool]>([]), pthread_self())
        presenter.savePresentedItemChanges { error in
            answer.withLock { $0.append(error == nil && pthread_self() == here) }
        }
        #expect(answer.withLock { $0 } == [true])
    }

    @Test("A presenter without any of them answers before the question has returned, in both spellings")
    func defaults() async throws {
        let plain = PlainPresenter()
        let answers = Locked(0)
        let answered: @Sendable ((any Error)?) -> Void = { error in
            #expect(error == nil)
            answers.withLock { $0 += 1 }
        }
        plain.savePresentedItemChanges(completionHandler: answered)
        plain.accommodatePresentedItemDeletion(completionHandler: answered)
        plain.accommodatePresentedItemEviction(completionHandler: answered)
        plain.accommodatePresentedSubitemDeletion(at: URL(fileURLWithPath: "/"), completionHandler: answered)
        #expect(answers.withLock { $0 } == 4)
        try await plain.savePresentedItemChanges()
        try await plain.accommodatePresentedItemDeletion()
        try await plain.accommodatePresentedItemEviction()
        try await plain.accommodatePresentedSubitemDeletion(at: URL(fileURLWithPath: "/"))
        #expect(plain.primaryPresentedItemURL == nil)
    }

    @Test("A presenter of the main actor answers there")
    @MainActor
    func mainActor() async throws {
        let presenter = MainActorPresenter()
        let error: (any Error)? = await withCheckedContinuation { continuation in
            presenter.savePresentedItemChanges { continuation.resume(returning: $0) }
        }
        #expect(error == nil && presenter.saveCount == 1)
    }
}

/// Answers with `async` alone, after having waited unless it is told not to.
private final class LatePresenter: NSObject, NSFilePresenter, Sendable {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    let refusal = Locked<CocoaError?>(nil)
    let waits = Locked(true)
    let onSave = Locked<(@Sendable () -> Void)?>(nil)
    private let notes = Locked<[String]>([])

    init(_ url: URL) {
        presentedItemURL = url
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var noted: [String] { notes.withLock { $0 } }

    func note(_ text: String) { notes.withLock { $0.append(text) } }

    private func answer(_ text: String) async throws {
        if waits.withLock({ $0 }) { await Task.yield() }
        note(text)
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
    }

    func savePresentedItemChanges() async throws {
        onSave.withLock { $0 }?()
        try await answer("saves")
    }

    func accommodatePresentedItemDeletion() async throws { try await answer("lets go") }

    func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        try await answer("lets \(url.lastPathComponent) go")
    }
}

private final class PlainPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL? = nil
    let presentedItemOperationQueue = OperationQueue()
}

@MainActor
private final class MainActorPresenter: NSObject, NSFilePresenter {
    nonisolated let presentedItemURL: URL? = nil
    nonisolated let presentedItemOperationQueue = OperationQueue()
    private(set) var saveCount = 0

    func savePresentedItemChanges() async throws {
        MainActor.assertIsolated()
        saveCount += 1
    }
}
