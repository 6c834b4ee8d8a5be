package import Foundation

/// Finds and reads the running app's Info.plist.
///
/// Looked at, in this order, and the first that there is holds:
///
/// 1. the main bundle's Info.plist, if it declares types or document types;
/// 2. in the folder of the program, in a resource bundle named `<program>.resources` or, as SwiftPM names it,
/// `<package>_<program>.resources`: `Info.plist`, `Info.json`, `Resources/Info.plist`, `Resources/Info.json`.
///
/// SwiftPM refuses an `Info.plist` at the top of a target's resources, so a target has a folder `Resources`
/// with the file in it and says `resources: [.copy("Resources")]`. A property list may be XML or binary.
package enum AppDeclarations {
    private static let keys = [
        "UTExportedTypeDeclarations", "UTImportedTypeDeclarations", "CFBundleDocumentTypes",
    ]
    private static let names = ["Info.plist", "Info.json", "Resources/Info.plist", "Resources/Info.json"]

    /// The running program's file.
    static var executableURL: URL {
        Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? "")
    }

    /// Reads the running app's Info.plist; an empty one if there is none.
    package static func load() throws(AppInfoError) -> AppInfo {
        let executable = executableURL
        if let dictionary = Bundle.main.infoDictionary, keys.contains(where: { dictionary[$0] != nil }) {
            let url = Bundle.main.bundleURL
            let data: Data
            do {
                data = try PropertyListSerialization.data(
                    fromPropertyList: dictionary,
                    format: .binary,
                    options: 0
                )
            } catch {
                throw malformed(url, error)
            }
            let values = try values(of: data, isJSON: false, url: url)
            return AppInfo(values, executableName: executable.lastPathComponent, source: url)
        }
        guard let url = find(besideExecutable: executable) else {
            return AppInfo([:], executableName: executable.lastPathComponent)
        }
        return try load(url, executableName: executable.lastPathComponent)
    }

    /// Reads a file: JSON if its name ends in `.json`, else a property list.
    package static func load(_ url: URL, executableName: String) throws(AppInfoError) -> AppInfo {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw AppInfoError(
                code: .unreadable,
                url: url,
                detail: "\(url.path) cannot be read: \(error.localizedDescription) Its types are not known."
            )
        }
        let values = try values(of: data, isJSON: url.pathExtension.lowercased() == "json", url: url)
        return AppInfo(values, executableName: executableName, source: url)
    }

    /// The Info.plist in the resource bundle of a program; nil if there is none.
    package static func find(besideExecutable executable: URL) -> URL? {
        let folder = executable.resolvingSymlinksInPath().deletingLastPathComponent()
        let name = executable.resolvingSymlinksInPath().lastPathComponent
        // A folder that cannot be listed has no bundle that could be read either.
        let siblings = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let bundles = siblings.filter { $0 == "\(name).resources" || $0.hasSuffix("_\(name).resources") }
            .sorted()
        for bundle in bundles {
            for name in names {
                let url = folder.appendingPathComponent(bundle).appendingPathComponent(name)
                if FileManager.default.fileExists(atPath: url.path) { return url }
            }
        }
        return nil
    }

    private static func values(
        of data: Data,
        isJSON: Bool,
        url: URL
    ) throws(AppInfoError) -> [String: PropertyValue] {
        do {
            let value =
                isJSON
                ? try JSONDecoder().decode(PropertyValue.self, from: data)
                : try PropertyListDecoder().decode(PropertyValue.self, from: data)
            if let dictionary = value.dictionary { return dictionary }
        } catch {
            throw malformed(url, error)
        }
        throw malformed(url, nil)
    }

    private static func malformed(_ url: URL, _ cause: (any Error)?) -> AppInfoError {
        let reason = cause.map { ": \($0)" } ?? ", a dictionary at its top is wanted"
        return AppInfoError(
            code: .malformed,
            url: url,
            detail:
                "\(url.path) is no property list or JSON that can be used\(reason). Its types are not known."
        )
    }
}
