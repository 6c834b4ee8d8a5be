import DocumentFoundation
import Foundation
import Locks
import TestThreads
import Testing

@Suite("NSFilePresenter", .onOwnThreads)
struct NSFilePresenterTests {
    @Test("Before a read a presenter makes way and saves; after it, it reacquires")
    func readMessages() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let presenter = scene.presenter("p", of: url)
        scene.read(url) { _ in scene.note("read") }
        presenter.settle()
        #expect(scene.story == ["p toReader", "p save", "read", "p reacquire"])
        scene.read(url, .withoutChanges) { _ in scene.note("read") }
        presenter.settle()
        #expect(scene.story.suffix(3) == ["p toReader", "read", "p reacquire"])
    }

    @Test("After a write a presenter hears of the change before it reacquires")
    func writeMessages() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let presenter = scene.presenter("p", of: url)
        scene.write(at: url) { _ in scene.note("write") }
        presenter.settle()
        #expect(scene.story == ["p toWriter", "write", "p changed", "p reacquire"])
        scene.write(at: url, .forMerging) { _ in scene.note("merge") }
        presenter.settle()
        #expect(scene.story.suffix(5) == ["p toWriter", "p save", "merge", "p changed", "p reacquire"])
    }

    @Test(
        "Messages that come together for a serial queue are one operation, those for another can run at once",
        arguments: [(1, 1), (OperationQueue.defaultMaxConcurrentOperationCount, 2)]
    )
    func operations(width: Int, count: Int) throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = width
        queue.isSuspended = true
        let presenters = ["p", "q"].map { scene.presenter($0, of: url, queue: queue) }
        let writing = scene.inBackground { scene.write(at: url) }
        #expect(scene.until { queue.operationCount > 0 && !scene.registry.isDelivering })
        #expect(queue.operationCount == count)
        queue.isSuspended = false
        #expect(writing.pass())
        for presenter in presenters { presenter.settle() }
        #expect(Set(scene.story.prefix(2)) == ["p toWriter", "q toWriter"])
    }

    @Test("What has come together for a serial queue waits when one of its messages suspends the queue")
    func suspension() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let presenters = ["p", "q", "r"].map { scene.presenter($0, of: url, queue: queue) }
        for presenter in presenters {
            presenter.onRelinquishToWriter = { [unowned scene] writer in
                if scene.story.count == 1 { queue.isSuspended = true }
                writer(nil)
            }
        }
        let writing = scene.inBackground { scene.write(at: url) }
        #expect(scene.until { queue.isSuspended && !queue.operations.contains(where: \.isExecuting) })
        #expect(scene.story.count == 1)
        queue.isSuspended = false
        #expect(writing.pass())
        for presenter in presenters { presenter.settle() }
        #expect(Set(scene.story.prefix(3)) == ["p toWriter", "q toWriter", "r toWriter"])
    }

    @Test("A message whose operation somebody cancels is handled with the next one, and holds up none")
    func cancelledOperations() throws {
        let scene = try CoordinationScene()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let (url, other) = (try scene.write("a"), try scene.write("b"))
        let presenters = [("p", url), ("q", other)].map { scene.presenter($0, of: $1, queue: queue) }
        let writing = scene.inBackground { scene.write(at: url) }
        #expect(scene.until { queue.operationCount > 0 && !scene.registry.isDelivering })
        queue.cancelAllOperations()
        queue.isSuspended = false
        let writingOther = scene.inBackground { scene.write(at: other) }
        #expect(writing.pass() && writingOther.pass())
        for presenter in presenters { presenter.settle() }
        #expect(scene.story.filter { $0.hasSuffix("toWriter") } == ["p toWriter", "q toWriter"])
    }

    @Test("The presenter that an access is done for gets no messages about it")
    func ownerHearsNothing() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let presenter = scene.presenter("p", of: url)
        scene.read(url, by: scene.coordinator(for: presenter))
        scene.write(at: url, by: scene.coordinator(for: presenter))
        presenter.settle()
        #expect(scene.story == [])
    }

    @Test(
        "What a presenter writes while it saves does not wait for the reader that asked",
        arguments: [false, true]
    )
    func savesForReader(isSynchronous: Bool) throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a", "old")
        let presenter = scene.presenter("p", of: url)
        presenter.onSave = { [unowned presenter] done in
            let coordinator = scene.coordinator(for: presenter)
            if isSynchronous {
                scene.write(at: url, .forReplacing, by: coordinator) { try? Data("new".utf8).write(to: $0) }
                done(nil)
            } else {
                let intent = NSFileAccessIntent.writingIntent(with: url)
                coordinator.coordinate(with: [intent], queue: OperationQueue()) { error in
                    try? Data("new".utf8).write(to: intent.url)
                    done(error)
                }
            }
        }
        scene.read(url) { scene.note((try? String(contentsOf: $0, encoding: .utf8)) ?? "nothing") }
        presenter.settle()
        #expect(scene.story == ["p toReader", "p save", "new", "p reacquire"])
    }

    @Test("An error of a presenter ends the access, and those who made way reacquire")
    func errorsAbort() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let presenter = scene.presenter("p", of: url)
        presenter.onSave = { $0(CocoaError(.fileWriteOutOfSpace)) }
        let error = scene.read(url) { _ in Issue.record("ran") }
        #expect(error?.code == CocoaError.fileWriteOutOfSpace.rawValue)
        presenter.settle()
        #expect(scene.story == ["p toReader", "p save", "p reacquire"])
        presenter.onDeletion = { $0(CocoaError(.userCancelled)) }
        #expect(scene.write(at: url, .forDeleting) { _ in Issue.record("ran") } != nil)
        #expect(scene.registry.waits.isEmpty)
    }

    @Test("A presenter that never answers is named in an error, and a late answer is still reacquired")
    func timesOut() throws {
        let scene = try CoordinationScene(presenterTimeLimitSeconds: 0.05)
        let url = try scene.write("a.txt")
        let presenter = scene.presenter("p", of: url)
        let late = Locked<(@Sendable ((@Sendable () -> Void)?) -> Void)?>(nil)
        presenter.onRelinquishToReader = { reader in late.withLock { $0 = reader } }
        let error = scene.read(url) { _ in Issue.record("ran") }
        let text = error?.localizedDescription ?? ""
        #expect(error?.domain == FileCoordinationError.errorDomain)
        #expect(
            text.contains("ScenePresenter") && text.contains("a.txt") && text.contains("toReader"),
            "\(text)"
        )
        // It may be asked when the time is over already.
        #expect(scene.until { late.withLock { $0 != nil } })
        late.withLock { $0 }? { scene.note("reacquired late") }
        presenter.settle()
        #expect(scene.story == ["p toReader", "reacquired late"])
    }

    @Test("Deleting a folder asks the presenters of what is in it")
    func deletion() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("folder/a")
        let presenter = scene.presenter("p", of: url)
        scene.write(at: scene.url("folder"), .forDeleting) { folder in
            scene.note("delete")
            try? FileManager.default.removeItem(at: folder)
        }
        presenter.settle()
        #expect(scene.story == ["p toWriter", "p deletion", "delete", "p reacquire"])
    }

    @Test("A move is told to presenters of the item, of what is in it, and of the folder around it")
    func moves() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("folder/a")
        let (source, target) = (scene.url("folder"), scene.url("other"))
        let item = scene.presenter("item", of: source)
        let inner = scene.presenter("inner", of: url)
        let around = scene.presenter("around", of: scene.folder)
        let mover = scene.coordinator()
        mover.coordinate(
            writingItemAt: source,
            options: .forMoving,
            writingItemAt: target,
            options: .forReplacing,
            error: nil
        ) { source, target in
            try? FileManager.default.moveItem(at: source, to: target)
            mover.item(at: source, didMoveTo: target)
        }
        for presenter in [item, inner, around] { presenter.settle() }
        func told(_ name: String) -> [String] { scene.story.filter { $0.hasPrefix(name) } }
        #expect(told("item") == ["item toWriter", "item moved to other", "item reacquire"])
        #expect(told("inner") == ["inner toWriter", "inner moved to a", "inner reacquire"])
        #expect(told("around") == ["around moved folder to other"])
        scene.read(scene.url("other/a"))
        inner.settle()
        #expect(told("inner").suffix(3) == ["inner toReader", "inner save", "inner reacquire"])
    }

    @Test("The presenter of a folder hears what appears and changes in it, at any depth")
    func subitems() throws {
        let scene = try CoordinationScene()
        let presenter = scene.presenter("p", of: scene.folder)
        for _ in 0..<2 {
            scene.write(at: scene.url("b")) { try? Data().write(to: $0) }
        }
        scene.write(at: scene.url("c")) { _ in }
        presenter.settle()
        #expect(scene.story == ["p appeared b", "p changed b"])
    }

    @Test("The presenter of a folder hears of coordinated deletions in it, at any depth")
    func subitemDeletions() throws {
        let scene = try CoordinationScene()
        let urls = [try scene.write("a"), try scene.write("folder/b"), try scene.write("folder/c")]
        let presenter = scene.presenter("p", of: scene.folder)
        for url in urls + [scene.url("folder")] {
            scene.write(at: url, .forDeleting) { try? FileManager.default.removeItem(at: $0) }
        }
        presenter.settle()
        #expect(scene.story == ["p changed a", "p changed b", "p changed c", "p changed folder"])
    }

    @Test("A presenter that had no item is asked again after its own write")
    func asksForURLAgain() throws {
        let scene = try CoordinationScene()
        let url = scene.url("new")
        let presenter = scene.presenter("p", of: nil)
        scene.write(at: url, by: scene.coordinator(for: presenter)) { presenter.presentedItemURL = $0 }
        scene.read(url, .withoutChanges)
        presenter.settle()
        #expect(scene.story == ["p toReader", "p reacquire"])
    }

    @Test("A presenter that hears after its own write that its item has moved presents it there")
    func movesDuringOwnWrite() throws {
        let scene = try CoordinationScene()
        let (url, target) = (try scene.write("a"), scene.url("b"))
        let presenter = scene.presenter("p", of: url)
        presenter.presentedItemOperationQueue.isSuspended = true
        scene.write(at: url, by: scene.coordinator(for: presenter)) { _ in
            scene.coordinator().item(at: url, didMoveTo: target)
        }
        presenter.presentedItemOperationQueue.isSuspended = false
        presenter.settle()
        scene.read(target, .withoutChanges)
        presenter.settle()
        #expect(scene.story == ["p moved to b", "p toReader", "p reacquire"])
        // What it names of its own accord counts as ever.
        presenter.presentedItemURL = url
        scene.write(at: url, by: scene.coordinator(for: presenter))
        scene.read(url, .withoutChanges)
        presenter.settle()
        #expect(scene.story.suffix(2) == ["p toReader", "p reacquire"])
        #expect(scene.story.count == 5)
    }

    @Test("A removed presenter holds no one up, and is let go of")
    func removes() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        weak var gone: ScenePresenter?
        do {
            let presenter = scene.presenter("p", of: url)
            gone = presenter
            presenter.onRelinquishToReader = { _ in }
            scene.registry.add(presenter)
            #expect(scene.registry.presenters.count == 1)
            let reading = scene.inBackground { scene.read(url) }
            #expect(scene.until { scene.story == ["p toReader"] })
            scene.registry.remove(presenter)
            #expect(reading.pass())
            presenter.settle()
        }
        #expect(scene.registry.presenters.isEmpty)
        #expect(scene.until { gone == nil })
    }

    @Test("Code that waits on the presenter's own queue handles its messages meanwhile")
    func ownQueue() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let presenter = scene.presenter("p", of: url)
        let done = Gate()
        presenter.presentedItemOperationQueue.addOperation {
            scene.read(url) { _ in scene.note("read") }
            done.open()
        }
        #expect(done.pass())
        presenter.settle()
        #expect(scene.story == ["p toReader", "p save", "read", "p reacquire"])
    }

    @Test("Two presenters on one blocked queue each save for a reader")
    func sharedBlockedQueue() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let presenters = ["p", "q"].map { scene.presenter($0, of: url, queue: queue) }
        for presenter in presenters {
            presenter.onSave = { [unowned presenter] done in
                done(scene.write(at: url, by: scene.coordinator(for: presenter)) { _ in scene.note("saved") })
            }
        }
        let reading = scene.inBackground {
            let error = scene.read(url) { _ in scene.note("read") }
            #expect(error == nil)
        }
        #expect(reading.pass())
        queue.waitUntilAllOperationsAreFinished()
        let order = scene.story.filter { $0 == "saved" || $0 == "read" }
        #expect(order == ["saved", "saved", "read"])
    }

    @Test("Defaults make way, save nothing, let go, and turn a package's subitems into the package")
    func defaults() throws {
        final class Plain: NSObject, NSFilePresenter, @unchecked Sendable {
            // Sendable because all is constant but the counter, which is used on one queue and then read.
            let presentedItemURL: URL?
            let presentedItemOperationQueue = OperationQueue()
            var changeCount = 0
            init(_ url: URL) { presentedItemURL = url }
            func presentedItemDidChange() { changeCount += 1 }
        }
        let former = PackageDirectories.isPackage
        PackageDirectories.isPackage = { former($0) || $0.pathExtension == "coordinationpackage" }
        let scene = try CoordinationScene()
        let member = try scene.write("a.coordinationpackage/member")
        let presenter = Plain(scene.url("a.coordinationpackage"))
        presenter.presentedItemOperationQueue.maxConcurrentOperationCount = 1
        scene.registry.add(presenter)
        #expect(scene.read(member) == nil)
        #expect(scene.write(at: member) == nil)
        #expect(scene.write(at: member, .forDeleting) == nil)
        scene.read(scene.url("a.coordinationpackage")) { _ in
            let writing = scene.inBackground { scene.write(at: member, .forMerging) }
            #expect(scene.untilWaiting())
            withExtendedLifetime(writing) {}
        }
        #expect(scene.until { scene.registry.waits.isEmpty })
        #expect(scene.read(member) == nil)
        presenter.presentedItemOperationQueue.waitUntilAllOperationsAreFinished()
        #expect(presenter.changeCount == 3)
    }

    @Test("Which attributes a presenter observes it is asked when it is added, and not when it coordinates")
    func observedOnce() throws {
        final class Observer: NSObject, NSFilePresenter, Sendable {
            let presentedItemURL: URL?
            let presentedItemOperationQueue = OperationQueue()
            let askedCount = Locked(0)
            init(_ url: URL) { presentedItemURL = url }
            var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> {
                askedCount.withLock { $0 += 1 }
                return []
            }
        }
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let presenter = Observer(url)
        scene.registry.add(presenter)
        for _ in 0..<3 { scene.write(at: url, by: scene.coordinator(for: presenter)) }
        #expect(presenter.askedCount.withLock { $0 } == 1)
    }

    @Test("Only observed attributes are told")
    func ubiquityAttributes() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let presenter = scene.presenter("p", of: url)
        scene.coordinator().item(
            at: url,
            didChangeUbiquityAttributes: [.ubiquitousItemIsUploadedKey, .nameKey]
        )
        scene.coordinator().item(at: url, didChangeUbiquityAttributes: [.nameKey])
        presenter.settle()
        #expect(scene.story == ["p attributes 1"])
    }
}
