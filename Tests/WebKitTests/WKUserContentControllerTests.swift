import Foundation
import Testing
import UIKit

@testable import WebKit

@Suite("WKUserContentController")
@MainActor
struct WKUserContentControllerTests {
    private final class Handler: NSObject, WKScriptMessageHandler {
        var bodies: [String] = []

        func userContentController(
            _ userContentController: WKUserContentController,
            didReceive message: WKScriptMessage
        ) {
            bodies.append("\(message.name): \(message.body)")
        }
    }

    private func script(_ source: String) -> WKUserScript {
        WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: true)
    }

    @Test("Scripts stay in the order in which they were added, until all are removed")
    func scripts() {
        let controller = WKUserContentController()
        controller.addUserScript(script("1"))
        controller.addUserScript(script("2"))
        #expect(controller.userScripts.map(\.source) == ["1", "2"])
        controller.removeAllUserScripts()
        #expect(controller.userScripts.isEmpty)
    }

    @Test("A message goes to the handler of its name while there is one, and is an error else")
    func handlers() {
        let controller = WKUserContentController()
        let handler = Handler()
        let webView = WKWebView(frame: .zero)
        var errors: [String?] = []
        func post(_ name: String) {
            controller.receive(WKScriptMessage(body: "x", name: name, webView: webView)) { errors.append($1) }
        }
        controller.add(handler, name: "one")
        controller.add(handler, name: "two")
        post("one")
        controller.removeScriptMessageHandler(forName: "one")
        post("one")
        post("two")
        controller.removeAllScriptMessageHandlers()
        post("two")
        controller.add(handler, name: "one")
        post("one")
        #expect(handler.bodies == ["one: x", "two: x", "one: x"])
        #expect(errors.map { $0 == nil } == [true, false, true, false, true])
        #expect(errors[1]?.contains("one") == true)
    }

    @Test("A second handler of the same name ends the program")
    func twice() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let controller = WKUserContentController()
            controller.add(Handler(), name: "one")
            controller.add(Handler(), name: "one")
        }
    }
}
