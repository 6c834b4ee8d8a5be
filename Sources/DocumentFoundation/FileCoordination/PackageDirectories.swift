internal import Coordination
package import Foundation
internal import Locks

/// Which directories are packages: one item to a person, and to coordination.
package enum PackageDirectories {
    private struct Answer: Sendable {
        var isPackage: (@Sendable (URL) -> Bool)?
    }

    private static let answer = Locked(Answer())

    /// Whether a directory is a package.
    ///
    /// No directory is until a layer that knows types sets this.
    ///
    /// Asked on any thread, with no lock held, and only about directories whose names have a dot: a package
    /// is known by the extension of its name.
    package static var isPackage: @Sendable (URL) -> Bool {
        get { current ?? { _ in false } }
        set { answer.withLock { $0.isPackage = newValue } }
    }

    /// The packages that hold an item, the item itself left out.
    static func enclosing(_ item: ItemPath) -> [ItemPath] {
        let folders = item.ancestorsWithExtension
        guard !folders.isEmpty, let isPackage = current else { return [] }
        return folders.filter { isPackage(URL(fileURLWithPath: $0.string, isDirectory: true)) }
    }

    /// The packages that hold what is inside an item: those around it, and itself if it is one.
    static func enclosingContents(of item: ItemPath) -> [ItemPath] {
        guard item.hasExtension, let isPackage = current else { return enclosing(item) }
        let isItself = isPackage(URL(fileURLWithPath: item.string, isDirectory: true))
        return enclosing(item) + (isItself ? [item] : [])
    }

    private static var current: (@Sendable (URL) -> Bool)? { answer.withLock { $0 }.isPackage }
}
