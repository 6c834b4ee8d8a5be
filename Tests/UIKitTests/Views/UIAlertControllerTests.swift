import Foundation
import Testing

@testable import UIKit

@Suite("UIAlertController")
@MainActor
struct UIAlertControllerTests {
    private let root = UIViewController()
    private let journal = Journal()

    private func alert(_ style: UIAlertController.Style = .alert) -> UIAlertController {
        let alert = UIAlertController(title: "Delete?", message: "It is gone then.", preferredStyle: style)
        alert.addAction(UIAlertAction(title: "Delete", style: .destructive) { _ in note("delete", alert) })
        alert.addAction(UIAlertAction(title: "Keep", style: .cancel) { _ in note("keep", alert) })
        alert.addAction(UIAlertAction(title: "Later", style: .default))
        return alert
    }

    private func note(_ what: String, _ alert: UIAlertController) {
        journal.note(what + (alert.presentingViewController == nil ? ", alone" : ", still shown"))
    }

    @Test("The page is told the question, its lines and its answers")
    func description() throws {
        let stage = try Stage(root)
        let alert = alert()
        alert.addTextField {
            $0.placeholder = "Name"
            $0.text = "Notes"
        }
        alert.addTextField { $0.isSecureTextEntry = true }
        root.present(alert, animated: true)
        let layer = try #require(stage.description.stack.last)
        #expect(layer.id == alert.pageIdentifier)
        #expect(layer.kind == "alert")
        #expect(layer.title == "Delete?")
        #expect(layer.message == "It is gone then.")
        #expect(
            layer.fields == [
                .init(placeholder: "Name", text: "Notes", secure: false),
                .init(placeholder: "", text: "", secure: true),
            ]
        )
        #expect(
            layer.actions == [
                .init(id: "0", title: "Delete", style: "destructive"),
                .init(id: "1", title: "Keep", style: "cancel"),
                .init(id: "2", title: "Later", style: "default"),
            ]
        )
    }

    @Test("A list of choices is a sheet")
    func sheet() throws {
        let stage = try Stage(root)
        root.present(alert(.actionSheet), animated: true)
        #expect(stage.description.stack.last?.kind == "sheet")
        #expect(stage.description.stack.last?.fields == [])
    }

    @Test("A chosen answer dismisses the alert, and is told afterwards, with what was filled in")
    func choose() throws {
        let stage = try Stage(root)
        let alert = alert()
        alert.addTextField()
        root.present(alert, animated: true)
        #expect(
            try stage.refusal(
                "alert.choose",
                ["alert": alert.pageIdentifier, "action": "0", "fields": ["typed", "too many"]]
            ) == nil
        )
        #expect(journal.take() == ["delete, alone"])
        #expect(alert.textFields?.map(\.text) == ["typed"])
        #expect(root.presentedViewController == nil)
    }

    @Test("An answer's handler can present the next question")
    func nextQuestion() throws {
        let stage = try Stage(root)
        let next = alert()
        let first = UIAlertController(title: nil, message: nil, preferredStyle: .alert)
        first.addAction(
            UIAlertAction(title: "OK", style: .default) { _ in root.present(next, animated: true) }
        )
        root.present(first, animated: true)
        try stage.act("alert.choose", ["alert": first.pageIdentifier, "action": "0"])
        #expect(root.presentedViewController === next)
    }

    @Test("A second answer, one that does not exist, and one to another alert are refused")
    func late() throws {
        let stage = try Stage(root)
        let alert = alert()
        root.present(alert, animated: true)
        for action in ["3", "-1", "", "x"] {
            #expect(
                try stage.refusal("alert.choose", ["alert": alert.pageIdentifier, "action": action]) != nil
            )
        }
        #expect(try stage.refusal("alert.choose", ["alert": "none", "action": "0"]) != nil)
        #expect(try stage.refusal("alert.choose", ["alert": root.pageIdentifier, "action": "0"]) != nil)
        try stage.act("alert.choose", ["alert": alert.pageIdentifier, "action": "1"])
        #expect(try stage.refusal("alert.choose", ["alert": alert.pageIdentifier, "action": "0"]) != nil)
        #expect(journal.take() == ["keep, alone"])
    }

    @Test("An answer that is not enabled is refused, and the alert stays")
    func disabled() throws {
        let stage = try Stage(root)
        let alert = alert()
        alert.actions[0].isEnabled = false
        root.present(alert, animated: true)
        #expect(try stage.refusal("alert.choose", ["alert": alert.pageIdentifier, "action": "0"]) != nil)
        #expect(journal.take().isEmpty)
        #expect(root.presentedViewController === alert)
    }
}
