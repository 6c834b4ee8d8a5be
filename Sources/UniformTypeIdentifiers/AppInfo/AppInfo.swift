package import Foundation
internal import Locks
internal import StandardStreams

/// What an app says about itself: its Info.plist, and what that declares.
///
/// `AppInfo.main` is the running app's, read at first use and kept. `AppDeclarations` says where it is looked
/// for.
package struct AppInfo: Sendable {
    /// The whole Info.plist.
    package let values: [String: PropertyValue]
    /// The file it was read from, if it was read from one.
    package let source: URL?
    /// The name of the program's file.
    package let executableName: String
    /// What `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations` declare.
    package let typeDeclarations: [TypeDeclaration]
    /// What `CFBundleDocumentTypes` lists.
    package let documentTypes: [DocumentType]
    /// What the Info.plist says that cannot be, one sentence each.
    package let problems: [String]

    /// Reads an Info.plist's values.
    ///
    /// What cannot be is left out and told in `problems`.
    package init(_ values: [String: PropertyValue], executableName: String, source: URL? = nil) {
        self.values = values
        self.source = source
        self.executableName = executableName
        var problems: [String] = []
        func entries(_ key: String) -> [[String: PropertyValue]] {
            guard let value = values[key] else { return [] }
            guard let entries = value.array?.compactMap(\.dictionary), entries.count == value.array?.count
            else {
                problems.append("\(key) must be an array of dictionaries")
                return value.array?.compactMap(\.dictionary) ?? []
            }
            return entries
        }
        var types: [TypeDeclaration] = []
        for (key, origin) in Self.declarationKeys {
            types += entries(key).compactMap { TypeDeclaration($0, origin: origin, problems: &problems) }
        }
        typeDeclarations = types
        documentTypes = entries("CFBundleDocumentTypes").map { DocumentType($0, problems: &problems) }
        self.problems = problems
    }

    private static let declarationKeys: [(String, TypeDeclaration.Origin)] = [
        ("UTExportedTypeDeclarations", .exported), ("UTImportedTypeDeclarations", .imported),
    ]

    /// The Info.plist as Foundation has it: texts, numbers, truth values, arrays, dictionaries.
    package var infoDictionary: [String: any Sendable] { values.mapValues(\.plain) }

    package subscript(key: String) -> PropertyValue? { values[key] }

    /// What people call the app: `CFBundleDisplayName`, or `CFBundleName`, or the program's file name.
    package var displayName: String {
        for key in ["CFBundleDisplayName", "CFBundleName"] {
            if let name = values[key]?.string, !name.isEmpty { return name }
        }
        return executableName
    }

    /// `CFBundleIdentifier`; nil if there is none.
    package var bundleIdentifier: String? { values["CFBundleIdentifier"]?.string }

    // MARK: The running app

    private static let known = Locked<AppInfo?>(nil)

    /// The running app's.
    ///
    /// Problems are written to standard error, once; a file that cannot be read counts as empty.
    package static var main: AppInfo {
        if let info = known.withLock({ $0 }) { return info }
        let loaded = loadMain()
        return known.withLock { known in
            let info = known ?? loaded
            known = info
            return info
        }
    }

    /// Puts another Info.plist in the place of the running app's, for tests.
    ///
    /// Its types hold from now on; types that were looked up before stay what they are.
    package static func setMain(_ info: AppInfo) {
        known.withLock { $0 = info }
        TypeRegistry.shared.reload()
    }

    /// Has the types that it declares count as the running app's, beside that's.
    package func declareTypes() { TypeRegistry.shared.declare(typeDeclarations) }

    private static func loadMain() -> AppInfo {
        do throws(AppInfoError) {
            let info = try AppDeclarations.load()
            for problem in info.problems { warn("\(info.source?.path ?? "Info.plist"): \(problem)") }
            register(info)
            return info
        } catch {
            warn(error.detail)
            return AppInfo([:], executableName: AppDeclarations.executableURL.lastPathComponent)
        }
    }

    private static func register(_ info: AppInfo) {
        do { try RegisteredTypes.ofThisProcess.register(info) } catch {
            warn("the types of \(info.displayName) cannot be made known to other programs: \(error)")
        }
    }

    /// Writes a line to standard error, for the app's developer.
    static func warn(_ sentence: String) {
        StandardError.say("UniformTypeIdentifiers: \(sentence)")
    }
}

extension TypeDeclaration {
    /// Reads an entry of an Info.plist; nil if it does not say which type it is about.
    fileprivate init?(_ entry: [String: PropertyValue], origin: Origin, problems: inout [String]) {
        guard let identifier = entry["UTTypeIdentifier"]?.string else {
            problems.append("a type declaration has no UTTypeIdentifier and is left out")
            return nil
        }
        guard Self.isIdentifier(identifier) else {
            problems.append(
                "the type \"\(identifier)\" is left out; use letters, digits, - and ., not dyn."
            )
            return nil
        }
        self.init(identifier: identifier, origin: origin)
        supertypes = entry["UTTypeConformsTo"]?.strings ?? []
        typeDescription = entry["UTTypeDescription"]?.string
        referenceURL = entry["UTTypeReferenceURL"]?.string
        version = entry["UTTypeVersion"].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } }
        for (tagClass, value) in entry["UTTypeTagSpecification"]?.dictionary ?? [:] {
            setTags(value.strings.filter { !$0.isEmpty }, class: UTTagClass(rawValue: tagClass))
        }
        if supertypes.isEmpty {
            problems.append(
                "the type \(identifier) conforms to nothing; name public.data or com.apple.package"
            )
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty && !DynamicIdentifier.isDynamic(text)
            && text.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                    || $0 == "-" || $0 == "."
            }
    }
}
