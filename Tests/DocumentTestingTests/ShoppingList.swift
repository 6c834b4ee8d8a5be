import Foundation
import UIKit

/// A shopping list, as an app may have it.
final class ShoppingList: UIDocument {
    var items: [String] = []
    var failures: [CocoaError.Code] = []

    override func contents(forType typeName: String) throws -> Any {
        Data(items.map { $0 + "\n" }.joined().utf8)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        items = String(decoding: contents as? Data ?? Data(), as: UTF8.self).split(separator: "\n").map(
            String.init
        )
    }

    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        if let error = error as? CocoaError { failures.append(error.code) }
        finishedHandlingError(error, recovered: false)
    }
}
