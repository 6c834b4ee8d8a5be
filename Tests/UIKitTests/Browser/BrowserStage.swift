import Foundation
import Testing
import UniformTypeIdentifiers

@testable import UIKit

/// A browser of plain text in a location of its own, shown in a tab.
@MainActor
final class BrowserStage {
    let shelf: Shelf
    let browser: UIDocumentBrowserViewController
    let stage: Stage
    private(set) var told: [String] = []
    private var waiting: [(condition: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    init(
        _ shelf: Shelf,
        _ make: ([UTType]) -> UIDocumentBrowserViewController = { .init(forOpening: $0) }
    ) async throws {
        self.shelf = shelf
        browser = make([.plainText])
        stage = try Stage()
        browser.model = BrowserModel(
            contentTypes: browser.contentTypes,
            documents: shelf.url,
            changed: { [weak self] in self?.check() },
            told: { [weak self] in self?.told.append($0) }
        )
        stage.window.rootViewController = browser
        await browser.model.whenListed()
        stage.tabSession.bringUpToDate()
        _ = try stage.told()
    }

    var names: [String] { browser.model.items.keys.sorted() }

    /// Waits until a change of the list has made a condition true.
    func until(_ condition: @escaping () -> Bool) async {
        if condition() { return }
        await withCheckedContinuation { waiting.append((condition, $0)) }
    }

    private func check() {
        let met = waiting.filter { $0.condition() }
        waiting.removeAll { $0.condition() }
        met.forEach { $0.continuation.resume() }
    }

    @discardableResult
    func perform(_ verb: Substring, _ values: [String: Any] = [:]) async throws -> Any? {
        try await answer {
            try browser.perform(verb, Acts.Arguments(values: values), tab: stage.tabSession, $0)
        }
    }

    /// The items that came of it.
    func items(_ verb: Substring, _ values: [String: Any] = [:]) async throws -> [String] {
        let value = try #require(try await perform(verb, values) as? [String: Any])
        return try #require(value["items"] as? [String])
    }
}

/// A browser's delegate that notes what it is told.
@MainActor
final class NotingDelegate: NSObject, UIDocumentBrowserViewControllerDelegate {
    var creation: (url: URL?, mode: UIDocumentBrowserViewController.ImportMode) = (nil, .none)
    let journal = Journal()

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didRequestDocumentCreationWithHandler importHandler:
            @escaping (
                URL?, UIDocumentBrowserViewController.ImportMode
            ) -> Void
    ) {
        journal.note("create")
        importHandler(creation.url, creation.mode)
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didPickDocumentsAt documentURLs: [URL]
    ) {
        journal.note("pick " + documentURLs.map(\.lastPathComponent).joined(separator: " "))
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didImportDocumentAt sourceURL: URL,
        toDestinationURL destinationURL: URL
    ) {
        journal.note("import \(sourceURL.lastPathComponent) to \(destinationURL.lastPathComponent)")
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        failedToImportDocumentAt documentURL: URL,
        error: (any Error)?
    ) {
        journal.note("failed \(documentURL.lastPathComponent)\(error == nil ? "" : ", with an error")")
    }
}
