import DocumentFoundation
import Foundation
import Locks
import TestThreads
import Testing

@Suite("NSFileCoordinator", .onOwnThreads)
struct NSFileCoordinatorTests {
    @Test("A reader waits for the writer, and later reads what it wrote")
    func readerWaitsForWriter() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        var reading: Gate?
        scene.write(at: url) { url in
            reading = scene.inBackground { scene.read(url) { _ in scene.note("read") } }
            #expect(scene.untilWaiting())
            scene.note("written")
        }
        #expect(reading?.pass() == true)
        #expect(scene.story == ["written", "read"])
    }

    @Test("Two readers read at once")
    func readersShare() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        scene.read(url) { url in
            #expect(scene.inBackground { scene.read(url) }.pass())
        }
    }

    @Test("A coordinator nests: a read in a write, by itself or for the same presenter")
    func nests() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let other = scene.presenter("other", of: url)
        var laters: [Gate] = []
        for owner in [nil, ScenePresenter("owner", of: url, in: scene, queue: nil)] {
            let outer = scene.coordinator(for: owner)
            scene.write(at: url, by: outer) { url in
                laters.append(scene.inBackground { scene.write(at: url) { _ in scene.note("later") } })
                #expect(scene.untilWaiting())
                let inner = owner == nil ? outer : scene.coordinator(for: owner)
                scene.read(url, by: inner) { _ in scene.note("nested") }
            }
            #expect(laters.last?.pass() == true)
            other.settle()
        }
        #expect(
            scene.story.filter { $0 == "nested" || $0 == "later" } == ["nested", "later", "nested", "later"]
        )
        #expect(scene.story.filter { $0 == "other toReader" || $0 == "other save" } == [])
    }

    @Test("A URL that is no file's is refused without running the accessor")
    func refusesOtherURLs() throws {
        let scene = try CoordinationScene()
        let url = try #require(URL(string: "https://example.com/a"))
        let readError = scene.read(url) { _ in Issue.record("ran") }
        let writeError = scene.write(at: url) { _ in Issue.record("ran") }
        #expect(readError?.code == CocoaError.fileReadUnsupportedScheme.rawValue)
        #expect(writeError?.code == CocoaError.fileWriteUnsupportedScheme.rawValue)
        NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { _ in Issue.record("ran") }
    }

    @Test("Cancelling fails who waits and whoever asks later, and no one else")
    func cancels() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let coordinator = scene.coordinator()
        let code = Locked(0)
        scene.write(at: url) { url in
            let reading = scene.inBackground {
                let error = scene.read(url, by: coordinator) { _ in Issue.record("ran") }
                code.withLock { $0 = error?.code ?? 0 }
            }
            #expect(scene.untilWaiting())
            coordinator.cancel()
            #expect(reading.pass())
        }
        #expect(code.withLock { $0 } == CocoaError.userCancelled.rawValue)
        #expect(scene.read(url, by: coordinator) { _ in Issue.record("ran") }?.domain == NSCocoaErrorDomain)
        #expect(scene.read(url) == nil)
    }

    @Test("A waiting accessor gets the item's new place; one that replaces it keeps the old")
    func followsMoves() throws {
        let scene = try CoordinationScene()
        let (url, target) = (try scene.write("a"), scene.url("b"))
        let mover = scene.coordinator()
        var gates: [Gate] = []
        scene.write(at: url, .forMoving, by: mover) { url in
            gates = [
                scene.inBackground { scene.read(url) { scene.note("read \($0.lastPathComponent)") } },
                scene.inBackground {
                    scene.write(at: url, .forReplacing) { scene.note("replace \($0.lastPathComponent)") }
                },
            ]
            #expect(scene.untilWaiting(2))
            mover.item(at: url, didMoveTo: target)
            mover.item(at: target, didMoveTo: target)
        }
        for gate in gates { #expect(gate.pass()) }
        #expect(scene.story.sorted() == ["read b", "replace a"])
    }

    @Test("Several intents are granted together, on the queue, with the places of their items")
    func coordinatesIntents() throws {
        let scene = try CoordinationScene()
        let (source, target) = (try scene.write("a"), scene.url("b"))
        let intents = [
            NSFileAccessIntent.readingIntent(with: source),
            .writingIntent(with: target, options: .forReplacing),
        ]
        let (done, queue) = (Gate(), OperationQueue())
        scene.coordinator().coordinate(with: intents, queue: queue) { error in
            #expect(error == nil && OperationQueue.current === queue)
            #expect(throws: Never.self) {
                try FileManager.default.copyItem(at: intents[0].url, to: intents[1].url)
            }
            done.open()
        }
        #expect(done.pass())
        #expect(scene.read(target) == nil)
        #expect(FileManager.default.fileExists(atPath: target.path))
    }

    @Test("An asynchronous request that is cancelled hears of it once")
    func cancelsIntents() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let coordinator = scene.coordinator()
        let done = Gate()
        scene.write(at: url) { url in
            let intents = [NSFileAccessIntent.writingIntent(with: url)]
            coordinator.coordinate(with: intents, queue: OperationQueue()) { error in
                scene.note("\((error as NSError?)?.code ?? 0)")
                done.open()
            }
            coordinator.cancel()
            #expect(done.pass())
        }
        #expect(scene.story == ["3072"])
    }

    @Test(
        "An accessor that has access and waits for its queue when it is cancelled is not let in",
        arguments: [[], .forUploading] as [NSFileCoordinator.ReadingOptions]
    )
    func cancelsGranted(options: NSFileCoordinator.ReadingOptions) throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let coordinator = scene.coordinator()
        let (queue, background) = (OperationQueue(), DispatchQueue(label: "background"))
        let (done, doneBehind) = (Gate(), Gate())
        queue.isSuspended = true
        background.suspend()
        coordinator.coordinate(with: [.readingIntent(with: url, options: options)], queue: queue) { error in
            scene.note("\((error as NSError?)?.code ?? 0)")
            done.open()
        }
        coordinator.coordinate(.readingIntent(with: url), on: background) { result in
            if case .failure(let error) = result { scene.note("\((error as NSError).code)") }
            doneBehind.open()
        }
        #expect(queue.operationCount == 1)
        coordinator.cancel()
        queue.isSuspended = false
        background.resume()
        #expect(done.pass() && doneBehind.pass())
        #expect(scene.story == ["3072", "3072"])
        // Nothing is left in the way.
        #expect(scene.write(at: url) == nil)
    }

    @Test("An asynchronous request for no item at all is granted at once, unless it is cancelled")
    func noIntents() throws {
        let scene = try CoordinationScene()
        let coordinator = scene.coordinator()
        for _ in 0..<2 {
            let done = Gate()
            coordinator.coordinate(with: [], queue: OperationQueue()) { error in
                scene.note("\((error as NSError?)?.code ?? 0)")
                done.open()
            }
            #expect(done.pass())
            coordinator.cancel()
        }
        #expect(scene.story == ["0", "3072"])
    }

    @Test("Crossing moves of two items do not deadlock")
    func crossingMoves() throws {
        let scene = try CoordinationScene()
        let (first, second) = (try scene.write("a"), try scene.write("b"))
        let gates = [(first, second), (second, first)].map { source, target in
            scene.inBackground {
                for _ in 0..<200 {
                    scene.coordinator().coordinate(
                        writingItemAt: source,
                        options: .forMoving,
                        writingItemAt: target,
                        options: .forReplacing,
                        error: nil
                    ) { _, _ in scene.note("moved") }
                }
            }
        }
        for gate in gates { #expect(gate.pass()) }
        #expect(scene.story.count == 400)
    }

    @Test("Preparing asks each presenter once for all that follows")
    func prepares() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let presenter = scene.presenter("p", of: url)
        let coordinator = scene.coordinator()
        coordinator.prepare(forReadingItemsAt: [], writingItemsAt: [url], error: nil) { done in
            for _ in 0..<2 { scene.write(at: url, by: coordinator) { _ in scene.note("write") } }
            done()
            done()
        }
        presenter.settle()
        #expect(scene.story.filter { $0 != "p changed" } == ["p toWriter", "write", "write", "p reacquire"])
        #expect(scene.read(url) == nil)
    }

    @Test("A preparation whose handler is dropped ends")
    func droppedPreparation() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        scene.coordinator().prepare(forReadingItemsAt: [url], writingItemsAt: [], error: nil) { _ in }
        #expect(scene.write(at: url) == nil)
    }

    @Test("Reading for uploading gives a copy, removed afterwards, and keeps no writer waiting")
    func copiesForUploading() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a.txt", "old")
        var copy: URL?
        scene.read(url, .forUploading) { given in
            copy = given
            #expect(scene.write(at: url) { try? Data("new".utf8).write(to: $0) } == nil)
            #expect(given != url && given.lastPathComponent == "a.txt")
            #expect((try? String(contentsOf: given, encoding: .utf8)) == "old")
        }
        #expect(copy.map { FileManager.default.fileExists(atPath: $0.path) } == false)
        let error = scene.read(scene.folder, .forUploading) { _ in Issue.record("ran") }
        #expect(error?.code == CocoaError.featureUnsupported.rawValue)
        #expect(scene.write(at: scene.folder) == nil)
    }

    @Test("Resolving a symbolic link reads, and reserves, what it leads to")
    func resolvesLinks() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let link = scene.url("link")
        try FileManager.default.createSymbolicLink(atPath: scene.url("second").path, withDestinationPath: "a")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "second")
        scene.read(link, .resolvesSymbolicLink) { given in
            #expect(given.path == url.path)
            let writing = scene.inBackground { scene.write(at: url) }
            #expect(scene.untilWaiting())
            withExtendedLifetime(writing) {}
        }
        scene.read(link) { #expect($0 == link) }
        #expect(scene.until { scene.registry.waits.isEmpty })
    }

    @Test("Coordinators that share a purpose do not wait for one another; one is made for each presenter")
    func purposes() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a")
        let (first, second) = (scene.coordinator(), scene.coordinator())
        #expect(first.purposeIdentifier != second.purposeIdentifier)
        second.purposeIdentifier = first.purposeIdentifier
        #expect(first.purposeIdentifier == second.purposeIdentifier)
        scene.write(at: url, by: first) { url in
            #expect(scene.inBackground { scene.write(at: url, by: second) }.pass())
        }
        let presenter = ScenePresenter("p", of: url, in: scene, queue: nil)
        #expect(
            scene.coordinator(for: presenter).purposeIdentifier
                == scene.coordinator(for: presenter).purposeIdentifier
        )
    }

    @Test("Setting a purpose twice traps")
    func purposeSetTwice() async {
        await #expect(processExitsWith: .failure) {
            let coordinator = NSFileCoordinator()
            coordinator.purposeIdentifier = "one"
            coordinator.purposeIdentifier = "two"
        }
    }
}
