import Foundation
import Testing
import UIKit

@Suite("UIColor")
struct UIColorTests {
    @Test("Components come back as they were given")
    func components() {
        let color = UIColor(red: 0.1, green: 0.2, blue: 1.5, alpha: 0.4)
        var (red, green, blue, alpha) = (CGFloat(0), CGFloat(0), CGFloat(0), CGFloat(0))
        #expect(color.getRed(&red, green: &green, blue: &blue, alpha: &alpha))
        #expect([red, green, blue, alpha] == [0.1, 0.2, 1.5, 0.4])
        #expect(color.getRed(nil, green: nil, blue: nil, alpha: nil))
    }

    @Test("Colors of the same components are equal and hash equally; others are not")
    func equality() {
        let one = UIColor(red: 0.5, green: 0.5, blue: 0.5, alpha: 1)
        #expect(one == UIColor(white: 0.5, alpha: 1))
        #expect(one.hash == UIColor(white: 0.5, alpha: 1).hash)
        #expect(one != UIColor(white: 0.5, alpha: 0.9))
        #expect(!one.isEqual("gray"))
        #expect(UIColor(white: -0.0, alpha: 1).hash == UIColor.black.hash)
    }

    @Test(
        "In a page, components are rounded to bytes and kept between black and white",
        arguments: [
            (UIColor.systemBlue, "#007aff"), (.black, "#000000"), (.white, "#ffffff"),
            (UIColor(red: -1, green: 2, blue: 0.06, alpha: 0), "#00ff0f"),
            (UIColor(red: .nan, green: .infinity, blue: -.infinity, alpha: 1), "#00ff00"),
        ]
    )
    func hexadecimal(color: UIColor, text: String) {
        #expect(color.hexadecimal == text)
    }
}
