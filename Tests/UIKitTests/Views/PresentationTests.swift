import Foundation
import Testing

@testable import UIKit

@Suite("Presentation")
@MainActor
struct PresentationTests {
    let journal = Journal()

    private func controller(_ name: String) -> NotingController { NotingController(name, journal) }

    /// A window with a root, already shown and forgotten.
    private func window(_ root: UIViewController) -> UIWindow {
        let window = UIWindow(frame: .zero)
        window.rootViewController = root
        window.makeKeyAndVisible()
        _ = journal.take()
        return window
    }

    @Test("A root loads and appears when its window is made visible, and not before nor twice")
    func root() {
        let window = UIWindow(frame: .zero)
        window.rootViewController = controller("root")
        #expect(journal.take().isEmpty)
        window.makeKeyAndVisible()
        #expect(journal.take() == ["root load", "root will", "root is", "root did"])
        window.makeKeyAndVisible()
        #expect(journal.take().isEmpty)
    }

    @Test("What is presented appears while it is being presented, and the completion comes last")
    func present() {
        let root = controller("root")
        let sheet = controller("sheet")
        let window = window(root)
        root.present(sheet, animated: true) { journal.note("shown") }
        #expect(journal.take() == ["sheet load+", "sheet will*+", "sheet is*+", "sheet did*+", "shown"])
        #expect(root.presentedViewController === sheet)
        #expect(sheet.presentingViewController === root)
        #expect(!sheet.isBeingPresented)
        #expect(sheet.view.window === window)
    }

    @Test(
        "A view controller over others is dismissed by the one under it and by itself",
        arguments: [true, false]
    )
    func dismiss(byPresenter: Bool) {
        let root = controller("root")
        let sheet = controller("sheet")
        let window = window(root)
        root.present(sheet, animated: false)
        _ = journal.take()
        (byPresenter ? root : sheet).dismiss(animated: true) { journal.note("dismissed") }
        #expect(journal.take() == ["sheet willGo*-", "sheet gone*-", "dismissed"])
        #expect(root.presentedViewController == nil)
        #expect(sheet.presentingViewController == nil)
        #expect(sheet.view.window == nil)
        withExtendedLifetime(window) {}
    }

    @Test("Dismissing from the bottom takes the whole chain away, the topmost first")
    func dismissNested() {
        let (root, first, second) = (controller("root"), controller("first"), controller("second"))
        let window = window(root)
        root.present(first, animated: false)
        first.present(second, animated: false)
        _ = journal.take()
        root.dismiss(animated: true) { journal.note("dismissed") }
        #expect(
            journal.take() == [
                "second willGo-", "second gone-", "first willGo*-", "first gone*-", "dismissed",
            ]
        )
        #expect(root.presentedViewController == nil && first.presentedViewController == nil)
        withExtendedLifetime(window) {}
    }

    @Test("Dismissing from the middle takes only what is over it")
    func dismissMiddle() {
        let (root, first, second) = (controller("root"), controller("first"), controller("second"))
        let window = window(root)
        root.present(first, animated: false)
        first.present(second, animated: false)
        first.dismiss(animated: false)
        #expect(first.presentedViewController == nil)
        #expect(root.presentedViewController === first)
        withExtendedLifetime(window) {}
    }

    @Test("With nothing to dismiss, the completion is called all the same")
    func dismissNothing() {
        let root = controller("root")
        let window = window(root)
        root.dismiss(animated: true) { journal.note("dismissed") }
        #expect(journal.take() == ["dismissed"])
        withExtendedLifetime(window) {}
    }

    @Test("A view controller that dismisses itself while it is being dismissed goes once")
    func dismissTwice() {
        let root = controller("root")
        let sheet = controller("sheet")
        let window = window(root)
        root.present(sheet, animated: false)
        _ = journal.take()
        sheet.onDisappear = { sheet.dismiss(animated: false) }
        root.dismiss(animated: false)
        #expect(journal.take() == ["sheet willGo-", "sheet gone-"])
        #expect(root.presentedViewController == nil)
        withExtendedLifetime(window) {}
    }

    @Test("What is presented over one that presents already is passed over, and not completed")
    func presentTwice() {
        let root = controller("root")
        let sheet = controller("sheet")
        let late = controller("late")
        let window = window(root)
        root.present(sheet, animated: false)
        _ = journal.take()
        root.present(late, animated: false) { journal.note("shown") }
        #expect(journal.take().isEmpty)
        #expect(root.presentedViewController === sheet)
        #expect(late.presentingViewController == nil)
        withExtendedLifetime(window) {}
    }

    @Test("One view controller over two others ends the program")
    func presentOverTwo() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let sheet = UIViewController()
            let (one, other) = (UIViewController(), UIViewController())
            one.present(sheet, animated: false)
            other.present(sheet, animated: false)
        }
    }

    @Test("A child presents by its container, and both ends can be seen from inside containers")
    func presentFromChild() {
        let child = controller("child")
        let root = UINavigationController(rootViewController: child)
        let window = window(root)
        let inner = controller("inner")
        let sheet = UINavigationController(rootViewController: inner)
        child.present(sheet, animated: false)
        #expect(root.presentedViewController === sheet)
        #expect(child.presentedViewController === sheet)
        #expect(sheet.presentingViewController === root)
        #expect(inner.presentingViewController === root)
        #expect(inner.view.window === window)
        inner.dismiss(animated: false)
        #expect(root.presentedViewController == nil)
        #expect(inner.presentingViewController == nil)
    }

    @Test("Another root: the old one goes with all over it, then the new one appears")
    func changeRoot() {
        let (old, over, new) = (controller("old"), controller("over"), controller("new"))
        let window = window(old)
        old.present(over, animated: false)
        _ = journal.take()
        window.rootViewController = new
        #expect(
            journal.take() == [
                "over willGo-", "over gone-", "old willGo", "old gone", "new load", "new will", "new is",
                "new did",
            ]
        )
        #expect(old.view.window == nil)
        #expect(new.view.window === window)
        window.rootViewController = new
        #expect(journal.take().isEmpty)
        window.rootViewController = nil
        #expect(journal.take() == ["new willGo", "new gone"])
    }

    @Test("A window that closes takes everything down")
    func close() {
        let (root, over) = (controller("root"), controller("over"))
        let window = window(root)
        root.present(over, animated: false)
        _ = journal.take()
        window.close()
        #expect(journal.take() == ["over willGo-", "over gone-", "root willGo", "root gone"])
        window.close()
        #expect(journal.take().isEmpty)
    }
}
