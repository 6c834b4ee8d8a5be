internal import Foundation
internal import Locks

/// The types that the apps of this account and machine declare, for all programs: for those, above all, that keep documents in step
/// without being the app.
///
/// An app registers what it declares when it asks for a type first; who installs one may put its Info.plist there. Each has a property
/// list in a folder: `SHEAF_TYPES`, if that is set; else `$XDG_DATA_HOME/sheaf/types`, where apps register, and `sheaf/types` in each
/// of `$XDG_DATA_DIRS`. A file stays when its app goes: documents of its type are what they were.
///
/// A declaration of the running app or the system holds against a registered one; of two that are registered, that of the more
/// important folder, in it that of the name that comes first.
package struct RegisteredTypes: Sendable {
    /// The most important one first.
    let folders: [String]

    /// - Parameter environment: The process's environment variables.
    package init(environment: [String: String]) {
        if let own = environment["SHEAF_TYPES"], !own.isEmpty {
            folders = own.hasPrefix("/") ? [own] : []
        } else {
            folders = DataFolders.all(environment: environment).map { $0 + "/sheaf/types" }
        }
    }

    // MARK: Reading

    /// When the folders were changed last; it differs once anything has been registered.
    var stamp: [Date?] {
        folders.map { folder in
            // One that is not there, or that nobody may look into, has nothing in it.
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder)
            return attributes?[.modificationDate] as? Date
        }
    }

    /// What is registered, each type once.
    ///
    /// - Parameter warn: Told of files that cannot be read, which are left out.
    func load(warn: (String) -> Void) -> [TypeDeclaration] {
        var (known, types): (Set<String>, [TypeDeclaration]) = ([], [])
        for folder in folders {
            // As of `stamp`.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where !name.hasPrefix(".") {
                let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
                do throws(AppInfoError) {
                    let info = try AppDeclarations.load(url, executableName: name)
                    for var type in info.typeDeclarations
                    where known.insert(type.identifier.lowercased()).inserted {
                        type.origin = .registered
                        types.append(type)
                    }
                } catch {
                    warn(error.detail)
                }
            }
        }
        return types
    }

    // MARK: Registering

    /// What of an Info.plist counts here.
    private static let keys = [
        "CFBundleIdentifier", "CFBundleName", "UTExportedTypeDeclarations", "UTImportedTypeDeclarations",
    ]

    /// Registers what an app declares, unless it does so already, or declares no types.
    ///
    /// - Throws: What keeps the file from being written.
    func register(_ app: AppInfo) throws {
        guard let folder = folders.first, !app.typeDeclarations.isEmpty else { return }
        let values = app.infoDictionary.filter { Self.keys.contains($0.key) }
        let data = try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
        let place = URL(fileURLWithPath: folder).appendingPathComponent(Self.fileName(of: app))
        // What cannot be read is written anew.
        if let there = try? Data(contentsOf: place), there == data { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try data.write(to: place, options: .atomic)
    }

    private static func fileName(of app: AppInfo) -> String {
        let name = (app.bundleIdentifier ?? app.executableName).unicodeScalars.map { sign in
            let isPlain = sign.isASCII && (sign.properties.isAlphabetic || sign.properties.numericType != nil)
            return isPlain || sign == "-" || sign == "." ? String(sign) : "_"
        }
        return name.drop { $0 == "." }.prefix(200).joined() + ".plist"
    }
}

extension RegisteredTypes {
    static let ofThisProcess = RegisteredTypes(environment: ProcessInfo.processInfo.environment)

    /// Has what was registered since it was read last count from now on. A look at the folders, if nothing was.
    package static func refresh() { TypeRegistry.shared.refresh() }
}
