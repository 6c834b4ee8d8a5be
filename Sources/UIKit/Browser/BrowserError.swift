internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// Why something could not be done to an item, told to the person who wanted it.
package struct BrowserError: Error, Sendable, LocalizedError {
    /// What is in the way.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind {
            case notInLocation, vanished, notFolder, nameTaken, nameRefused, intoItself, originalKept,
                originalChanged
            case unwatched, refused
        }
        private let kind: Kind

        /// The item is not one of this location's.
        package static var notInLocation: Code { Code(kind: .notInLocation) }
        /// The item is not there any more.
        package static var vanished: Code { Code(kind: .vanished) }
        /// A folder was needed and this is none.
        package static var notFolder: Code { Code(kind: .notFolder) }
        /// Another item bears the name.
        package static var nameTaken: Code { Code(kind: .nameTaken) }
        /// No item can bear the name; `underlying` is an `ItemNameError`.
        package static var nameRefused: Code { Code(kind: .nameRefused) }
        /// A folder was to be put into itself.
        package static var intoItself: Code { Code(kind: .intoItself) }
        /// The item was brought in, and its original could not be removed.
        package static var originalKept: Code { Code(kind: .originalKept) }
        /// The item was brought in, and its original stays: it was changed meanwhile.
        package static var originalChanged: Code { Code(kind: .originalChanged) }
        /// A folder is shown, and what other programs do to it is not seen.
        package static var unwatched: Code { Code(kind: .unwatched) }
        /// The system, or a program that has the item open, refused; `underlying` says why.
        package static var refused: Code { Code(kind: .refused) }
        package var description: String { "\(kind)" }
    }

    package var code: Code
    /// The name of the item it is about.
    package var item: String
    package var underlying: (any Error)?

    package init(_ code: Code, item: String, underlying: (any Error)? = nil) {
        self.code = code
        self.item = item
        self.underlying = underlying
    }

    /// What any error means for an item.
    package init(_ error: any Error, item: String) {
        switch error {
        case let error as BrowserError: self = error
        case is ItemNameError: self.init(.nameRefused, item: item, underlying: error)
        case let error as SystemError where error.isAbsent:
            self.init(.vanished, item: item, underlying: error)
        case let error as SystemError where error.isTaken:
            self.init(.nameTaken, item: item, underlying: error)
        case let error as CocoaError where error.isOfMissingFile:
            self.init(.vanished, item: item, underlying: error)
        default: self.init(.refused, item: item, underlying: error)
        }
    }

    package var errorDescription: String? {
        switch code {
        case .notInLocation: "“\(item)” is not in this location."
        case .vanished: "“\(item)” is not there any more."
        case .notFolder: "“\(item)” is not a folder."
        case .nameTaken: "There is an item named “\(item)” already."
        case .nameRefused: (underlying as? ItemNameError)?.errorDescription
        case .intoItself: "The folder “\(item)” cannot be put into itself."
        case .originalKept: "“\(item)” was added, but its original could not be removed. \(reason)"
        case .originalChanged: "“\(item)” was changed while it was added: its original stays where it is."
        case .unwatched: "What other programs do in “\(item)” is not seen. \(reason)"
        default: "“\(item)” could not be changed. \(reason)"
        }
    }

    package var recoverySuggestion: String? {
        switch code {
        case .notInLocation: "Choose an item that is shown."
        case .vanished: "Look where it has been moved, or put it back from the trash."
        case .notFolder: "Choose a folder."
        case .nameTaken: "Choose another name."
        case .nameRefused: (underlying as? ItemNameError)?.recoverySuggestion
        case .intoItself: "Choose a folder outside of it."
        case .originalKept: "Remove the original yourself."
        case .originalChanged: "Compare the two, and remove the one that you do not need."
        case .unwatched: "Close programs that watch many folders, or raise fs.inotify.max_user_instances."
        default: remedy
        }
    }

    private var reason: String {
        switch underlying {
        case let error as SystemError: error.reason + "."
        case let error?: (error as NSError).localizedFailureReason ?? error.localizedDescription
        case nil: ""
        }
    }

    private var remedy: String {
        switch underlying {
        case let error as SystemError: error.remedy
        case let error?: (error as NSError).localizedRecoverySuggestion ?? "Try again."
        case nil: "Try again."
        }
    }
}

extension CocoaError {
    fileprivate var isOfMissingFile: Bool { code == .fileNoSuchFile || code == .fileReadNoSuchFile }
}
