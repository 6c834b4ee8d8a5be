import DocumentTesting
import Foundation
import Locks
import TestThreads
import Testing
import UIKit

/// Presents a folder, and notes of what it is told.
private final class FolderPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    let told = Locked<[[String]]>([])
    private let news: AsyncStream<String>.Continuation

    init(_ url: URL, _ news: AsyncStream<String>.Continuation) {
        (presentedItemURL, self.news) = (url, news)
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    private func note(_ urls: URL...) {
        let folder = presentedItemURL?.path ?? ""
        told.withLock { $0.append(urls.map { String($0.path.dropFirst(folder.utf8.count + 1)) }) }
        urls.forEach { news.yield($0.lastPathComponent) }
    }

    func presentedSubitemDidAppear(at url: URL) { note(url) }
    func presentedSubitemDidChange(at url: URL) { note(url) }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { note(oldURL, newURL) }

    func accommodatePresentedSubitemDeletion(
        at url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        note(url)
        completionHandler(nil)
    }
}

/// Presents an item on the main queue, and notes that it makes way for an eviction.
private final class MainPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue.main
    let isAsked = Locked(false)

    init(_ url: URL) { presentedItemURL = url }

    func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        isAsked.withLock { $0 = true }
        completionHandler(nil)
    }
}

@Suite("Who presents a device's folder", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldPresenterTests {
    @Test("makes way on the main queue for who evicts there")
    func evictionOnMain() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
        let url = pad.folder.appendingPathComponent("list.txt")
        let presenter = MainPresenter(url)
        NSFileCoordinator.addFilePresenter(presenter)
        try pad.evict(url)
        #expect(presenter.isAsked.withLock { $0 })
        #expect(!FileManager.default.fileExists(atPath: url.path))
        NSFileCoordinator.removeFilePresenter(presenter)
    }

    @Test("is told of documents that change, leave and come back by their names, and of no others")
    func names() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
        let (news, reader) = AsyncStream.makeStream(of: String.self)
        let presenter = FolderPresenter(pad.folder, reader)
        NSFileCoordinator.addFilePresenter(presenter)
        let url = pad.folder.appendingPathComponent("list.txt")
        for number in 0..<5 {
            try pad.evict(url)
            try await pad.download(url)
            try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("\(number)") }
            try await world.settle()
        }
        try await world.create(ShoppingList.init, "last.txt", on: phone) { $0.items = ["jam"] }
        for await name in news where name == "last.txt" { break }
        NSFileCoordinator.removeFilePresenter(presenter)
        let told = presenter.told.withLock { $0 }
        #expect(told.contains(["list.txt"]))
        #expect(told.joined().filter { $0.contains(".sheaf-") } == [])
        #expect(told.filter { Set($0).count < $0.count } == [])
    }
}
