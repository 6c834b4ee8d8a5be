internal import Foundation

/// What view controllers, registered objects and the app's delegate encoded of one tab.
struct ViewArchive: Codable, Hashable, Sendable {
    /// What the delegate encoded, and when it was kept: a keyed archive.
    var application: Data
    /// Each before what is below it.
    var objects: [Object] = []

    struct Object: Codable, Hashable, Sendable {
        /// Identifiers from the top down to this object's.
        var path: [String]
        /// The class that makes it again, as `NSClassFromString` takes it.
        var restorationClass: String?
        /// Whether it stood over the one with the path before its last identifier.
        var isPresented = false
        /// Whether it was registered, and no view controller.
        var isRegistered = false
        /// A keyed archive.
        var data: Data
    }
}

/// The objects that were registered, held weakly.
@MainActor
enum RestorableObjects {
    private struct Entry {
        weak var object: (any UIStateRestoring)?
        var identifier: String
    }

    private static var entries: [Entry] = []

    static func register(_ object: any UIStateRestoring, _ identifier: String) {
        entries.removeAll { $0.object == nil || $0.object === object }
        entries.append(Entry(object: object, identifier: identifier))
    }

    /// Those that are alive, with their paths.
    static var all: [(path: [String], object: any UIStateRestoring)] {
        entries.compactMap { entry in entry.object.map { (path(of: $0, entry.identifier), $0) } }
    }

    /// A chain of parents that comes back to itself ends where it does.
    private static func path(of object: any UIStateRestoring, _ identifier: String) -> [String] {
        var path = [identifier]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(object)]
        var parent = object.restorationParent
        while let next = parent, seen.insert(ObjectIdentifier(next)).inserted {
            let found = entries.first { $0.object === next }?.identifier
            if let name = found ?? (next as? UIViewController)?.restorationIdentifier {
                path.insert(name, at: 0)
            }
            parent = next.restorationParent
        }
        return path
    }
}

/// The view controllers that take part: those with an identifier below one with an identifier.
@MainActor
enum RestorableControllers {
    struct Found {
        var path: [String]
        var controller: UIViewController
        var isPresented: Bool
    }

    static func all(below root: UIViewController?) -> [Found] {
        root.map { walk($0, [], isPresented: false) } ?? []
    }

    private static func walk(_ controller: UIViewController, _ above: [String], isPresented: Bool) -> [Found]
    {
        guard let identifier = controller.restorationIdentifier else { return [] }
        let path = above + [identifier]
        return [Found(path: path, controller: controller, isPresented: isPresented)]
            + controller.children.flatMap { walk($0, path, isPresented: false) }
            + (controller.presented.map { walk($0, path, isPresented: true) } ?? [])
    }
}
