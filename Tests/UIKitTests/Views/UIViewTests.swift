import Foundation
import Testing

@testable import UIKit

@Suite("UIView")
@MainActor
struct UIViewTests {
    @Test("A view is in one other view at a time; the last added is the foremost")
    func hierarchy() {
        let (one, other) = (UIView(), UIView())
        let (first, second) = (UIView(), UIView())
        one.addSubview(first)
        one.addSubview(second)
        #expect(one.subviews == [first, second])
        one.addSubview(first)
        #expect(one.subviews == [second, first])
        other.addSubview(first)
        #expect(one.subviews == [second])
        #expect(first.superview === other)
        first.removeFromSuperview()
        #expect(first.superview == nil)
        #expect(other.subviews.isEmpty)
        first.removeFromSuperview()
    }

    @Test("Descendants come front to back, the view itself first")
    func descendants() {
        let (root, back, front, inBack) = (UIView(), UIView(), UIView(), UIView())
        root.addSubview(back)
        root.addSubview(front)
        back.addSubview(inBack)
        #expect(root.descendants == [root, front, back, inBack])
    }

    @Test("The tint is the superview's unless set, and blue at the top")
    func tint() {
        let (outer, inner) = (UIView(), UIView())
        outer.addSubview(inner)
        #expect(inner.tintColor == .systemBlue)
        outer.tintColor = .systemPink
        #expect(inner.tintColor == .systemPink)
        inner.tintColor = .systemTeal
        #expect(inner.tintColor == .systemTeal)
        inner.tintColor = nil
        #expect(inner.tintColor == .systemPink)
    }

    @Test("A view is in the window that shows its controller, and a window in itself")
    func window() {
        let window = UIWindow(frame: .zero)
        let controller = UIViewController()
        let inner = UIView()
        controller.view.addSubview(inner)
        #expect(inner.window == nil)
        window.rootViewController = controller
        #expect(inner.window === window)
        #expect(window.window === window)
        window.rootViewController = nil
        #expect(inner.window == nil)
    }

    @Test("The frame is kept; bounds begin at zero")
    func frame() {
        let view = UIView(frame: CGRect(x: 1, y: 2, width: 3, height: 4))
        #expect(view.frame == CGRect(x: 1, y: 2, width: 3, height: 4))
        #expect(view.bounds == CGRect(x: 0, y: 0, width: 3, height: 4))
    }
}
