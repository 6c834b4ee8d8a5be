/// A kind of document that the app handles: an entry of `CFBundleDocumentTypes`.
package struct DocumentType: Hashable, Sendable {
    /// What the app does with such documents.
    package enum Role: String, Hashable, Sendable {
        case editor = "Editor"
        case viewer = "Viewer"
        case shell = "Shell"
        case quickLookGenerator = "QLGenerator"
        case none = "None"
    }

    /// How much the app is the one to open them.
    package enum Rank: String, Hashable, Sendable {
        case owner = "Owner"
        case `default` = "Default"
        case alternate = "Alternate"
        case none = "None"
    }

    /// `CFBundleTypeName`; empty if there is none.
    package let name: String
    /// `CFBundleTypeRole`; an editor if nothing is said, as apps of iOS need not say it.
    package let role: Role
    /// `LSHandlerRank`; `default` if nothing is said.
    package let rank: Rank
    /// `LSItemContentTypes`.
    package let contentTypeIdentifiers: [String]
    /// `CFBundleTypeExtensions`, the older way to say what it is about, without "*".
    package let filenameExtensions: [String]
    /// `CFBundleTypeMIMETypes`, the older way to say what it is about.
    package let mimeTypes: [String]
    /// `LSTypeIsPackage`: whether a folder of this type is one document.
    package let isPackage: Bool
    /// `UIDocumentClass` or `NSDocumentClass`.
    package let documentClassName: String?

    /// Reads an entry, appending to `problems` what cannot be as it is.
    init(_ entry: [String: PropertyValue], problems: inout [String]) {
        func choice<Choice: RawRepresentable<String>>(_ key: String, else other: Choice) -> Choice {
            guard let text = entry[key]?.string else { return other }
            if let choice = Choice(rawValue: text) { return choice }
            problems.append("\(key) \"\(text)\" of a document type is not known; \(other.rawValue) is used")
            return other
        }
        name = entry["CFBundleTypeName"]?.string ?? ""
        role = choice("CFBundleTypeRole", else: .editor)
        rank = choice("LSHandlerRank", else: .default)
        contentTypeIdentifiers = entry["LSItemContentTypes"]?.strings ?? []
        filenameExtensions = (entry["CFBundleTypeExtensions"]?.strings ?? []).filter { $0 != "*" }
        mimeTypes = entry["CFBundleTypeMIMETypes"]?.strings ?? []
        isPackage = entry["LSTypeIsPackage"]?.bool ?? false
        documentClassName = (entry["UIDocumentClass"] ?? entry["NSDocumentClass"])?.string
        if contentTypeIdentifiers.isEmpty, filenameExtensions.isEmpty, mimeTypes.isEmpty {
            problems.append(
                "the document type \"\(name)\" names no types; list them under LSItemContentTypes"
            )
        }
    }

    /// The types that documents of this kind have.
    ///
    /// Those of `LSItemContentTypes`; only if there are none, those of the extensions, which are packages if
    /// `isPackage`, and of the MIME types.
    package var contentTypes: [UTType] {
        guard contentTypeIdentifiers.isEmpty else {
            return contentTypeIdentifiers.map { UTType(importedAs: $0) }
        }
        let supertype: UTType = isPackage ? .package : .data
        let types =
            filenameExtensions.compactMap { UTType(filenameExtension: $0, conformingTo: supertype) }
            + mimeTypes.compactMap { UTType(mimeType: $0) }
        var seen: Set<UTType> = []
        return types.filter { seen.insert($0).inserted }
    }
}
