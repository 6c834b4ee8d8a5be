import Foundation
import Testing

@testable import UIKit

@Suite("UIViewController")
@MainActor
struct UIViewControllerTests {
    private final class OwnView: UIViewController {
        let own = UIView()
        var loads = 0

        override func loadView() { view = own }
        override func viewDidLoad() {
            super.viewDidLoad()
            loads += 1
        }
    }

    @Test("The view is made when it is first asked for, once")
    func loading() {
        let controller = OwnView()
        #expect(!controller.isViewLoaded)
        #expect(controller.viewIfLoaded == nil)
        #expect(controller.view === controller.own)
        #expect(controller.view === controller.own)
        #expect(controller.loads == 1)
        #expect(controller.isViewLoaded)
    }

    @Test("The bar's title follows the title, also when the bar was asked for first")
    func title() {
        let controller = UIViewController()
        controller.title = "One"
        #expect(controller.navigationItem.title == "One")
        controller.title = "Two"
        #expect(controller.navigationItem.title == "Two")
        #expect(controller.layer.title == "Two")

        let other = UIViewController()
        other.navigationItem.rightBarButtonItem = UIBarButtonItem(title: "Add")
        other.title = "Late"
        #expect(other.layer.title == "Late")
        other.navigationItem.title = "In the bar"
        #expect(other.title == "Late")
        #expect(other.layer.title == "In the bar")
    }

    @Test("A child is in one container at a time, and leaves it")
    func children() {
        let (one, other, child) = (UIViewController(), UIViewController(), UIViewController())
        one.addChild(child)
        other.addChild(child)
        #expect(one.children.isEmpty)
        #expect(other.children == [child])
        #expect(child.parent === other)
        child.removeFromParent()
        #expect(other.children.isEmpty)
        #expect(child.parent == nil)
        child.removeFromParent()
    }

    @Test("Events go from a view to its controller, then up to the window, the scene and the app")
    func responders() throws {
        let controller = UIViewController()
        let stage = try Stage(controller)
        let inner = UIView()
        controller.view.addSubview(inner)
        #expect(inner.next === controller.view)
        #expect(controller.view.next === controller)
        #expect(controller.next === stage.window)
        #expect(stage.window.next === stage.scene)
        #expect(stage.scene.next === UIApplication.shared)
        let sheet = UIViewController()
        controller.present(sheet, animated: false)
        #expect(sheet.next === controller)
    }
}
