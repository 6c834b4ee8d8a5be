package import Foundation
package import UniformTypeIdentifiers

/// Which type a name has, and which directories count as one item.
package enum PackageTypes {
    /// The identifier of the type that a place's name tells; nil for a name without an extension.
    ///
    /// A type that the app declares wins, be it a file's or a package's; an unknown extension has a dynamic type.
    package static func identifier(of url: URL) -> String? {
        type(ofExtension: url.pathExtension)?.identifier
    }

    /// The type that an extension stands for.
    package static func type(ofExtension pathExtension: String) -> UTType? {
        guard !pathExtension.isEmpty else { return nil }
        let candidates = UTType.types(tag: pathExtension, tagClass: .filenameExtension, conformingTo: nil)
        return candidates.first { $0.isDeclared } ?? candidates.first
    }

    /// The same, also by what an app has registered a moment ago: for those who decide something by it that stays so.
    package static func currentType(ofExtension pathExtension: String) -> UTType? {
        let known = type(ofExtension: pathExtension)
        guard known?.isDeclared == false else { return known }
        RegisteredTypes.refresh()
        return type(ofExtension: pathExtension)
    }

    /// Whether a directory of this name is a package.
    package static func isPackage(_ url: URL) -> Bool {
        type(ofExtension: url.pathExtension)?.conforms(to: .package) ?? false
    }

    /// Whether a directory of this name is a package, as far as apps have registered theirs by now.
    package static func isPackage(named name: String) -> Bool {
        guard name.contains(".") else { return false }
        let pathExtension = URL(fileURLWithPath: name, isDirectory: true).pathExtension
        return currentType(ofExtension: pathExtension)?.conforms(to: .package) ?? false
    }

    /// Tells file coordination which directories are packages. Done once, whoever comes first.
    package static func install() {
        _ = installed
    }

    private static let installed: Void = {
        PackageDirectories.isPackage = { PackageTypes.isPackage($0) }
    }()
}
