internal import Foundation
internal import StandardStreams

/// Carries out what a person asks for in a tab, and answers each time.
@MainActor
final class Acts {
    /// Why an act is not carried out, as the page shows it.
    struct Refusal: Error {
        var title: String
        var message: String

        init(_ title: String, _ message: String) {
            self.title = title
            self.message = message
        }

        init(_ title: String, _ error: any Error) {
            self.init(title, error.localizedDescription)
        }
    }

    /// Takes the answer to an act.
    typealias Answer = (Result<Any?, Refusal>) -> Void

    private unowned let tabSession: TabSession

    init(_ tabSession: TabSession) {
        self.tabSession = tabSession
    }

    func perform(_ message: [String: Any]) {
        guard let id = message["id"] as? Int else {
            StandardError.say("A tab asked for an act without a number; it cannot be answered.")
            return
        }
        let arguments = Arguments(values: message["arguments"] as? [String: Any] ?? [:])
        let answer: Answer = { [weak tabSession] result in
            switch result {
            case .success(let value): tabSession?.answer(id, .reply(id, value))
            case .failure(let refusal):
                tabSession?.answer(id, .refusal(id, title: refusal.title, message: refusal.message))
            }
        }
        do {
            guard let name = message["name"] as? String else {
                throw Refusal("That cannot be done", "The page left out what is to be done.")
            }
            try perform(name, arguments, answer)
        } catch let refusal as Refusal {
            answer(.failure(refusal))
        } catch {
            answer(.failure(Refusal("That did not work", error)))
        }
    }

    private func perform(_ name: String, _ arguments: Arguments, _ answer: @escaping Answer) throws {
        let (subject, verb) = Self.split(name)
        switch subject {
        case "browser":
            guard
                let browser = tabSession.window?.rootViewController?.contentViewController
                    as? UIDocumentBrowserViewController
            else {
                throw Refusal("There is no browser here", "Reload the page to see what the app shows now.")
            }
            try browser.perform(verb, arguments, tab: tabSession, answer)
        case "document":
            try perform(document: verb, arguments, answer)
        case "alert":
            try choose(arguments)
            answer(.success(nil))
        case "bar":
            try tap(arguments)
            answer(.success(nil))
        case "scene":
            // The page asks for a sign that somebody is there.
            answer(.success(nil))
        default:
            throw Refusal(
                "That cannot be done",
                "The page asked for “\(name)”, which this app does not know."
            )
        }
    }

    private static func split(_ name: String) -> (Substring, Substring) {
        guard let dot = name.firstIndex(of: ".") else { return (Substring(name), "") }
        return (name[..<dot], name[name.index(after: dot)...])
    }

    // MARK: What is presented

    private func perform(document verb: Substring, _ arguments: Arguments, _ answer: @escaping Answer) throws
    {
        let controller = try presented(arguments.text("document"))
        guard let editor = controller.contentViewController as? UIDocumentViewController else {
            guard verb == "done" else {
                throw Refusal("This is no document", "There is nothing to \(verb) here.")
            }
            controller.donePressed()
            answer(.success(nil))
            return
        }
        try editor.perform(verb, arguments, answer)
    }

    private func choose(_ arguments: Arguments) throws {
        guard let alert = try presented(arguments.text("alert")) as? UIAlertController,
            let number = Int(try arguments.text("action")), alert.actions.indices.contains(number)
        else { throw Refusal("This question has gone", "It was answered in the meantime.") }
        guard alert.actions[number].isEnabled else {
            throw Refusal(
                "This answer cannot be given now",
                "Choose another one, or change what it depends on."
            )
        }
        alert.choose(alert.actions[number], fields: arguments.texts("fields"))
    }

    private func tap(_ arguments: Arguments) throws {
        let owner = try arguments.text("of")
        let name = try arguments.text("bar")
        let root = tabSession.window?.rootViewController
        var candidates: [UIBarButtonItem] = []
        if let browser = root?.contentViewController as? UIDocumentBrowserViewController,
            browser.pageIdentifier == owner
        {
            candidates =
                browser.additionalLeadingNavigationBarButtonItems
                + browser.additionalTrailingNavigationBarButtonItems
        } else {
            let item = try presented(owner).contentViewController.navigationItem
            candidates = (item.leftBarButtonItems ?? []) + (item.rightBarButtonItems ?? [])
        }
        guard let item = candidates.first(where: { $0.pageIdentifier == name }), item.isEnabled else {
            throw Refusal("This button has gone", "What it belonged to has changed in the meantime.")
        }
        if let action = item.primaryAction { action.handler(action) }
    }

    /// The presented view controller, or the root, that the page means.
    private func presented(_ identifier: String) throws -> UIViewController {
        var controller = tabSession.window?.rootViewController
        while let next = controller {
            if next.pageIdentifier == identifier || next.contentViewController.pageIdentifier == identifier {
                return next
            }
            controller = next.presentedViewController
        }
        throw Refusal("That has gone", "What you meant is not shown any longer.")
    }

    /// What an act was given.
    struct Arguments {
        let values: [String: Any]

        func text(_ name: String) throws -> String {
            guard let text = values[name] as? String else {
                throw Refusal("That cannot be done", "The page left out “\(name)”.")
            }
            return text
        }

        func texts(_ name: String) -> [String] {
            values[name] as? [String] ?? []
        }
    }
}
