import Foundation
import Testing

@testable import UIKit

@Suite("UIBarButtonItem and UINavigationItem")
@MainActor
struct UIBarButtonItemTests {
    @Test("A button takes its title from its action unless it has one")
    func title() {
        let action = UIAction(title: "Share") { _ in }
        #expect(UIBarButtonItem(primaryAction: action).title == "Share")
        #expect(UIBarButtonItem(title: "Send", primaryAction: action).title == "Send")
        let late = UIBarButtonItem()
        late.primaryAction = action
        #expect(SceneDescription.Bar(late).title == "Share")
    }

    @Test("The page is told a button's title, look and whether it can be used")
    func description() {
        let item = UIBarButtonItem(title: "Add")
        let bar = SceneDescription.Bar(item)
        #expect(bar == .init(id: item.pageIdentifier, title: "Add", icon: nil, style: "plain", enabled: true))
        item.style = .done
        item.isEnabled = false
        #expect(SceneDescription.Bar(item).style == "done")
        #expect(!SceneDescription.Bar(item).enabled)
    }

    @Test("The one button of a side is the first of its row; setting it makes a row of one")
    func sides() {
        let item = UINavigationItem(title: "Title")
        let (one, other) = (UIBarButtonItem(title: "1"), UIBarButtonItem(title: "2"))
        item.leftBarButtonItems = [one, other]
        #expect(item.leftBarButtonItem === one)
        item.leftBarButtonItem = other
        #expect(item.leftBarButtonItems == [other])
        item.rightBarButtonItem = one
        #expect(item.rightBarButtonItems == [one])
        item.rightBarButtonItem = nil
        #expect(item.rightBarButtonItems == nil)
    }
}
