import UIKit

/// One color in a file.
class ColorDocument: UIDocument {
    static let colorDidChangeNotification = Notification.Name("ColorDocumentColorDidChange")

    private(set) var color = RGB.seaGreen {
        didSet { NotificationCenter.default.post(name: Self.colorDidChangeNotification, object: self) }
    }

    private var isAdjusting = false

    override func contents(forType typeName: String) throws -> Any {
        Data(color.text.utf8)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let data = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
        color = try RGB(text: String(decoding: data, as: UTF8.self))
    }

    /// Changes the color. While a slider is being dragged, all its steps are one to undo.
    func setColor(_ newColor: RGB, isFinal: Bool) {
        if newColor != color {
            if isAdjusting {
                updateChangeCount(.done)
            } else {
                registerUndo(to: color)
            }
            color = newColor
        }
        isAdjusting = !isFinal
    }

    private func registerUndo(to oldColor: RGB) {
        undoManager.registerUndo(withTarget: self) { document in
            document.isAdjusting = false
            document.registerUndo(to: document.color)
            document.color = oldColor
        }
        undoManager.setActionName("Change Color")
    }
}
