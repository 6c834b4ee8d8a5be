import Foundation
import Testing

@testable import UIKit
@testable import WebHost

/// A scene with a window, shown in a tab.
@MainActor
final class Stage {
    let session: UISceneSession
    let scene: UIWindowScene
    let window: UIWindow
    let tabSession: TabSession
    let tab: FakeTab
    private var lastNumber = 0

    init(_ root: UIViewController? = nil) throws {
        tab = try FakeTab()
        session = UISceneSession(identifier: tab.id, role: .windowApplication)
        scene = UIWindowScene(session: session, connectionOptions: UIScene.ConnectionOptions())
        session.scene = scene
        tabSession = TabSession(session: session, scene: scene)
        session.tabSession = tabSession
        window = UIWindow(windowScene: scene)
        window.rootViewController = root
        window.makeKeyAndVisible()
        tabSession.connect(tab.tab)
    }

    /// What the tab was told since the last time, of the types asked for; all where none is.
    func told(_ types: String...) throws -> [[String: Any]] {
        try tab.take().filter { types.isEmpty || types.contains($0["type"] as? String ?? "") }
    }

    /// The scene as the page is told it.
    var description: SceneDescription { SceneRenderer.describe(window) }

    func send(_ message: [String: Any]) throws {
        let data = try JSONSerialization.data(withJSONObject: message)
        tabSession.received(String(decoding: data, as: UTF8.self))
    }

    /// Asks for something that is answered at once, and gives the answer.
    @discardableResult
    func act(_ name: String, _ arguments: [String: Any] = [:]) throws -> [String: Any] {
        lastNumber += 1
        _ = try tab.take()
        try send(["type": "act", "id": lastNumber, "name": name, "arguments": arguments])
        let replies = try told("reply")
        let reply = try #require(replies.first, "\(name) was not answered at once")
        #expect(replies.count == 1)
        #expect(reply["id"] as? Int == lastNumber)
        return reply
    }

    /// The message of a refusal; nil where it was done.
    func refusal(_ name: String, _ arguments: [String: Any] = [:]) throws -> String? {
        let error = try act(name, arguments)["error"] as? [String: Any]
        if let error { #expect((error["title"] as? String)?.isEmpty == false) }
        return error?["message"] as? String
    }
}

/// Something on its way from the main actor to the main actor.
struct Carried<Value>: @unchecked Sendable {
    // Sendable because both ends are on the main actor.
    let value: Value
}

/// Asks for something that is answered in its time, and gives the answer.
@MainActor
func answer(_ ask: (@escaping Acts.Answer) throws -> Void) async throws -> Any? {
    let carried: Carried<Any?> = try await withCheckedThrowingContinuation { continuation in
        do {
            try ask { result in continuation.resume(with: result.map { Carried(value: $0) }.mapError { $0 }) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
    return carried.value
}
