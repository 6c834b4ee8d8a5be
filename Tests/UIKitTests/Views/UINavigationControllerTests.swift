import Foundation
import Testing

@testable import UIKit

@Suite("UINavigationController")
@MainActor
struct UINavigationControllerTests {
    let journal = Journal()
    let first: NotingController
    let second: NotingController
    let navigation: UINavigationController
    let window = UIWindow(frame: .zero)

    init() {
        first = NotingController("first", journal)
        second = NotingController("second", journal)
        navigation = UINavigationController(rootViewController: first)
    }

    private func show() {
        window.rootViewController = navigation
        window.makeKeyAndVisible()
        _ = journal.take()
    }

    @Test("A container holds its root before it is shown, and shows it with itself")
    func root() {
        #expect(journal.take() == ["first enters", "first entered"])
        #expect(navigation.viewControllers == [first])
        #expect(first.navigationController === navigation)
        window.rootViewController = navigation
        window.makeKeyAndVisible()
        #expect(journal.take() == ["first load", "first will", "first is", "first did"])
    }

    @Test("Pushing: each hears of its end when the other's has begun")
    func push() {
        show()
        navigation.pushViewController(second, animated: true)
        #expect(
            journal.take() == [
                "second enters", "first willGo*", "second load", "second will*", "second is*", "first gone*",
                "second did*", "second entered",
            ]
        )
        #expect(navigation.topViewController === second)
    }

    @Test("Popping gives the one that went, and the one under it appears")
    func pop() {
        show()
        navigation.pushViewController(second, animated: false)
        _ = journal.take()
        #expect(navigation.popViewController(animated: true) === second)
        #expect(
            journal.take() == [
                "second leaves", "second willGo*", "first will*", "first is*", "second gone*", "first did*",
                "second left",
            ]
        )
        #expect(second.parent == nil && second.navigationController == nil)
        #expect(navigation.topViewController === first)
    }

    @Test("The last one is not popped")
    func popLast() {
        show()
        #expect(navigation.popViewController(animated: false) == nil)
        #expect(journal.take().isEmpty)
        #expect(navigation.topViewController === first)
    }

    @Test("What is pushed before the container is shown appears with it, and alone")
    func pushUnseen() {
        navigation.pushViewController(second, animated: false)
        _ = journal.take()
        window.rootViewController = navigation
        window.makeKeyAndVisible()
        #expect(journal.take() == ["second load", "second will", "second is", "second did"])
        #expect(first.viewIfLoaded == nil)
    }

    @Test("Done pops what was pushed, and then dismisses the container")
    func done() {
        let root = UIViewController()
        window.rootViewController = root
        window.makeKeyAndVisible()
        navigation.pushViewController(second, animated: false)
        root.present(navigation, animated: false)
        second.donePressed()
        #expect(navigation.topViewController === first)
        #expect(root.presentedViewController === navigation)
        first.donePressed()
        #expect(root.presentedViewController == nil)
    }

    @Test("A page pushed over the bottom can be left; the bottom cannot")
    func doneOfRoot() throws {
        let stage = try Stage(navigation)
        #expect(stage.description.stack.map(\.done) == [false])
        navigation.pushViewController(second, animated: false)
        #expect(stage.description.stack.map(\.title) == ["second"])
        #expect(stage.description.stack.map(\.done) == [true])
        #expect(try stage.refusal("document.done", ["document": second.pageIdentifier]) == nil)
        #expect(stage.description.stack.map(\.title) == ["first"])
    }
}
